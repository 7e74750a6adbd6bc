import { createHash } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { FAKE_ACCOUNT, FakeKite } from '../../../../fixtures/fake-kite/server.js'
import { HttpDesk } from '../../../../support/desk/http-desk.js'
import { eventually } from '../../../../support/eventually.js'

const { apiKey, apiSecret, requestToken, userId } = FAKE_ACCOUNT

/** An order at a price that the market does not reach. */
const RESTING = {
  exchange: 'NSE',
  tradingsymbol: 'INFY',
  transaction_type: 'BUY',
  product: 'MIS',
  order_type: 'LIMIT',
  quantity: '10',
  price: '1400',
  validity: 'DAY',
}

/** The service, signed in at a fake that has one open order. */
async function open(env: Record<string, string>, secret = apiSecret) {
  const fake = await FakeKite.start()
  const { api, ticker } = fake.endpoints
  const http = await HttpDesk.open({
    env: { BROKER_ENDPOINTS: `zerodha.api=${api},zerodha.ticker=${ticker}`, ...env },
  })
  const { desk } = http
  const resting = fake.book.place('regular', RESTING, undefined)
  await desk.service.brokers.use('zerodha')
  const fields: Record<string, string> = secret
    ? { api_key: apiKey, api_secret: secret, request_token: requestToken }
    : { api_key: apiKey, access_token: FAKE_ACCOUNT.accessToken }
  await desk.settled(desk.service.brokers.login(fields))
  const post = (body: unknown, path = '/zerodha/postback') => http.request('POST', path, { body })
  return { fake, desk, post, resting }
}

/** An order as Kite posts it: its row, and the checksum. */
function posted(changes: Record<string, unknown> = {}) {
  const order = {
    order_id: '260000000000001',
    order_timestamp: '2026-11-20 11:00:01',
    user_id: userId,
    app_id: 1234,
    status: 'COMPLETE',
    exchange: 'NSE',
    tradingsymbol: 'INFY',
    order_type: 'LIMIT',
    transaction_type: 'BUY',
    product: 'MIS',
    quantity: 10,
    filled_quantity: 10,
    unfilled_quantity: 0,
    average_price: 1500,
    ...changes,
  }
  const text = `${order.order_id}${order.order_timestamp}${apiSecret}`
  return { checksum: createHash('sha256').update(text).digest('hex'), ...order }
}

const ON = { BROKER_POSTBACKS: 'true' }

describe('a posted order update', () => {
  it('with its checksum makes the order be read, and counts as an update of the feed', async () => {
    const { desk, post, resting } = await open(ON)
    const ours = { order_id: resting, filled_quantity: 10, status: 'COMPLETE', tag: 'S00000000000000001' }
    // Its proof does not cover what it says, so a copy of it could say anything.
    expect((await post(posted(ours))).status).toBe(200)
    await eventually(() => desk.events.some(({ topic }) => topic === 'order.update'))
    expect(desk.events.filter(({ topic }) => topic === 'order.update')).toMatchObject([
      { payload: { orderid: resting, symbol: 'INFY', order_status: 'open', quantity: 10 } },
    ])
  })

  it('of an order that is read as something that cannot be true is nothing, and the book is read soon', async () => {
    const { desk, fake, post, resting } = await open(ON)
    const lost = vi.spyOn(desk.service.updates, 'noteLost')
    const row = fake.book.history(resting).at(-1)
    Object.assign(row ?? {}, { filled_quantity: 1_000_000, status: 'COMPLETE' })
    expect((await post(posted({ order_id: resting }))).status).toBe(200)
    await eventually(() => lost.mock.calls.length > 0)
    expect(desk.events.some(({ topic }) => topic === 'order.update')).toBe(false)
  })

  it('of an order that the broker does not know is nothing', async () => {
    const { desk, fake, post } = await open(ON)
    const unknown = '269999999999999'
    expect((await post(posted({ order_id: unknown }))).status).toBe(200)
    await eventually(() => fake.requests.includes(`GET /orders/${unknown}`))
    expect(desk.events.some(({ topic }) => topic === 'order.update')).toBe(false)
  })

  it.each<[string, Record<string, unknown>]>([
    ['without a checksum', { checksum: undefined }],
    ['with a wrong checksum', { checksum: 'a'.repeat(64) }],
    ['with the checksum of another order', { order_id: '260000000000002', checksum: posted().checksum }],
    ['of another account', { user_id: 'ZZ9999' }],
  ])('%s is refused', async (_name, changes) => {
    const { desk, post } = await open(ON)
    const { status, text } = await post({ ...posted(changes), ...changes })
    expect(status).toBe(403)
    expect(text).not.toContain(apiSecret)
    expect(desk.events.some(({ topic }) => topic === 'order.update')).toBe(false)
  })

  it.each(['', 'no JSON', '[]', '{}', 'null'])('that is %j is refused', async (text) => {
    const { desk, post } = await open(ON)
    expect((await post(undefined)).status).toBe(403)
    const client = desk.service.brokers
    expect(() => client.takePostback('zerodha', text)).toThrow('does not prove')
  })

  it('is refused where none are configured', async () => {
    const { desk, post } = await open({})
    expect((await post(posted())).status).toBe(403)
    expect(desk.service.brokers.currentSession()?.extra).toBeUndefined()
  })

  it('is refused after a sign-in without the secret', async () => {
    const { post } = await open(ON, '')
    expect((await post(posted())).status).toBe(403)
  })

  it('of a broker that is not in use is refused', async () => {
    const { post } = await open(ON)
    expect((await post(posted(), '/simulated/postback')).status).toBe(403)
  })
})
