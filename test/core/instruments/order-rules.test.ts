import { describe, expect, test } from 'vitest'
import {
  bandProblem,
  orderProblem,
  type RuledOrder,
  triggerProblem,
} from '../../../src/core/instruments/index.js'
import { type ModifyOrderPayload, placeGttPayload } from '../../../src/core/orders/index.js'
import { parseWith } from '../../../src/core/validation/index.js'
import { payloadOf, TestDesk, USER } from '../../support/desk/desk.js'
import { KiteDesk } from '../../support/desk/kite-desk.js'

const CALLER = { userId: USER, source: 'api' as const }
/** A GTT far below the market. */
const GTT = parseWith(placeGttPayload, {
  strategy: 't',
  trigger_type: 'SINGLE',
  exchange: 'NSE',
  symbol: 'SBIN',
  action: 'BUY',
  product: 'CNC',
  quantity: 5,
  price: 390,
  triggerprice_sl: 400,
})

const SBIN = { exchange: 'NSE', lotSize: 1, tickSize: 0.05, freezeQuantity: undefined }
const NIFTY = { exchange: 'NFO', lotSize: 65, tickSize: 0.1, freezeQuantity: 1800 }
const LIMIT: RuledOrder = { action: 'BUY', priceType: 'LIMIT', quantity: 10, price: 800, triggerPrice: 0 }
const STOP: RuledOrder = { ...LIMIT, priceType: 'SL', triggerPrice: 799 }

test.each([
  ['an order on the tick', LIMIT, SBIN, undefined],
  [
    'a price between two ticks',
    { ...LIMIT, price: 800.02 },
    SBIN,
    'Price 800.02 is not a multiple of the tick size 0.05',
  ],
  [
    'a trigger between two ticks',
    { ...STOP, triggerPrice: 799.01 },
    SBIN,
    'Trigger price 799.01 is not a multiple of the tick size 0.05',
  ],
  ['a part of a lot', { ...LIMIT, quantity: 64 }, NIFTY, 'Quantity must be in multiples of lot size 65'],
  [
    'more than the freeze quantity',
    { ...LIMIT, quantity: 1820 },
    NIFTY,
    /^Quantity 1820 exceeds the freeze quantity 1800/,
  ],
  [
    'a BUY stop above its limit',
    { ...STOP, triggerPrice: 801 },
    SBIN,
    /^Trigger price of a BUY stop must not be above/,
  ],
  [
    'a SELL stop below its limit',
    { ...STOP, action: 'SELL' as const, triggerPrice: 799 },
    SBIN,
    /^Trigger price of a SELL stop must not be below/,
  ],
  ['an instrument whose tick is not known', { ...LIMIT, price: 800.02 }, { ...SBIN, tickSize: 0 }, undefined],
] as const)('%s', (_name, order, instrument, problem) => {
  const message = orderProblem(order, instrument)?.message
  if (problem instanceof RegExp) expect(message).toMatch(problem)
  else expect(message).toBe(problem)
})

test.each([
  ['BUY', 801, 800, true],
  ['BUY', 800, 800, false],
  ['SELL', 799, 800, true],
  ['SELL', 800, 800, false],
  // Nothing is compared with an unknown price.
  ['BUY', 1, undefined, true],
] as const)('a %s stop at %d, last %s, waits: %s', (action, triggerPrice, last, waits) => {
  expect(triggerProblem({ action, triggerPrice }, last) === undefined).toBe(waits)
})

const BAND = { lower: 720.1, upper: 879.9 }
const OUTSIDE = (price: string) => `${price} is outside the day's price band 720.10 to 879.90`

test.each([
  ['on the lower edge', { price: 720.1, triggerPrice: 0 }, BAND, undefined],
  ['on the upper edge', { price: 879.9, triggerPrice: 0 }, BAND, undefined],
  ['on an edge with noise', { price: 880, triggerPrice: 0 }, { ...BAND, upper: 879.9999999999 }, undefined],
  ['below', { price: 720.05, triggerPrice: 0 }, BAND, OUTSIDE('Price 720.05')],
  ['above', { price: 879.95, triggerPrice: 0 }, BAND, OUTSIDE('Price 879.95')],
  ['with its trigger above', { price: 0, triggerPrice: 900 }, BAND, OUTSIDE('Trigger price 900.00')],
  ['at the market', { price: 0, triggerPrice: 0 }, BAND, undefined],
  ['of an instrument whose band is not known', { price: 1, triggerPrice: 0 }, undefined, undefined],
] as const)('an order %s of the band', (_name, order, band, message) => {
  expect(bandProblem(order, band, 0.05)?.message).toBe(message)
})

