import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sizeProblem } from '../../../../src/core/instruments/index.js'
import type { OrderRequest } from '../../../../src/core/orders/schema.js'
import { instrument, orderOf, Rig, USER } from '../harness.js'

let rig: Rig
beforeEach(async () => {
  rig = await Rig.open()
  rig.price(250)
})
afterEach(() => rig.close())

/** A request as a caller without types might send it. */
function loose(fields: Record<string, unknown>): OrderRequest {
  return Object.assign(orderOf({}), fields)
}

const REFUSALS: [name: string, order: Record<string, unknown>, message: string][] = [
  ['an empty symbol', { symbol: '' }, 'Missing required field: symbol'],
  ['no price type', { priceType: undefined }, 'Missing required field: price_type'],
  ['an unknown action', { action: 'HOLD' }, 'Invalid action. Must be BUY or SELL'],
  ['an unknown price type', { priceType: 'GTC' }, 'Invalid price_type. Must be MARKET, LIMIT, SL, or SL-M'],
  ['an unknown product', { product: 'BO' }, 'Invalid product. Must be CNC, NRML, or MIS'],
  [
    'NRML on equity',
    { product: 'NRML' },
    'NRML product not allowed for NSE equity segment. Use CNC for delivery or MIS for intraday.',
  ],
  [
    'CNC on derivatives',
    { product: 'CNC', exchange: 'NFO', symbol: 'NIFTY30MAR26FUT' },
    'CNC product not allowed for NFO derivatives segment. Use NRML for carryforward or MIS for intraday.',
  ],
  ['no quantity', { quantity: 0 }, 'Quantity must be positive'],
  ['a negative quantity', { quantity: -5 }, 'Quantity must be positive'],
  ['a quantity that is none', { quantity: Number.NaN }, 'Invalid quantity'],
  ['a part of a share', { quantity: 1.5 }, 'Invalid quantity'],
  ['a limit without price', { priceType: 'LIMIT' }, 'LIMIT orders require price'],
  ['a stop limit without price', { priceType: 'SL', triggerPrice: 5 }, 'SL orders require price'],
  ['a negative price', { priceType: 'LIMIT', price: -1 }, 'Price must be positive'],
  ['a price beyond the ledger', { priceType: 'LIMIT', price: 1e15 }, 'Price must be positive'],
  ['a price below the smallest unit', { priceType: 'LIMIT', price: 0.00001 }, 'Price must be positive'],
  ['a stop without trigger', { priceType: 'SL', price: 5 }, 'SL orders require trigger_price'],
  ['a stop market without trigger', { priceType: 'SL-M' }, 'SL-M orders require trigger_price'],
  ['a negative trigger', { priceType: 'SL-M', triggerPrice: -1 }, 'Trigger price must be positive'],
  ['an index', { exchange: 'NSE_INDEX', symbol: 'NIFTY' }, 'NIFTY is an index and cannot be traded'],
  ['an unknown symbol', { symbol: 'NOPE' }, 'Symbol NOPE not found on NSE'],
  [
    'half a lot',
    { exchange: 'NFO', symbol: 'NIFTY30MAR26FUT', quantity: 100 },
    'Quantity must be in multiples of lot size 75',
  ],
  [
    'next to nothing of a contract',
    { exchange: 'CRYPTO', symbol: 'BTCUSDFUT', quantity: 1e-10 },
    'Quantity must be in multiples of lot size 0.5',
  ],
  [
    'a market order without a price',
    { symbol: 'INFY' },
    'Cannot place MARKET order for INFY - unable to fetch current price. Please try again later or use LIMIT order with a specific price.',
  ],
  [
    'an order worth more than the ledger holds',
    { priceType: 'LIMIT', price: 1e9, quantity: 1e9 },
    'Unable to calculate margin: the order value exceeds the maximum of the ledger',
  ],
  [
    'shares nobody has',
    { action: 'SELL', product: 'CNC', quantity: 5 },
    'Cannot sell SBIN in CNC. No positions or holdings available. CNC (delivery) requires existing shares. Use MIS for intraday short selling.',
  ],
  [
    'more money than there is',
    { quantity: 1_000_000 },
    'Insufficient funds. Required: ₹50000000.00, Available: ₹10000000.00, Shortage: ₹40000000.00',
  ],
]

