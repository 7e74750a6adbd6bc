import { describe, expect, it } from 'vitest'
import { FAKE_ACCOUNT, FakeKite } from '../../fixtures/fake-kite/server.js'
import { CliDesk } from '../../support/desk/cli-desk.js'

const { accessToken, apiKey, apiSecret, requestToken } = FAKE_ACCOUNT

async function open(env: Record<string, string> = {}) {
  const fake = await FakeKite.start()
  const { api, login, ticker } = fake.endpoints
  const cli = await CliDesk.open({
    env: { BROKER_ENDPOINTS: `zerodha.api=${api},zerodha.login=${login},zerodha.ticker=${ticker}`, ...env },
  })
  fake.signIn.redirectUrl = `${cli.url}/zerodha/callback`
  await cli.service.brokers.use('zerodha')
  return { fake, cli, state: () => cli.service.brokers.sessionStatus().state }
}

/** Opens the address that the terminal shows, as a browser does. */
const inBrowser = async (shown: string) => {
  const [address = ''] = /http:\S+\/connect\/login\S+/.exec(shown) ?? []
  await fetch(address, { headers: { accept: 'text/html' } })
  return undefined
}
/** The same, where the browser does not reach the service. */
const sentTo = async (shown: string) => {
  const [address = ''] = /http:\S+\/connect\/login\S+/.exec(shown) ?? []
  return (await fetch(address, { redirect: 'manual' })).headers.get('location') ?? ''
}

describe('svc broker login on a terminal', () => {
  it('asks for each field, shows the address, and ends with the callback', async () => {
    const { cli, state } = await open()
    const ran = await cli.svc('broker login', { answers: [apiKey, apiSecret, inBrowser] })
    expect([ran.exit, state()]).toEqual([0, 'signed_in'])
    expect(ran.stderr).toMatch(/API key: .+API secret.+Open this address.+Signed in at the broker/s)
  })

  it('asks again for a field that the page needs', async () => {
    const { cli } = await open()
    const ran = await cli.svc('broker login', { answers: ['', apiKey, apiSecret, inBrowser] })
    expect([ran.exit, ran.stderr.includes('API key is missing.')]).toEqual([0, true])
  })

  it('does not ask for what the configuration has', async () => {
    const { cli } = await open({ BROKER_API_KEY: apiKey, BROKER_API_SECRET: apiSecret })
    const ran = await cli.svc('broker login', { answers: [inBrowser] })
    expect([ran.exit, ran.stderr.includes('API secret')]).toEqual([0, false])
  })

  it('asks for the secret of another application than the configured one', async () => {
    const { cli } = await open({ BROKER_API_KEY: 'anotherkey', BROKER_API_SECRET: 'anothersecret' })
    const ran = await cli.svc(`broker login --field api_key=${apiKey}`, { answers: [apiSecret, inBrowser] })
    expect(ran.exit).toBe(0)
  })

  it('takes the address that the browser was sent to', async () => {
    const { fake, cli, state } = await open()
    fake.signIn.redirectUrl = 'http://127.0.0.1:1/zerodha/callback'
    const ran = await cli.svc('broker login', { answers: [apiKey, apiSecret, sentTo] })
    expect([ran.exit, state()]).toEqual([0, 'signed_in'])
  })

  it.each([
    ['request token', [requestToken]],
    ['access token after an empty line', ['', '', accessToken]],
  ])('takes a pasted %s', async (_what, pasted) => {
    const { cli, state } = await open()
    const ran = await cli.svc('broker login', { answers: [apiKey, apiSecret, ...pasted] })
    expect([ran.exit, state()]).toEqual([0, 'signed_in'])
  })

  it('tells why the broker refused the callback', async () => {
    const { fake, cli, state } = await open()
    fake.signIn.outcome = 'cancelled'
    const ran = await cli.svc('broker login', { answers: [apiKey, apiSecret, inBrowser] })
    expect([ran.exit, state()]).toEqual([5, 'signed_out'])
    expect(ran.stderr).toContain('Zerodha did not sign you in. Begin again: svc broker login')
  })

  it('asks nothing of a broker without fields', async () => {
    const { cli } = await open()
    await cli.service.brokers.use('simulated')
    expect((await cli.svc('broker login', { answers: [] })).exit).toBe(0)
  })
})

describe('svc broker login without a terminal', () => {
  it('takes the fields from stdin and the options, and asks nothing', async () => {
    const { cli, state } = await open()
    const stdin = JSON.stringify({ api_secret: apiSecret, request_token: requestToken })
    const ran = await cli.svc(`broker login --field api_key=${apiKey} --from -`, { stdin })
    expect([ran.exit, state()]).toEqual([0, 'signed_in'])
  })

  it('says which field is missing', async () => {
    const { cli } = await open()
    const ran = await cli.svc('broker login', {})
    expect([ran.exit, ran.stderr]).toEqual([2, expect.stringContaining('Missing api_key')])
  })
})
