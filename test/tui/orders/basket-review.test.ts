import { expect, test } from 'vitest'
import { type BasketBody, basketOutcome, basketReview } from '../../../src/tui/orders/basket-review.js'
import { tradingDesk } from '../support/trading-desk.js'

const LINE = { symbol: 'SBIN', exchange: 'NSE', product: 'MIS' } as const
const ORDERS: BasketBody['orders'] = [
  { ...LINE, action: 'BUY', quantity: 10, pricetype: 'LIMIT', price: 700 },
  { ...LINE, action: 'SELL', quantity: 5, pricetype: 'LIMIT', price: 900 },
]

async function asked(orders: BasketBody['orders']) {
  const desk = await tradingDesk('live')
  const account = (await desk.client.request('GET /auth/whoami', {})).data
  const review = await basketReview(desk.client, account, { strategy: 'tui', orders }, { key: 'k1' })
  return { ...desk, review }
}

test('names each order and its terms, the margin of all, and places them with one answer', async () => {
  const { client, http, review, trading } = await asked(ORDERS)
  if ('refusal' in review) throw new Error(review.refusal)
  expect(review).toMatchObject({
    title: expect.stringMatching(/^Place a basket of 2 orders in LIVE mode/),
    word: 'live',
  })
  expect(review.lines).toEqual(
    expect.arrayContaining([
      'BUY 10 NSE:SBIN, LIMIT at ₹700.00, MIS',
      'SELL 5 NSE:SBIN, LIMIT at ₹900.00, MIS',
      expect.stringMatching(/^margin of all together ₹/),
    ]),
  )
  const send = () => trading(review.change.send(client))
  const outcome = await send()
  expect(outcome).toMatch(/^LIVE orders \S+, \S+ are placed\.$/)
  // The same review is sent once, whatever presses follow.
  expect(await send()).toBe(outcome)
  expect(await http.desk.ledger()).toHaveLength(2)
})

test('of which one order would be refused is not asked for', async () => {
  const { http, review } = await asked(
    ORDERS.map((order, at) => (at === 0 ? { ...order, quantity: 9_999_999_999 } : order)),
  )
  expect(review).toEqual({ refusal: expect.stringMatching(/^NSE:SBIN would be refused/) })
  expect(await http.desk.ledger()).toEqual([])
})

test('placed in part is a bad result that names what failed and what stands', () => {
  const placed = { ...LINE, status: 'success', orderid: '11' } as const
  const failed = { ...LINE, symbol: 'INFY', status: 'error', orderid: '12', message: 'RMS: blocked' } as const
  expect(basketOutcome({ status: 'success', results: [placed, failed] })).toEqual({
    text: '1 of 2 failed: NSE:INFY: RMS: blocked. LIVE orders 11 are placed.',
    isBad: true,
  })
  expect(
    basketOutcome({ status: 'success', message: 'queued', mode: 'semi_auto', pending_order_id: 7 }),
  ).toEqual({
    text: 'waits for approval 7.',
    isBad: true,
  })
  expect(basketOutcome({ status: 'success', mode: 'analyze', results: [placed] })).toBe(
    'simulated orders 11 are placed.',
  )
})