describe('acceptance', () => {
  it.each(REFUSALS)('refuses %s', async (_name, fields, message) => {
    const outcome = await rig.sandbox.place('asha', loose(fields))
    expect(outcome).toMatchObject({ ok: false, code: 'refused', message })
    expect(await rig.sandbox.preview('asha', loose(fields))).toMatchObject({ ok: false, message })
    expect(await rig.funds()).toMatchObject({ availablecash: 10_000_000, utiliseddebits: 0 })
  })

  it('reports the first broken rule', async () => {
    const order = loose({ action: 'HOLD', priceType: 'GTC', quantity: 0, symbol: 'NOPE' })
    expect(await rig.sandbox.place('asha', order)).toMatchObject({
      message: 'Invalid action. Must be BUY or SELL',
    })
  })

  it('drops prices that the order type does not use', async () => {
    const orderId = await rig.accepted({ priceType: 'LIMIT', price: 240, triggerPrice: 9_999 })
    expect(await rig.sandbox.books.order('asha', orderId)).toMatchObject({ price: 240, trigger_price: 0 })
    const market = await rig.accepted({ price: 1, triggerPrice: 1 })
    expect(await rig.sandbox.books.order('asha', market)).toMatchObject({ price: 250, trigger_price: 0 })
  })

  it('asks three times for a price', async () => {
    rig.market.quotesAsked = 0
    await rig.place({ symbol: 'INFY' })
    expect(rig.market.quotesAsked).toBe(3)
  })

  it('keeps an oversold delivery order in the book as rejected', async () => {
    await rig.trade('BUY', 30, 100, { product: 'CNC' })
    rig.events.length = 0
    const outcome = await rig.place({ action: 'SELL', product: 'CNC', quantity: 31 })
    const message =
      'Cannot sell 31 shares of SBIN in CNC. Only 30 shares available (Position: 30, Holdings: 0)'
    expect(outcome).toEqual({
      ok: false,
      code: 'refused',
      message,
      orderId: expect.stringMatching(/^\d{14}$/),
    })
    const book = await rig.sandbox.books.orderbook('asha')
    expect(book.statistics).toMatchObject({ total_rejected_orders: 1, total_completed_orders: 1 })
    expect(book.orders[0]).toMatchObject({ order_status: 'rejected', rejection_reason: message })
    expect(rig.events).toMatchObject([{ topic: 'order.update', data: { order_status: 'rejected' } }])
  })

  it('counts holdings less waiting sells', async () => {
    await rig.hold('SBIN', 20, 90)
    await rig.trade('BUY', 10, 100, { product: 'CNC' })
    await rig.accepted({ action: 'SELL', product: 'CNC', quantity: 25, priceType: 'LIMIT', price: 130 })
    expect(await rig.place({ action: 'SELL', product: 'CNC', quantity: 6 })).toMatchObject({
      message:
        'Cannot sell 6 shares of SBIN in CNC. Only 5 shares available (Position: 10, Holdings: 20, Pending sells: 25)',
    })
    await rig.accepted({ action: 'SELL', product: 'CNC', quantity: 5 })
    expect(await rig.sandbox.books.holdings('asha')).toMatchObject({
      holdings: [
        {
          symbol: 'SBIN',
          product: 'CNC',
          quantity: 20,
          average_price: 90,
          ltp: 100,
          pnl: 200,
          pnlpercent: 11.11,
        },
      ],
      statistics: {
        totalholdingvalue: 2_000,
        totalinvvalue: 1_800,
        totalprofitandloss: 200,
        totalpnlpercentage: 11.11,
      },
    })
  })
})

const LOTS: [lotSize: number, quantity: number, whole: boolean][] = [
  [75, 75, true],
  [75, 7500, true],
  [75, 1, false],
  [75, 74, false],
  [75, 100, false],
  [1, 1, true],
  [1, Number.MAX_SAFE_INTEGER, true],
  [1, 1e-10, false],
  [1, 5e-324, false],
  [1, 0.000000001, false],
  [1, 0.99999999, false],
  [1, 1.00000001, false],
  [1, 1.5e-8, false],
  [1, 1e6 + 1e-8, false],
  [0.5, 0.5, true],
  [0.5, 1.5, true],
  [0.5, 0.25, false],
  [0.5, 0.50000001, false],
  [0.5, 1e-10, false],
  [0.1, 0.3, true],
  [0.1, 0.1 + 0.2, true],
  [0.1, 0.35, false],
  [0.1, 123456.7, true],
  [0.00000003, 0.00000003, true],
  [0.00000003, 0.3, true],
  [0.00000003, 0.00000001, false],
  [0.00000003, 0.00000004, false],
  [1e-12, 1, false],
]

