import { describe, expect, test } from 'vitest'
import { orderProblem, type RuledOrder, triggerProblem } from '../../../src/core/instruments/index.js'
import { payloadOf, TestDesk, USER } from '../../support/desk/desk.js'

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

describe('the sandbox, a dry run and the exchange refuse the same orders with the same text', () => {
  test.each([
    ['a price between two ticks', { pricetype: 'LIMIT', price: 800.02 }],
    ['a trigger between two ticks', { pricetype: 'SL-M', trigger_price: 850.01 }],
    ['a stop that would trigger at once', { pricetype: 'SL-M', trigger_price: 400 }],
    ['a stop on the wrong side of its limit', { pricetype: 'SL', price: 840, trigger_price: 850 }],
    ['a part of a lot', { symbol: 'NIFTY24NOV26FUT', exchange: 'NFO', product: 'NRML', quantity: 10 }],
    [
      'more than the freeze quantity',
      { symbol: 'NIFTY24NOV26FUT', exchange: 'NFO', product: 'NRML', quantity: 3510 },
    ],
  ] as const)('%s', async (_name, fields) => {
    const desk = await TestDesk.open()
    const payload = payloadOf(fields)
    const texts: unknown[] = []
    for (const analyze of [false, true]) {
      await desk.service.settings.setAnalyzeMode(analyze)
      const { body } = await desk.settled(desk.place(payload))
      expect(body).toMatchObject({ status: 'error' })
      const dry = await desk.settled(desk.orders.single.preview(payload, { userId: USER, source: 'api' }))
      const checks = dry.body.checks as { ok: boolean; message?: string }[]
      texts.push(body.message, ...checks.flatMap(({ message, ok }) => (ok ? [] : [message])))
    }
    const numbers = (text: unknown) => String(text).replace(/\([\d.]+\)$/, '')
    expect(texts).toHaveLength(4)
    expect(new Set(texts.map(numbers)).size).toBe(1)
  })
})
