import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Database } from '../../../src/core/storage/index.js'
import { signedIn } from '../../support/desk/command-desk.js'
import { Authenticator } from '../../support/process/authenticator.js'
import { DaemonProcess, PASSWORD, USERNAME } from '../../support/process/daemon-process.js'
import type { Terminal } from '../../support/terminal.js'

/* Dangerous acts with the built program, in a session whose last proof is sixteen minutes ago. */
let daemon: DaemonProcess
let terminal: Terminal
let app: Authenticator
beforeAll(async () => {
  daemon = await DaemonProcess.ready({ REAUTH_MINUTES: '15' })
  await daemon.signIn()
  app = await Authenticator.of(daemon)
  terminal = signedIn(daemon, daemon.url)
})
afterAll(() => daemon.dispose())

const CLEAR = { NO_COLOR: '1' }
const PROMPT = 'Password: '
const GO_LIVE = 'analyze off --confirm LIVE'

/** Makes the last proof of every session old, in the file of a daemon that is stopped meanwhile. */
async function age(): Promise<void> {
  await daemon.signal('SIGTERM')
  const db = await Database.open({ file: join(daemon.home, 'svc.db'), schema: 'svc' })
  await db.write((tx) =>
    tx.exec('update active_sessions set authenticated_at = authenticated_at - 960000', []),
  )
  await db.close()
  await daemon.start()
  terminal = signedIn(daemon, daemon.url)
}
const isKilled = async () =>
  (await terminal.json<{ kill_switch: { on: boolean } }>('risk show')).kill_switch.on
const isSimulated = async () =>
  (await terminal.json<{ analyze_mode: boolean }>('analyze status')).analyze_mode

test('a script is refused with the way to go on, and changes nothing; a new sign-in is enough', async () => {
  await terminal.svc('analyze on')
  await terminal.svc('risk kill --reason test')
  await age()
  for (const line of [
    GO_LIVE,
    'risk resume --confirm RESUME',
    'token create --name ops --scope admin',
    'broker use simulated --confirm LIVE',
  ]) {
    const { exit, stderr } = await terminal.svc(line, { stdin: `${PASSWORD}\n` })
    expect([line, exit, stderr]).toEqual([
      line,
      3,
      expect.stringMatching(
        /needs your password again.*15 minutes[\s\S]*svc login --username NAME --password-stdin/,
      ),
    ])
  }
  expect(await isSimulated()).toBe(true)
  expect(await isKilled()).toBe(true)
  for (const line of ['risk kill --reason again', 'analyze on', 'token create --name reader --scope read']) {
    expect([line, (await terminal.svc(line)).exit]).toEqual([line, 0])
  }
  const login = `login --username ${USERNAME} --password-stdin`
  expect((await terminal.svc(login, { stdin: `${PASSWORD}\n` })).exit).toBe(0)
  expect((await terminal.svc(GO_LIVE)).exit).toBe(0)
  expect((await terminal.svc('risk resume --confirm RESUME')).exit).toBe(0)
  expect([await isSimulated(), await isKilled()]).toEqual([false, false])
})

test('a terminal asks for the password, and for a code if sign-ins need one, and repeats the request once', async () => {
  await age()
  await terminal.svc('analyze on')
  const typed = terminal.start(GO_LIVE, { tty: 'all', env: CLEAR })
  await typed.says(PROMPT)
  await typed.type('Wrong-Horse-1!\n', `The password is wrong.\r\n${PROMPT}`)
  await typed.type(`${PASSWORD}\n`, 'LIVE: orders reach the broker')
  const { exit, stdout } = await typed.ended
  expect([exit, stdout.includes(PASSWORD)]).toEqual([0, false])
  expect(await isSimulated()).toBe(false)
  expect((await terminal.svc('apikey show')).exit).toBe(0)
  const isOfPerson = ({ act }: { act: string }) => act === 'mode.set' || act === 'session.prove'
  const rows = await terminal.json<{ act: string; outcome: string }[]>('audit list --limit 20')
  const acts = rows.filter(isOfPerson).slice(-4)
  expect(acts.map(({ act, outcome }) => `${act} ${outcome}`)).toEqual([
    'mode.set refused',
    'session.prove refused',
    'session.prove done',
    'mode.set done',
  ])

  await app.turnOn(daemon)
  await age()
  const coded = terminal.start('apikey show --reveal', { tty: 'all', env: CLEAR })
  await coded.says(PROMPT)
  await coded.type(`${PASSWORD}\n`, 'Authenticator code: ')
  await coded.type('000000\n', `Invalid TOTP code.\r\n${PROMPT}`)
  await coded.type(`${PASSWORD}\n`, 'Authenticator code: ')
  await coded.type(`${await app.next()}\n`, daemon.apikey)
  expect((await coded.ended).exit).toBe(0)
})

test('a proof that was answered survives a kill', async () => {
  await age()
  const asked = await daemon.request('GET', '/apikey')
  expect([asked.status, asked.code]).toEqual([403, 'reauthentication_required'])
  const proof = { password: PASSWORD, totp_code: await app.next() }
  expect((await daemon.request('POST', '/auth/reauthenticate', proof)).status).toBe(200)
  await daemon.crash()
  expect((await daemon.request('GET', '/apikey')).status).toBe(200)
})