it.each(LOTS)('in lots of %d a quantity of %d is whole lots: %s', (lotSize, quantity, whole) => {
  const contract = instrument({ symbol: 'BTCUSDFUT', exchange: 'CRYPTO', lotSize })
  expect(sizeProblem(quantity, { ...contract, freezeQuantity: undefined })?.message).toBe(
    whole ? undefined : `Quantity must be in multiples of lot size ${lotSize}`,
  )
})

it('floating-point noise of a quantity does not reach the book', async () => {
  rig.price(50_000, { symbol: 'BTCUSDFUT', exchange: 'CRYPTO' })
  const contract = { exchange: 'CRYPTO', symbol: 'BTCUSDFUT', product: 'NRML' } as const
  const orderId = await rig.accepted({ ...contract, quantity: 1.1 - 0.6 })
  expect(await rig.sandbox.books.order(USER, orderId)).toMatchObject({ quantity: 0.5, filled_quantity: 0.5 })
})

const MIS_WINDOWS: [exchange: string, symbol: string, lot: number, time: string, allowed: boolean][] = [
  ['NSE', 'SBIN', 1, '08:59:59', false],
  ['NSE', 'SBIN', 1, '09:00:00', true],
  ['NSE', 'SBIN', 1, '15:14:59', true],
  ['NSE', 'SBIN', 1, '15:15:00', false],
  ['CDS', 'USDINR30MAR26FUT', 1, '16:44:59', true],
  ['CDS', 'USDINR30MAR26FUT', 1, '16:45:00', false],
  ['MCX', 'CRUDEOIL19MAR26FUT', 1, '23:14:59', true],
  ['MCX', 'CRUDEOIL19MAR26FUT', 1, '23:15:00', false],
  ['CRYPTO', 'BTCUSDFUT', 1, '03:30:00', true],
]

describe('the hours of intraday orders', () => {
  it.each(MIS_WINDOWS)('%s %s: %i at %s', async (exchange, symbol, quantity, time, allowed) => {
    await rig.clock.advanceTo(`2026-03-13T${time}+05:30`)
    rig.price(100, { symbol, exchange })
    const outcome = await rig.sandbox.place('asha', loose({ exchange, symbol, quantity }))
    expect(outcome.ok).toBe(allowed)
    if (!outcome.ok) {
      expect(outcome.message).toMatch(
        /^MIS orders cannot be placed after square-off time \(\d\d:\d\d IST\)\. Trading resumes at 09:00 AM IST\.$/,
      )
    }
  })

  it.each([
    ['a Saturday', 'NSE', 'SBIN', '2026-03-14T10:00', 'while NSE is closed for the day'],
    ['a holiday', 'NSE', 'SBIN', '2026-03-26T10:00', 'while NSE is closed for the day'],
    ['the morning of an evening session', 'MCX', 'CRUDEOIL19MAR26FUT', '2026-03-26T10:00', '(23:15 IST)'],
    ['the evening session', 'MCX', 'CRUDEOIL19MAR26FUT', '2026-03-26T18:00', undefined],
    ['a special session', 'NSE', 'SBIN', '2026-11-08T18:59', undefined],
    ['the last quarter of a special session', 'NSE', 'SBIN', '2026-11-08T19:00', '(19:00 IST)'],
    ['the morning of a special session', 'NSE', 'SBIN', '2026-11-08T10:00', '(19:00 IST)'],
  ])('on %s', async (_when, exchange, symbol, at, refusal) => {
    await rig.sandbox.stop()
    await rig.clock.advanceTo(`${at}:00+05:30`)
    rig.price(100, { symbol, exchange })
    const outcome = await rig.sandbox.place('asha', loose({ exchange, symbol, quantity: 1 }))
    expect(outcome.ok ? undefined : outcome.message).toEqual(
      refusal === undefined ? undefined : expect.stringContaining(refusal),
    )
  })

  it('lets a position be reduced after hours, not reversed', async () => {
    await rig.trade('BUY', 40, 250)
    // In Live mode nothing squares off.
    await rig.sandbox.stop()
    await rig.clock.advanceTo('2026-03-12T15:20:00+05:30')
    expect(await rig.place({ action: 'SELL', quantity: 41 })).toMatchObject({
      message:
        'MIS orders cannot be placed after square-off time (15:15 IST). Trading resumes at 09:00 AM IST.',
    })
    expect(await rig.place({ action: 'SELL', quantity: 40 })).toMatchObject({ ok: true })
  })
})
