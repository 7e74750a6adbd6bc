import { expect, it } from 'vitest'
import { commandDesk } from '../../support/desk/command-desk.js'

/* The commands for messages that need no outside server, with the built program. */
const desk = commandDesk()

const rowOf = async (channel: string) => {
  const rows = await desk.terminal.json<Record<string, unknown>[]>('message status')
  return rows.find((row) => row.channel === channel)
}

it('svc message status says why a channel is not ready', async () => {
  expect(await rowOf('telegram')).toMatchObject({ ready: false, note: 'no bot token', waiting: 0 })
  expect(await rowOf('whatsapp')).toMatchObject({ ready: false, address: null })
  expect(await rowOf('email')).toMatchObject({ note: 'no mail server: svc smtp set' })
})

it('svc message contact sets an address, preferences change its events, and --remove forgets both', async () => {
  const { terminal } = desk
  expect((await terminal.svc('message preferences email --orders off')).exit).toBe(4)
  expect((await terminal.svc('message contact email desk@example.org')).exit).toBe(0)
  expect(await rowOf('email')).toMatchObject({ address: 'desk@example.org' })
  const changed = await terminal.svc('message preferences email --orders off --at 16:30')
  expect([changed.exit, changed.stderr]).toEqual([0, 'Your preferences on email are stored.\n'])
  expect(await terminal.json('message preferences email')).toMatchObject([
    { address: 'desk@example.org', orders: false, trades: true, summary_time: '16:30' },
  ])
  const asked = await terminal.svc('message contact email --remove')
  expect([asked.exit, asked.stderr]).toEqual([2, expect.stringContaining('Pass --yes')])
  expect((await terminal.svc('message contact email --remove --yes')).exit).toBe(0)
  expect(await rowOf('email')).toMatchObject({ address: null })
})

it.each([
  ['message test email', 4, 'svc message contact email'],
  ['message test telegram', 4, 'svc message link'],
  ['message link', 5, 'svc message channel telegram --token'],
  ['message contact telegram 4711', 5, 'svc message link'],
  ['message contact whatsapp 12', 2, '7 to 15 digits'],
  ['message contact email nobody', 2, 'name@domain.tld'],
  ['message contact email', 2, '--remove'],
  ['message preferences fax', 2, 'telegram'],
  ['message preferences email --orders maybe', 2, '--orders'],
  ['message list --state lost', 2, '--state'],
  ['message list --limit 100000', 2, 'limit'],
  ['message channel whatsapp --app-secret cccc', 2, 'Too many arguments'],
  ['message channel whatsapp --token-stdin --app-secret-stdin', 2, 'Only one secret can come from stdin'],
  ['message channel whatsapp --verify-token', 2, '--verify-token-stdin'],
  ['message retry', 2, '--all'],
  ['message retry 1e3', 2, 'not the id'],
  ['message retry 999', 4, '999'],
])('svc %s is refused', async (line, exit, says) => {
  const ran = await desk.terminal.svc(line)
  expect([ran.exit, ran.stderr]).toEqual([exit, expect.stringContaining(says)])
})

it('svc message list and retry --all accept an empty queue', async () => {
  expect(await desk.terminal.json('message list')).toEqual([])
  expect((await desk.terminal.svc('message retry --all')).stderr).toBe('0 messages are tried again.\n')
})

it('svc message channel whatsapp reads each secret from stdin', async () => {
  for (const option of ['token', 'app-secret', 'verify-token']) {
    const line = `message channel whatsapp --${option}-stdin`
    const { exit, stderr } = await desk.terminal.svc(line, { stdin: `${'c'.repeat(32)}\n` })
    expect([exit, stderr]).toEqual([0, expect.not.stringContaining('cccc')])
  }
})
