import { afterAll, beforeAll, expect, it } from 'vitest'
import { FAKE_ACCOUNT, FakeKite } from '../../fixtures/fake-kite/server.js'
import { signedIn } from '../../support/desk/command-desk.js'
import { DaemonProcess } from '../../support/process/daemon-process.js'

/* A sign-in at a broker on a real terminal, with the built program. */
const { apiKey, apiSecret, requestToken } = FAKE_ACCOUNT

let fake: FakeKite
let daemon: DaemonProcess
beforeAll(async () => {
  fake = await FakeKite.start()
  const { api, login, ticker } = fake.endpoints
  daemon = await DaemonProcess.ready({
    BROKER_ENDPOINTS: `zerodha.api=${api},zerodha.login=${login},zerodha.ticker=${ticker}`,
  })
  fake.signIn.redirectUrl = `${daemon.url}/zerodha/callback`
  await signedIn(daemon, daemon.url).svc('broker use zerodha --confirm LIVE')
})
afterAll(async () => {
  await daemon.dispose()
  await fake.stop()
})

const addressIn = (shown: string) => /http:\S+\/connect\/login\S+/.exec(shown)?.[0] ?? ''

it('a terminal shows no secret, and the command ends with the callback in the browser', async () => {
  const terminal = signedIn(daemon, daemon.url)
  const command = terminal.start('broker login', { tty: 'all' })
  await command.says('API key: ')
  await command.type(`${apiKey}\r`, 'API secret')
  await command.type(`${apiSecret}\r`, 'Waiting for the callback')
  const page = await fetch(addressIn(command.stdout()), { headers: { accept: 'text/html' } })
  expect(await page.text()).toContain('Signed in, close this page')
  const { exit, stdout } = await command.ended
  expect([exit, stdout]).toEqual([0, expect.stringContaining('Signed in at the broker.')])
  expect(stdout).toContain(apiKey)
  expect(stdout).not.toContain(apiSecret)
})

it('a token that is pasted instead is not shown either', async () => {
  const terminal = signedIn(daemon, daemon.url)
  const command = terminal.start('broker login', { tty: 'all' })
  await command.says('API key: ')
  await command.type(`${apiKey}\r`, 'API secret')
  await command.type(`${apiSecret}\r`, 'Waiting for the callback')
  await command.type(`${requestToken}\r`, 'Signed in')
  const { exit, stdout } = await command.ended
  expect(exit).toBe(0)
  for (const secret of [apiSecret, requestToken]) expect(stdout).not.toContain(secret)
})
