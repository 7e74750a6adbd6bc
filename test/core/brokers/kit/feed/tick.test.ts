import { expect, it } from 'vitest'
import { Units } from '../../../../../src/core/brokers/kit/books/units.js'
import { tickOf } from '../../../../../src/core/brokers/kit/feed/tick.js'

const SBIN = { symbol: 'SBIN', exchange: 'NSE', name: 'SBIN' }
const GOLDM = { symbol: 'GOLDM31JAN30FUT', exchange: 'MCX', name: 'GOLDM' }
const UNITS = new Units(new Set(['MCX']))

it('what a feed does not tell is 0, and a tick without an order book has none', () => {
  const tick = tickOf(UNITS, SBIN, { ltp: 800, open: undefined }, 7)
  expect(tick).toMatchObject({ symbol: 'SBIN', exchange: 'NSE', ltp: 800, timestamp: 7 })
  const { symbol, exchange, ltp, timestamp, ...rest } = tick
  expect(new Set(Object.values(rest))).toEqual(new Set([0]))
  expect('depth' in tick).toBe(false)
})

it('every quantity is in units, also those of the order book, whose best levels are bid and ask', () => {
  const level = (price: number) => ({ price, quantity: 2, orders: 1 })
  const depth = { buy: [level(99), level(98)], sell: [level(101)] }
  const counts = { volume: 3, oi: 4, lastQuantity: 1, totalBuyQuantity: 5, totalSellQuantity: 6 }
  const lot = UNITS.unitsOf(GOLDM, 1)
  expect(lot).toBeGreaterThan(1)
  expect(tickOf(UNITS, GOLDM, { ltp: 100, ...counts, depth }, 7)).toMatchObject({
    bid: 99,
    ask: 101,
    bidSize: 2 * lot,
    askSize: 2 * lot,
    volume: 3 * lot,
    oi: 4 * lot,
    lastQuantity: lot,
    totalBuyQuantity: 5 * lot,
    totalSellQuantity: 6 * lot,
    depth: { buy: [{ price: 99, quantity: 2 * lot, orders: 1 }, { quantity: 2 * lot }] },
  })
})
