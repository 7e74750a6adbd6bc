import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { OrderRecord } from '../../../../src/client/answers/records.js'
import {
  crossingAt,
  type LadderFacts,
  nextOrderBelow,
  ordersAt,
  priceAt,
  rungsFrom,
  ticksAt,
  topFor,
} from '../../../../src/tui/market/ladder/rungs.js'

const LIMIT: OrderRecord = {
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'BUY',
  quantity: 10,
  filled_quantity: 4,
  pending_quantity: 6,
  price: 812.55,
  trigger_price: 0,
  average_price: 0,
  pricetype: 'LIMIT',
  product: 'MIS',
  orderid: '1',
  order_status: 'open',
  rejection_reason: '',
  timestamp: '2026-11-27 11:00:00',
  mode: 'analyze',
}
const STOP: OrderRecord = {
  ...LIMIT,
  ...{ orderid: '2', action: 'SELL', pricetype: 'SL', price: 809.9, trigger_price: 810, quantity: 6 },
  ...{ filled_quantity: 0, order_status: 'trigger pending' },
}
const TICK = 0.05

const level = (price: number, quantity: number) => ({ price, quantity })
const FACTS: LadderFacts = {
  tick: TICK,
  quote: {
    ltp: 812.6,
    depth: {
      buy: [level(812.55, 120), level(812.45, 80)],
      sell: [level(812.65, 200), level(0, 0)],
    },
  },
  orders: [LIMIT, STOP, { ...LIMIT, orderid: '3' }, { ...LIMIT, orderid: '4', order_status: 'complete' }],
  average: 812.5,
}

describe('prices in ticks', () => {
  it.each([0.05, 0.01, 1, 0.0025, 0.5])('are exact at a tick of %s', (tick) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000_000 }), (ticks) => {
        expect(ticksAt(priceAt(ticks, tick), tick)).toBe(ticks)
        expect(String(priceAt(ticks, tick)).length).toBeLessThan(14)
      }),
    )
  })
})

describe('the rungs', () => {
  const at = (price: number) => ticksAt(price, TICK)

  it('go down by a tick, with the book, the own orders that wait, the last price and the average', () => {
    const rows = rungsFrom(at(812.65), 5, FACTS)
    const base = { bid: 0, ask: 0, buys: 0, sells: 0, isLast: false, isAverage: false }
    expect(rows).toEqual([
      { ...base, ticks: 16253, price: 812.65, ask: 200 },
      { ...base, ticks: 16252, price: 812.6, isLast: true },
      { ...base, ticks: 16251, price: 812.55, bid: 120, buys: 12 },
      { ...base, ticks: 16250, price: 812.5, isAverage: true },
      { ...base, ticks: 16249, price: 812.45, bid: 80 },
    ])
  })

  it('have a stop at its trigger', () => {
    expect(rungsFrom(at(810), 1, FACTS)).toMatchObject([{ sells: 6, buys: 0 }])
    expect(ordersAt(FACTS.orders, at(810), TICK)).toEqual([STOP])
  })

  it('have a stop that has triggered at its limit', () => {
    const triggered = { ...STOP, order_status: 'open' }
    expect(ordersAt([triggered], at(809.9), TICK)).toEqual([triggered])
    expect(ordersAt([triggered], at(810), TICK)).toEqual([])
  })

  it.each([
    [900, 812.55],
    [812.55, 810],
    [810, 812.55],
    [1, 812.55],
  ])('lead from %d to the next own order at %d', (from, to) => {
    expect(nextOrderBelow(FACTS.orders, at(from), TICK)).toBe(at(to))
    expect(nextOrderBelow([], at(from), TICK)).toBeUndefined()
  })

  it('end above zero', () => {
    expect(rungsFrom(2, 10, FACTS).map(({ price }) => price)).toEqual([0.1, 0.05])
  })
})

describe('the window', () => {
  it('begins with the cursor in the middle, and moves no more than the cursor asks for', () => {
    expect(topFor(1000, 11, undefined)).toBe(1005)
    expect(topFor(1000, 11, 1005)).toBe(1005)
    expect(topFor(1007, 11, 1005)).toBe(1007)
    expect(topFor(990, 11, 1005)).toBe(1000)
  })

  it('always has the cursor in it', () => {
    const positive = fc.integer({ min: 1, max: 100_000 })
    fc.assert(
      fc.property(
        positive,
        fc.integer({ min: 1, max: 60 }),
        fc.option(positive, { nil: undefined }),
        (cursor, height, before) => {
          const top = topFor(cursor, height, before)
          expect(top).toBeGreaterThanOrEqual(cursor)
          expect(top - height).toBeLessThan(cursor)
        },
      ),
    )
  })
})

describe('a limit order at a price', () => {
  it.each([
    [812.7, 'BUY'],
    [812.65, 'BUY'],
    [812.6, undefined],
    [812.55, 'SELL'],
    [800, 'SELL'],
  ])('of %d would fill at once: %s', (price, side) => {
    expect(crossingAt(ticksAt(price, TICK), FACTS)).toBe(side)
  })

  it('has nothing to fill against in an empty book', () => {
    expect(crossingAt(1, { ...FACTS, quote: { ltp: 812 } })).toBeUndefined()
  })
})
