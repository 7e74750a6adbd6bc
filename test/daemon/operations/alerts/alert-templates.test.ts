import { expect, test } from 'vitest'
import { bearer, HttpDesk } from '../../../support/desk/http-desk.js'

const CONTRACT = { symbol: 'sbin', exchange: 'nse', product: 'MIS' }

async function helper() {
  const http = await HttpDesk.open()
  const token = await http.tokenOf('admin')
  const ask = (path: string, body: unknown) => http.request('POST', path, { body, headers: bearer(token) })
  return { http, ask }
}

test('the message of a TradingView alert has the placeholders of a strategy, or the order of a line', async () => {
  const { http, ask } = await helper()
  const shared = { apikey: http.apikey, symbol: 'SBIN', exchange: 'NSE', pricetype: 'MARKET', product: 'MIS' }
  const strategy = await ask('/tradingview/', CONTRACT)
  expect(strategy.status).toBe(200)
  expect(strategy.body).toEqual({
    ...shared,
    strategy: 'TradingView Strategy',
    action: '{{strategy.order.action}}',
    quantity: '0',
    position_size: '{{strategy.position_size}}',
  })
  const line = { ...CONTRACT, action: 'SELL', quantity: 5 }
  expect((await ask('/tradingview', { ...line, mode: 'line' })).body).toEqual({
    ...shared,
    strategy: 'TradingView Line Alert',
    action: 'SELL',
    quantity: '5',
  })
  expect((await ask('/gocharting/', line)).body).toEqual({
    ...shared,
    strategy: 'GoCharting',
    action: 'SELL',
    quantity: '5',
  })
})

test.each([
  ['/tradingview', { exchange: 'NSE', product: 'MIS' }, 400, 'Missing required fields'],
  ['/tradingview', { ...CONTRACT, product: undefined }, 400, 'Missing required fields'],
  ['/tradingview', { ...CONTRACT, mode: 'line' }, 400, 'Missing required fields'],
  ['/tradingview', { ...CONTRACT, mode: 'line', action: 'SELL' }, 400, 'Missing required fields'],
  ['/tradingview', { ...CONTRACT, mode: 'both' }, 400, 'Must be one of: strategy, line.'],
  ['/gocharting', CONTRACT, 400, 'Missing required fields'],
  ['/gocharting', { ...CONTRACT, action: 'SELL', quantity: 0 }, 400, 'Must be greater than 0.'],
  ['/tradingview', { ...CONTRACT, symbol: 'NOTHING' }, 404, 'Symbol not found'],
])('%s with %j gets %i: %s', async (path, body, status, error) => {
  const { ask } = await helper()
  expect(await ask(path, body)).toMatchObject({ status, body: { status: 'error', error } })
})

test('a user without an API key gets no message', async () => {
  const { ask, http } = await helper()
  http.desk.service.identity.apiKeys.reveal = () => undefined
  expect(await ask('/tradingview', CONTRACT)).toMatchObject({
    status: 404,
    body: { error: 'API key not found' },
  })
})

test('a token that may not see the API key gets no message with it', async () => {
  const http = await HttpDesk.open()
  const headers = bearer(await http.tokenOf('read', 'flows', 'orders', 'strategies', 'settings'))
  expect((await http.request('POST', '/tradingview', { body: CONTRACT, headers })).status).toBe(403)
  expect((await http.request('POST', '/tradingview', { body: CONTRACT })).status).toBe(401)
})

test.each([
  ['/tradingview', CONTRACT],
  ['/gocharting', { ...CONTRACT, action: 'SELL', quantity: 5 }],
])('a session whose proof is old gets no message of %s, and the attempt leaves a row', async (path, body) => {
  const http = await HttpDesk.open()
  const headers = bearer(await http.signIn())
  expect((await http.request('POST', path, { body, headers })).body).toMatchObject({ apikey: http.apikey })
  await http.desk.clock.advance(15 * 60_000 + 1)
  const late = await http.request('POST', path, { body, headers })
  expect([late.status, late.code]).toEqual([403, 'reauthentication_required'])
  expect(late.text).not.toContain(http.apikey)
  const { audit } = http.desk.service
  await audit.flush()
  const rows = await audit.list({ act: 'alert.make_message', limit: 9 })
  expect(rows.map(({ code, outcome }) => [outcome, code])).toEqual([
    ['refused', 'reauthentication_required'],
    ['done', null],
  ])
  expect(JSON.stringify(rows)).not.toContain(http.apikey)
})
