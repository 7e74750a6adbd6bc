import { expect, it } from 'vitest'
import { FAKE_ACCOUNT, FakeKite } from '../../../fixtures/fake-kite/server.js'
import { bearer, HttpDesk } from '../../../support/desk/http-desk.js'

const { apiKey, apiSecret, requestToken } = FAKE_ACCOUNT

/** Opens a daemon that trades through the fake broker, with its keys in the configuration. */
async function open(env: Record<string, string>) {
  const fake = await FakeKite.start()
  const { api, ticker } = fake.endpoints
  const http = await HttpDesk.open({
    env: {
      BROKER_ENDPOINTS: `zerodha.api=${api},zerodha.ticker=${ticker}`,
      BROKER_API_KEY: apiKey,
      BROKER_API_SECRET: apiSecret,
      ...env,
    },
  })
  await http.desk.service.brokers.use('zerodha')
  const headers = bearer(await http.tokenOf('admin'))
  const login = (fields: object) =>
    http.desk.settled(http.request('POST', '/broker/login', { headers, body: { fields } }))
  const probes = async () => {
    const { body } = await http.request('POST', '/admin/api/system/diagnostics', { headers })
    return body.checks as { id: string; name: string; ok: boolean; detail: string }[]
  }
  return { fake, http, login, probes }
}

it('a sign-in needs only the request token; the broker is then reachable, and after its end is not', async () => {
  const { fake, http, login, probes } = await open({})
  const broker = async () => (await probes()).find(({ id }) => id === 'broker')
  expect(await broker()).toMatchObject({ ok: false, detail: 'No active broker session' })
  expect(await login({ request_token: requestToken })).toMatchObject({ status: 200 })
  expect(http.desk.service.brokers.connected()).toBe(true)
  const { host, port } = new URL(fake.endpoints.api)
  expect(await broker()).toMatchObject({
    name: `Broker reachability (zerodha → ${host})`,
    ok: true,
    detail: `TCP/${port} connect OK`,
  })
  await fake.stop()
  expect(await broker()).toMatchObject({ ok: false, detail: expect.stringContaining('ECONNREFUSED') })
})

it('keys of another broker are not sent', async () => {
  const { fake, login } = await open({ REDIRECT_URL: 'https://desk.example/upstox/callback' })
  const answer = await login({ request_token: requestToken })
  expect([answer.status, answer.body.message]).toEqual([400, 'fields: Missing api_key.'])
  expect(fake.requests).toEqual([])
  await fake.stop()
})
