import { expect, it } from 'vitest'
import { credible } from '../../../../../src/core/brokers/kit/feed/credible-tick.js'
import { TickMerger } from '../../../../../src/core/brokers/kit/feed/tick-merger.js'
import type { Tick } from '../../../../../src/core/market/schema.js'

const NOW = 99
const TICK: Tick = {
  ...{ symbol: 'INFY', exchange: 'NSE', ltp: 1500, bid: 1499.95, ask: 1500.05, bidSize: 10, askSize: 10 },
  ...{ open: 1490, high: 1510, low: 1480, prevClose: 1495, volume: 1000, oi: 0, timestamp: 1 },
  ...{ lastQuantity: 1, averagePrice: 1499, totalBuyQuantity: 100, totalSellQuantity: 100 },
  depth: { buy: [{ price: 1499.95, quantity: 10, orders: 1 }], sell: [] },
}
const WRONG = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0.05]

it('a tick is credible as it comes, without a price, and with the dearest ones', () => {
  for (const tick of [TICK, { ...TICK, ltp: 0, bid: 0, ask: 0 }, { ...TICK, ltp: 9_000_000 }])
    expect(credible(tick, NOW)).toEqual({ value: tick, fault: undefined })
})

it('nothing of a tick counts whose price cannot be true', () => {
  for (const ltp of [...WRONG, 1e12, 3.4e38])
    expect(credible({ ...TICK, ltp }, NOW)).toEqual({ value: undefined, fault: 'the price' })
})

it.each([
  ['bid', 'the bid'],
  ['ask', 'the ask'],
  ['open', 'the open'],
  ['high', 'the high'],
  ['low', 'the low'],
  ['prevClose', 'the previous close'],
  ['averagePrice', 'the average price'],
])('a tick with a wrong %s counts without it', (field, fault) => {
  for (const value of [...WRONG, 1e12, 3.4e38])
    expect(credible({ ...TICK, [field]: value }, NOW)).toEqual({ value: { ...TICK, [field]: 0 }, fault })
})

it.each([
  ['volume', 'the volume'],
  ['oi', 'the open interest'],
  ['bidSize', 'the quantity bid'],
  ['askSize', 'the quantity asked'],
  ['lastQuantity', 'the last quantity'],
  ['totalBuyQuantity', 'the quantity of all buyers'],
  ['totalSellQuantity', 'the quantity of all sellers'],
])('a tick with a wrong %s counts without it', (field, fault) => {
  for (const value of WRONG)
    expect(credible({ ...TICK, [field]: value }, NOW)).toEqual({ value: { ...TICK, [field]: 0 }, fault })
})

it('of an order book the levels before the first wrong one count', () => {
  const level = (price: number, quantity = 10) => ({ price, quantity, orders: 1 })
  const buy = [level(1499), level(1498, -1), level(1497)]
  const sell = [level(-1501), level(1502)]
  expect(credible({ ...TICK, depth: { buy, sell } }, NOW)).toEqual({
    value: { ...TICK, depth: { buy: [level(1499)], sell: [] } },
    fault: 'the order book',
  })
})

it('a wrong time is that of the arrival, and several faults leave out several fields', () => {
  expect(credible({ ...TICK, timestamp: Number.NaN, oi: -1, bid: -1 }, NOW)).toEqual({
    value: { ...TICK, timestamp: NOW, oi: 0, bid: 0 },
    fault: 'the bid',
  })
})

it('what cannot be true of a part changes nothing of what is known', () => {
  const merger = new TickMerger<string>()
  merger.merge('INFY', { prevClose: 1495, oi: 7 })
  expect(merger.merge('INFY', { ltp: -5, oi: 8 })).toBeUndefined()
  expect(merger.merge('INFY', { prevClose: 1e30 })).toBeUndefined()
  expect(merger.merge('INFY', { ltp: 1500 })).toEqual({ ltp: 1500, prevClose: 1495, oi: 7 })
  expect(merger.merge('INFY', { ltp: 1501, oi: -1, prevClose: Number.NaN })).toEqual({
    ltp: 1501,
    prevClose: 1495,
    oi: 7,
  })
  const depth = {
    buy: [{ price: 1500, quantity: 1, orders: 1 }],
    sell: [{ price: -1, quantity: 1, orders: 1 }],
  }
  expect(merger.merge('INFY', { ltp: 1502, depth })).toMatchObject({
    ltp: 1502,
    depth: { buy: depth.buy, sell: [] },
  })
  expect(merger.merge('INFY', { oi: -1 })).toBeUndefined()
})
