import { expect, it } from 'vitest'
import { type PositionRecord, positionRecords } from '../../../../src/client/answers/records.js'
import type { Body } from '../../../../src/client/index.js'
import type { OrderView } from '../../../../src/core/orders/index.js'
import type { Account } from '../../../../src/tui/live/account.js'
import { breakevenOf, breakevenReview } from '../../../../src/tui/positions/exits/breakeven-review.js'
import { AT_MARKET, tradingDesk } from '../../support/trading-desk.js'

const STOP = { action: 'SELL', pricetype: 'SL-M', price: 0 } as const
const SBIN = { symbol: 'SBIN', exchange: 'NSE', product: 'MIS' }
const STEP_MS = 60_000

/** Ten bought shares, in profit where that is asked for, and what `b` would do with them. */
async function held(
  isInProfit: boolean,
  order_mode: Account['order_mode'] = 'auto',
  product: 'MIS' | 'CNC' = 'MIS',
) {
  const desk = await tradingDesk('analyze')
  const { client, http, orders } = desk
  await desk.place({ ...AT_MARKET, product })
  const position = async (): Promise<PositionRecord> => {
    const [row] = positionRecords(await client.call('positionbook', {}))
    if (row === undefined) throw new Error('nothing is held')
    return row
  }
  const isAhead = async () => (await position()).ltp > (await position()).average_price + 1
  for (let minute = 0; isInProfit && minute < 600 && !(await isAhead()); minute += 1) {
    await http.desk.clock.advance(STEP_MS)
  }
  const { data } = await client.request('GET /auth/whoami', {})
  const account: Account = { ...data, order_mode }
  const review = () =>
    breakevenReview(client, account, { asked: { ...SBIN, product }, key: crypto.randomUUID() })
  const confirm = async () => {
    const asked = await review()
    if ('refusal' in asked) throw new Error(asked.refusal)
    await asked.recheck?.()
    await desk.trading(asked.change.send(client))
    return asked
  }
  const waiting = async () =>
    (await orders())
      .filter(({ order_status }) => ['open', 'trigger pending'].includes(order_status))
      .map(({ action, pricetype, quantity, trigger_price }) => ({
        action,
        pricetype,
        quantity,
        trigger_price,
      }))
  const trigger = breakevenOf(await position(), 0.05)
  return { ...desk, confirm, review, trigger, waiting }
}

it.each([
  [10, 967.1, 967.1],
  [10, 967.1033, 967.15],
  [-10, 967.1033, 967.1],
  [-10, 967.0999, 967.05],
])('the stop of %i at %f is at %f, where it loses nothing', (quantity, average_price, price) => {
  expect(breakevenOf({ quantity, average_price }, 0.05)).toBe(price)
})

it('refuses a stop that would fill at once', async () => {
  const { review } = await held(false)
  expect(await review()).toEqual({ refusal: expect.stringMatching(/has not passed .*would fill at once/) })
})

it('places a stop where none waits, and leaves it where it is', async () => {
  const { confirm, review, trigger, waiting } = await held(true)
  expect(await confirm()).toMatchObject({ title: expect.stringMatching(/^SELL 10 NSE:SBIN in ANALYZE/) })
  expect(await waiting()).toEqual([
    { action: 'SELL', pricetype: 'SL-M', quantity: 10, trigger_price: trigger },
  ])
  expect(await review()).toEqual({ refusal: expect.stringMatching(/its stop .* already/) })
})

it('moves the stop that waits', async () => {
  const { confirm, place, trigger, waiting } = await held(true)
  await place({ ...STOP, trigger_price: 700 })
  await confirm()
  expect(await waiting()).toEqual([
    { action: 'SELL', pricetype: 'SL-M', quantity: 10, trigger_price: trigger },
  ])
})

it('leaves a stop of another size alone: it would open the other side', async () => {
  const { place, review, waiting } = await held(true)
  await place({ ...STOP, quantity: 25, trigger_price: 700 })
  expect(await review()).toEqual({
    refusal: expect.stringMatching(/its stop .* is for 25, and the position is 10/),
  })
  expect(await waiting()).toMatchObject([{ quantity: 25, trigger_price: 700 }])
})

