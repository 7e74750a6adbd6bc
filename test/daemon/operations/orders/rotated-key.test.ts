import { describe, expect, test } from 'vitest'
import { USER } from '../../../support/desk/desk.js'
import { holdSlots } from '../../../support/desk/held-slots.js'
import { bearer, HttpDesk } from '../../../support/desk/http-desk.js'

const ORDER = { symbol: 'SBIN', exchange: 'NSE', product: 'MIS', action: 'BUY', quantity: 10 }
const LIMIT = { ...ORDER, pricetype: 'LIMIT', price: 700 }

async function open({ analyze = false } = {}) {
  const http = await HttpDesk.open()
  const { desk } = http
  if (analyze) await desk.service.settings.setAnalyzeMode(true)
  const { apiKeys } = desk.service.identity
  return {
    http,
    desk,
    rotate: () => apiKeys.rotate(USER),
    post: (path: string, fields: object, headers: Record<string, string> = {}, apikey = http.apikey) =>
      http.request('POST', `/api/v1/${path}`, { body: { apikey, strategy: 't', ...fields }, headers }),
    sent: async () => (await desk.ledger()).length,
  }
}

describe('an API key that is replaced while its request waits', () => {
  test('sends no order any more, at the broker', async () => {
    const { desk, post, rotate, sent } = await open()
    const slots = holdSlots(desk)
    const order = post('placeorder', ORDER)
    await slots.reached(order)
    await rotate()
    slots.release()
    expect(await desk.settled(order)).toMatchObject({ status: 403, code: 'invalid_key' })
    expect(await sent()).toBe(0)
  })

  test('sends no order any more, in Analyzer mode', async () => {
    const { desk, http, post, rotate } = await open({ analyze: true })
    const { market } = desk.service
    const { quote } = market
    market.quote = async (ref) => {
      await rotate()
      return quote.call(market, ref)
    }
    expect(await post('placeorder', ORDER)).toMatchObject({ status: 403, code: 'invalid_key' })
    const apikey = desk.service.identity.apiKeys.reveal(USER)
    const book = await http.request('POST', '/api/v1/orderbook', { body: { apikey } })
    expect(book.text).not.toContain('"orderid"')
  })

  test('sends nothing more of a basket, and the answer says so of each order', async () => {
    const { desk, post, rotate, sent } = await open()
    const slots = holdSlots(desk, 1)
    const basket = post('basketorder', { orders: [LIMIT, LIMIT, LIMIT] })
    await slots.reached(basket)
    await rotate()
    slots.release()
    const { body } = await desk.settled(basket)
    const replaced = { status: 'error', message: expect.stringMatching(/API key was replaced/) }
    expect(body.results).toMatchObject([{ status: 'success' }, replaced, replaced])
    expect(await sent()).toBe(1)
  })

  test('changes no order any more', async () => {
    const { desk, post, rotate } = await open()
    const placed = await desk.settled(post('placeorder', LIMIT))
    const slots = holdSlots(desk)
    const values = { ...LIMIT, price: 701, trigger_price: 0, disclosed_quantity: 0 }
    const change = post('modifyorder', { ...values, orderid: placed.body.orderid })
    await slots.reached(change)
    await rotate()
    slots.release()
    expect(await desk.settled(change)).toMatchObject({ status: 403, code: 'invalid_key' })
  })

  test('still cancels and closes: half of that would leave more risk', async () => {
    const { desk, post, rotate } = await open()
    await desk.settled(post('placeorder', LIMIT))
    const cancels = holdSlots(desk)
    const cancel = post('cancelallorder', {})
    await cancels.reached(cancel)
    const { apiKey } = await rotate()
    cancels.release()
    const { body } = await desk.settled(cancel)
    expect(body).toMatchObject({ status: 'success', canceled_orders: [expect.any(String)] })
    await desk.settled(post('placeorder', ORDER, {}, apiKey))
    const closes = holdSlots(desk)
    const close = post('closeposition', {}, {}, apiKey)
    await closes.reached(close)
    await rotate()
    closes.release()
    expect(await desk.settled(close)).toMatchObject({ status: 200, body: { status: 'success' } })
  })

  test('answers a retry under the new key with the first result', async () => {
    const { desk, post, rotate, sent } = await open()
    const key = { 'idempotency-key': 'once' }
    const first = await desk.settled(post('placeorder', ORDER, key))
    const { apiKey } = await rotate()
    const again = await desk.settled(post('placeorder', ORDER, key, apiKey))
    expect([first.status, again.body.orderid]).toEqual([200, first.body.orderid])
    expect(await desk.settled(post('placeorder', ORDER, {}, apiKey))).toMatchObject({ status: 200 })
    expect(await sent()).toBe(2)
  })
})

test('an assistant with the API key sends no order after the key was replaced, and still cancels', async () => {
  const { desk, http, rotate, sent } = await open()
  const { apiKeys } = desk.service.identity
  await http.request('PUT', '/admin/api/mcp/settings', {
    body: { queue_writes: false },
    headers: bearer(await http.signIn()),
  })
  const call = (name: string, given: object) => {
    const params = { name, arguments: given }
    return http.request('POST', '/api/v1/mcp', {
      headers: { 'x-api-key': apiKeys.reveal(USER) ?? '' },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    })
  }
  const resting = { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 1, product: 'MIS' }
  const limit = { ...resting, price_type: 'LIMIT', price: 700 }
  expect((await desk.settled(call('place_order', limit))).text).not.toContain('"isError":true')
  const orders = holdSlots(desk)
  const order = call('place_order', limit)
  await orders.reached(order)
  await rotate()
  orders.release()
  expect((await desk.settled(order)).text).toContain('The API key was replaced')
  expect(await sent()).toBe(1)
  const cancels = holdSlots(desk)
  const cancel = call('cancel_all_orders', {})
  await cancels.reached(cancel)
  await rotate()
  cancels.release()
  expect((await desk.settled(cancel)).text).not.toContain('"isError":true')
})