describe('the sandbox, a dry run and the exchange refuse the same orders with the same text', () => {
  const REFUSED = [
    ['a price between two ticks', { pricetype: 'LIMIT', price: 800.02 }],
    ['a trigger between two ticks', { pricetype: 'SL-M', trigger_price: 850.01 }],
    ['a stop that would trigger at once', { pricetype: 'SL-M', trigger_price: 400 }],
    ['a stop on the wrong side of its limit', { pricetype: 'SL', price: 840, trigger_price: 850 }],
    ['a price above the band', { pricetype: 'LIMIT', price: 1200 }],
    ['a price below the band', { pricetype: 'LIMIT', price: 400 }],
    ['a stop above the band', { pricetype: 'SL', price: 1200, trigger_price: 1190 }],
    ['a trigger above the band', { pricetype: 'SL-M', trigger_price: 1200 }],
    ['a trigger below the band', { pricetype: 'SL-M', action: 'SELL', trigger_price: 400 }],
    ['a part of a lot', { symbol: 'NIFTY24NOV26FUT', exchange: 'NFO', product: 'NRML', quantity: 10 }],
    ['an index', { symbol: 'NIFTY', exchange: 'NSE_INDEX' }],
    ['an index, carried', { symbol: 'NIFTY', exchange: 'NSE_INDEX', product: 'NRML' }],
    ['shares in NRML', { product: 'NRML' }],
    ['a contract in CNC', { symbol: 'NIFTY24NOV26FUT', exchange: 'NFO', product: 'CNC', quantity: 65 }],
    [
      'more than the freeze quantity',
      { symbol: 'NIFTY24NOV26FUT', exchange: 'NFO', product: 'NRML', quantity: 3510 },
    ],
  ] as const

  test('for each rule', async () => {
    const desk = await TestDesk.open()
    for (const [name, fields] of REFUSED) {
      const payload = payloadOf(fields)
      const texts: unknown[] = []
      for (const analyze of [false, true]) {
        await desk.service.settings.setAnalyzeMode(analyze)
        const { body } = await desk.settled(desk.place(payload))
        expect(body, name).toMatchObject({ status: 'error' })
        const dry = await desk.settled(desk.orders.single.preview(payload, { userId: USER, source: 'api' }))
        const checks = dry.body.checks as { ok: boolean; message?: string }[]
        texts.push(body.message, ...checks.flatMap(({ message, ok }) => (ok ? [] : [message])))
      }
      const numbers = (text: unknown) => String(text).replace(/\([\d.]+\)$/, '')
      expect(texts, name).toHaveLength(4)
      expect(new Set(texts.map(numbers)).size, name).toBe(1)
    }
  })
})

test('a change to a price outside the band is refused in both modes with the same text', async () => {
  const desk = await TestDesk.open()
  const texts: unknown[] = []
  for (const analyze of [false, true]) {
    await desk.service.settings.setAnalyzeMode(analyze)
    const placed = await desk.settled(desk.place({ pricetype: 'LIMIT', price: 700 }))
    const { underlying_ltp: _, ...line } = payloadOf({ pricetype: 'LIMIT', price: 400 })
    const change: ModifyOrderPayload = { ...line, orderid: String(placed.body.orderid) }
    texts.push((await desk.settled(desk.orders.changes.modify(change, CALLER))).body.message)
  }
  expect(texts).toEqual(
    Array(2).fill(expect.stringMatching(/^Price 400\.00 is outside the day's price band/)),
  )
})

test('a stored order may have a price outside the band of this day, in both modes', async () => {
  const desk = await TestDesk.open()
  for (const analyze of [false, true]) {
    await desk.service.settings.setAnalyzeMode(analyze)
    const { body } = await desk.settled(desk.orders.gtts.place(GTT, CALLER))
    expect(body).toMatchObject({ status: 'success' })
  }
})

test('a dry run keeps to the band that Zerodha tells, in both modes', async () => {
  const kite = await KiteDesk.start()
  const desk = await kite.desk()
  const quotesAsked = () => kite.fake.requests.filter((one) => one.startsWith('GET /quote')).length
  for (const analyze of [false, true]) {
    await desk.service.settings.setAnalyzeMode(analyze)
    const close = kite.fake.prices.get('NSE:SBIN')?.close ?? 0
    const checksAt = async (price: number) => {
      const { body } = await desk.settled(
        desk.orders.single.preview(payloadOf({ pricetype: 'LIMIT', price }), CALLER),
      )
      return JSON.stringify(body.checks)
    }
    expect(await checksAt(Math.floor(close * 1.2))).toContain('is outside the day')
    expect(await checksAt(Math.floor(close * 0.8))).toContain('is outside the day')
    expect(await checksAt(Math.floor(close))).not.toContain('is outside the day')
  }
  expect(quotesAsked()).toBeGreaterThan(0)
})
