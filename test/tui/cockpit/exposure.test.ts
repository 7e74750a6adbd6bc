import { expect, it } from 'vitest'
import { exposureOf } from '../../../src/tui/cockpit/exposure.js'

const row = (symbol: string, quantity: number, ltp: number, more = {}) => ({
  id: `NSE:${symbol} MIS`,
  symbol,
  quantity,
  ltp,
  ...more,
})

it('adds long and short positions up, the largest first', () => {
  const { held, ...sums } = exposureOf([row('SBIN', 10, 750.25), row('INFY', -20, 1500), row('TCS', 0, 3000)])
  expect(held.map(({ symbol, side, value }) => [symbol, side, value])).toEqual([
    ['INFY', 'short', -30_000],
    ['SBIN', 'long', 7502.5],
  ])
  expect(sums).toEqual({ long: 7502.5, short: -30_000, unknown: 0 })
})

it('counts the units of a contract', () => {
  expect(exposureOf([row('BTC', 2, 100, { contract_value: 0.001 })]).long).toBe(0.2)
})

it('names what has no value: a position without a price, or of a contract without a settled size', () => {
  const { held, unknown } = exposureOf([
    row('SBIN', 10, 0),
    row('GOLD', 1, 100, { warning: 'size not settled' }),
  ])
  expect([held, unknown]).toEqual([[], 2])
})
