import { expect, test } from 'vitest'
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

test.each(['apikey show -q', 'apikey show --save -q'])(
  '%s prints no masked key for a script',
  async (command) => {
    const desk = await CliDesk.open()
    const { exit, stdout, stderr } = await desk.svc(command)
    expect([exit, stdout, stderr]).toEqual([2, '', expect.stringContaining('Pass --reveal.')])
  },
)

test('with an old key, the refusal names the sign-in and not the same command', async () => {
  const desk = await CliDesk.open()
  const env = { SVC_API_KEY: 'a'.repeat(64) }
  await desk.clock.advance(16 * 60_000)
  const { exit, stderr } = await desk.svc('apikey show --reveal -q', { env })
  expect([exit, stderr]).toEqual([3, expect.stringContaining('svc login')])
  expect(stderr).not.toContain('apikey show')
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