it.each<[string, (desk: Awaited<ReturnType<typeof held>>) => Promise<unknown>, string]>([
  ['the position is closed', ({ place }) => place({ ...AT_MARKET, action: 'SELL' }), 'is 0 now, and was 10'],
  [
    'another stop waits',
    ({ place }) => place({ ...STOP, trigger_price: 700 }),
    'other orders wait to close the position now',
  ],
  [
    'a target waits',
    ({ place }) => place({ action: 'SELL', price: 925 }),
    'other orders wait to close the position now',
  ],
])('moves and places nothing when %s since the question', async (_name, meanwhile, reason) => {
  const desk = await held(true)
  const asked = await desk.review()
  await meanwhile(desk)
  await expect('refusal' in asked ? undefined : asked.recheck?.()).rejects.toThrow(reason)
})

it.each<[string, Partial<OrderView>, RegExp]>([
  ['trailed', { trigger_price: 720 }, /is 10 SL-M, trigger ₹720.00 now, and was 10 SL-M, trigger ₹700.00/],
  ['made a limit stop', { pricetype: 'SL', price: 699 }, /is 10 SL at ₹699.00.* now, and was/],
  ['filled in part', { pending_quantity: 4 }, /with 4 to fill now, and was trigger pending with 10/],
  ['triggered', { order_status: 'open' }, /is open with 10 to fill now, and was trigger pending/],
])('leaves a stop alone that was %s since the question', async (_name, changed, reason) => {
  const { http, place, review } = await held(true)
  await place({ ...STOP, trigger_price: 700 })
  const asked = await review()
  if ('refusal' in asked) throw new Error(asked.refusal)
  const { account } = http.desk.service
  const orderbook = account.orderbook.bind(account)
  account.orderbook = async (userId) => {
    const book = await orderbook(userId)
    const orders = book.data.orders.map((row) => (row.pricetype === 'SL-M' ? { ...row, ...changed } : row))
    return { ...book, data: { ...book.data, orders } }
  }
  await expect(asked.recheck?.()).rejects.toThrow(reason)
})

it('places none in semi-auto mode, where it would wait', async () => {
  const { review } = await held(true, 'semi_auto')
  expect(await review()).toEqual({ refusal: expect.stringContaining('a new stop would wait for approval') })
})

it.each<[string, readonly Partial<Body<'placeorder'>>[], RegExp]>([
  [
    'several stops',
    [
      { ...STOP, quantity: 4, trigger_price: 700 },
      { ...STOP, quantity: 6, trigger_price: 701 },
    ],
    /SELL 6 NSE:SBIN SL-M, trigger ₹701.00, order \d+; SELL 4 .* wait to close it/,
  ],
  [
    'a target',
    [{ action: 'SELL', price: 925 }],
    /^SELL 10 NSE:SBIN LIMIT at ₹925.00, order \d+ waits to close it: beside a stop, both could fill/,
  ],
  [
    'a target beside a stop',
    [
      { ...STOP, trigger_price: 700 },
      { action: 'SELL', price: 925 },
    ],
    /LIMIT at ₹925.00.* SL-M, trigger ₹700.00.* wait to close it/,
  ],
])('places and moves nothing beside %s, and names what waits', async (_name, waiting, refusal) => {
  const { place, review } = await held(true)
  for (const order of waiting) await place(order)
  expect(await review()).toEqual({ refusal: expect.stringMatching(refusal) })
})

const GTT = {
  strategy: 'test',
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'SELL',
  product: 'CNC',
  quantity: 10,
} as const
const OCO = {
  ...GTT,
  ...{
    trigger_type: 'OCO',
    price: 0,
    triggerprice_sl: 100,
    stoploss: 99,
    triggerprice_tg: 9000,
    target: 9001,
  },
} as const

it('places none beside a GTT of the closing side, and names it', async () => {
  const { client, review, trading } = await held(true, 'auto', 'CNC')
  await trading(client.call('placegttorder', OCO))
  expect(await review()).toEqual({
    refusal: expect.stringMatching(
      /^SELL 10 NSE:SBIN, trigger ₹100.00 or ₹9,000.00, GTT \S+ waits to close it/,
    ),
  })
})

it('counts no GTT of the other side, of another product or that has ended', async () => {
  const { client, confirm, trading, waiting } = await held(true, 'auto', 'CNC')
  const single = { ...GTT, trigger_type: 'SINGLE', price: 99, triggerprice_sl: 100 } as const
  await trading(client.call('placegttorder', { ...single, action: 'BUY' }))
  const ended = await trading(client.call('placegttorder', single))
  if (!('trigger_id' in ended)) throw new Error('the GTT waits for approval')
  await trading(client.call('cancelgttorder', { strategy: 'test', trigger_id: ended.trigger_id }))
  await confirm()
  expect(await waiting()).toMatchObject([{ action: 'SELL', pricetype: 'SL-M' }])
})
