import { expect, it } from 'vitest'
import { faultOfTick } from '../../../../../src/core/brokers/kit/feed/credible-tick.js'
import { TickMerger } from '../../../../../src/core/brokers/kit/feed/tick-merger.js'
import type { Tick } from '../../../../../src/core/market/schema.js'

const TICK: Tick = {
  ...{ symbol: 'INFY', exchange: 'NSE', ltp: 1500, bid: 1499.95, ask: 1500.05, bidSize: 10, askSize: 10 },
  ...{ open: 1490, high: 1510, low: 1480, prevClose: 1495, volume: 1000, oi: 0, timestamp: 1 },
  ...{ lastQuantity: 1, averagePrice: 1499, totalBuyQuantity: 100, totalSellQuantity: 100 },
  depth: { buy: [{ price: 1499.95, quantity: 10, orders: 1 }], sell: [] },
}
const WRONG = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0.05]

it('a tick is credible as it comes, without a price, and with the dearest ones', () => {
  expect(faultOfTick(TICK)).toBeUndefined()
  expect(faultOfTick({ ...TICK, ltp: 0, bid: 0, ask: 0 })).toBeUndefined()
  expect(faultOfTick({ ...TICK, ltp: 9_000_000 })).toBeUndefined()
  expect(faultOfTick({ oi: 7 })).toBeUndefined()
})

it.each(['ltp', 'bid', 'ask', 'open', 'high', 'low', 'prevClose'])('is not with a wrong %s', (field) => {
  for (const value of [...WRONG, 1e12, 3.4e38])
    expect(faultOfTick({ ...TICK, [field]: value })).toBe('a price')
})

it.each(['volume', 'oi', 'bidSize', 'askSize', 'lastQuantity', 'totalBuyQuantity', 'totalSellQuantity'])(
  'is not with a wrong %s',
  (field) => {
    for (const value of WRONG) expect(faultOfTick({ ...TICK, [field]: value })).toBe('a quantity')
  },
)

it('is not with a wrong level or time', () => {
  const sell = [{ price: -1, quantity: 10, orders: 1 }]
  expect(faultOfTick({ ...TICK, depth: { buy: [], sell } })).toBe('the order book')
  expect(faultOfTick({ ...TICK, timestamp: Number.NaN })).toBe('the time')
})

it('a part that cannot be true changes nothing of what is known', () => {
  const merger = new TickMerger<string>()
  merger.merge('INFY', { prevClose: 1495 })
  expect(merger.merge('INFY', { ltp: -5 })).toBeUndefined()
  expect(merger.merge('INFY', { prevClose: 1e30 })).toBeUndefined()
  expect(merger.merge('INFY', { ltp: 1500 })).toEqual({ ltp: 1500, prevClose: 1495 })
})
