import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfigFile } from '../../../src/core/config/config-file.js'
import { CliDesk } from '../../support/desk/cli-desk.js'

test('the documented ways to the API key work 16 minutes after the sign-in', async () => {
  const desk = await CliDesk.open()
  await desk.clock.advance(16 * 60_000)
  for (const command of ['apikey show --reveal -q', 'apikey show --reveal -q --save']) {
    const { exit, stdout } = await desk.svc(command)
    expect([exit, stdout]).toEqual([0, `${desk.http.apikey}\n`])
  }
  expect((await desk.svc('apikey show')).stdout).not.toContain(desk.http.apikey)
})

test('without a key in the home, the refusal names commands and no route', async () => {
  const desk = await CliDesk.open()
  await desk.clock.advance(16 * 60_000)
  const { exit, stderr } = await desk.svc('token create --name t --scope orders')
  expect(exit).toBe(3)
  expect(stderr).not.toMatch(/(GET|POST|PUT) \//)
  expect(stderr).toContain('svc login')
})

test.each(['\r', '\n', ' ', '\r\n'])('a token or key with %j at its end is taken', async (end) => {
  const desk = await CliDesk.open()
  const token = await desk.http.tokenOf('read')
  expect((await desk.svc('whoami', { env: { SVC_TOKEN: `\uFEFF${token}${end}` } })).exit).toBe(0)
  expect((await desk.svc('order list', { env: { SVC_API_KEY: `${desk.http.apikey}${end}` } })).exit).toBe(0)
})

test('a token that no daemon gives is called so, and the daemon is not called missing', async () => {
  const desk = await CliDesk.open()
  const { exit, stderr } = await desk.svc('whoami', { env: { SVC_TOKEN: 'svc_a\nb' } })
  expect([exit, stderr]).toEqual([
    2,
    expect.stringContaining('SVC_TOKEN has a character that no such secret has'),
  ])
})

test('a byte order mark is no part of config.env, of --from, or of --payload', async () => {
  const desk = await CliDesk.open()
  const file = (name: string, text: string) => {
    writeFileSync(join(desk.home, name), `\uFEFF${text}`, { mode: 0o600 })
    return join(desk.home, name)
  }
  const order = { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 1 }
  const from = file('order.json', JSON.stringify(order))
  expect((await desk.svc(`order place --from ${from} --dry-run`)).exit).toBe(0)
  const note =
    'name: Note\nnodes:\n  go: {type: start, next: say}\n  say: {type: log, with: {message: hello}}\n'
  const [flow, payload] = [file('note.yaml', note), file('payload.json', '{"a": 1}')]
  expect((await desk.svc(`flow run ${flow} --dry-run --payload ${payload}`)).exit).toBe(0)
  file('config.env', 'SVC_PORT=5731\n')
  expect(readConfigFile(desk.home).values).toEqual({ SVC_PORT: '5731' })
  expect((await desk.svc('config set SVC_PORT 5732')).exit).toBe(0)
  expect(readConfigFile(desk.home).values).toMatchObject({ SVC_PORT: '5732' })
})
