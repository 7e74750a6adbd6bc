import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type PayoffLeg,
  payoffOf,
  payoffPoints,
  payoffRange,
  profitAt,
} from '../../../src/views/market/payoff.js'

const option = (
  action: PayoffLeg['action'],
  kind: 'CE' | 'PE',
  strike: number,
  price: number,
  quantity = 65,
): PayoffLeg => ({ action, kind, strike, price, quantity })

const FUTURE: PayoffLeg = { action: 'BUY', kind: 'FUT', price: 26_040.5, quantity: 65 }

describe('the payoff at expiry', () => {
  test('a bought call loses its premium at most, and gains without limit', () => {
    expect(payoffOf([option('BUY', 'CE', 26_000, 125.4)])).toEqual({
      breakEvens: [26_125.4],
      best: 'unlimited',
      worst: -8151,
      premium: -8151,
    })
  })

  test('a sold put loses down to a price of zero', () => {
    expect(payoffOf([option('SELL', 'PE', 26_000, 100)])).toEqual({
      breakEvens: [25_900],
      best: 6500,
      worst: -1_683_500,
      premium: 6500,
    })
  })

  test('a sold straddle has two break-evens, and loses without limit', () => {
    const legs = [option('SELL', 'CE', 26_000, 100), option('SELL', 'PE', 26_000, 90)]
    expect(payoffOf(legs)).toEqual({
      breakEvens: [25_810, 26_190],
      best: 12_350,
      worst: 'unlimited',
      premium: 12_350,
    })
    expect(profitAt(legs, 26_190)).toBe(0)
  })

  test('a spread is limited on both sides', () => {
    const legs = [option('BUY', 'CE', 26_000, 100), option('SELL', 'CE', 26_200, 40)]
    expect(payoffOf(legs)).toEqual({ breakEvens: [26_060], best: 9100, worst: -3900, premium: -3900 })
  })

  test('a future has no premium, and a put below it limits its loss', () => {
    expect(payoffOf([FUTURE])).toEqual({
      breakEvens: [26_040.5],
      best: 'unlimited',
      worst: -1_692_632.5,
      premium: 0,
    })
    const covered = payoffOf([FUTURE, option('BUY', 'PE', 26_000, 50)])
    expect(covered).toMatchObject({ best: 'unlimited', worst: -5882.5, premium: -3250 })
  })

  test('a result that is never anything but zero has no break-even', () => {
    const legs = [option('BUY', 'CE', 26_000, 100), option('SELL', 'CE', 26_000, 100)]
    expect(payoffOf(legs)).toEqual({ breakEvens: [], best: 0, worst: 0, premium: 0 })
  })

  test('a stretch of zeros has its ends as break-evens', () => {
    const legs = [option('BUY', 'CE', 100, 5, 1), option('SELL', 'CE', 110, 5, 1)]
    expect(payoffOf(legs).breakEvens).toEqual([100])
    const condor = [...legs, option('BUY', 'PE', 90, 3, 1), option('SELL', 'PE', 80, 3, 1)]
    expect(payoffOf(condor).breakEvens).toEqual([90, 100])
  })

  test('the prices of currencies add up without an error', () => {
    const legs = [option('BUY', 'CE', 83.25, 0.1025, 1000), option('SELL', 'CE', 83.5, 0.0325, 1000)]
    expect(payoffOf(legs)).toEqual({ breakEvens: [83.32], best: 180, worst: -70, premium: -70 })
  })

  test('the chart covers strikes, price and near break-evens, never a price below zero', () => {
    const legs = [option('SELL', 'CE', 26_000, 100), option('SELL', 'PE', 26_000, 90)]
    const { from, to } = payoffRange(legs, [25_810, 26_190], 26_050)
    expect(from).toBeLessThan(25_810)
    expect(to).toBeGreaterThan(26_190)
    const cheap = [option('BUY', 'PE', 1, 0.5, 1), option('BUY', 'CE', 9, 0.5, 1)]
    expect(payoffRange(cheap, [0.5, 500]).from).toBe(0)
    expect(payoffRange(cheap, [0.5, 500]).to).toBeLessThan(20)
  })
})

const tick = fc.integer({ min: 1, max: 40_000 }).map((ticks) => Math.round(ticks * 500) / 10_000)
const terms = { action: fc.constantFrom('BUY', 'SELL'), quantity: fc.integer({ min: 1, max: 5000 }) } as const
const anyOption = fc.record({
  ...terms,
  price: tick,
  kind: fc.constantFrom('CE', 'PE'),
  strike: fc.integer({ min: 1, max: 60 }).map((step) => step * 50),
})
const anyFuture = fc.record({ ...terms, price: tick, kind: fc.constant('FUT') })
const anyLegs = fc.array<PayoffLeg>(fc.oneof(anyOption, anyFuture), { minLength: 1, maxLength: 6 })
const anyPrice = fc.integer({ min: 0, max: 5000 })

const reversed = (legs: readonly PayoffLeg[]): PayoffLeg[] =>
  legs.map((leg) => ({ ...leg, action: leg.action === 'BUY' ? 'SELL' : 'BUY' }))
const lastSlope = (legs: readonly PayoffLeg[]) => profitAt(legs, 1_000_001) - profitAt(legs, 1_000_000)

describe('of any legs', () => {
  test('the result is the sum of the legs, and the other side has the opposite one', () => {
    fc.assert(
      fc.property(anyLegs, anyPrice, (legs, price) => {
        const sum = legs.reduce((all, leg) => all + profitAt([leg], price), 0)
        expect(profitAt(legs, price)).toBeCloseTo(sum, 4)
        expect(profitAt(reversed(legs), price)).toBe(-profitAt(legs, price) + 0)
      }),
    )
  })

  test('the opposite legs have the same break-evens, and the limits change places', () => {
    fc.assert(
      fc.property(anyLegs, (legs) => {
        const [own, other] = [payoffOf(legs), payoffOf(reversed(legs))]
        const negated = (limit: typeof own.best) => (limit === 'unlimited' ? limit : -limit + 0)
        expect(other).toEqual({
          breakEvens: own.breakEvens,
          best: negated(own.worst),
          worst: negated(own.best),
          premium: -own.premium + 0,
        })
      }),
    )
  })

  test('break-evens are zeros, in order, and every change of sign is at one of them', () => {
    fc.assert(
      fc.property(anyLegs, (legs) => {
        const { breakEvens } = payoffOf(legs)
        for (const price of breakEvens) expect(Math.abs(profitAt(legs, price))).toBeLessThan(1e-4)
        expect([...breakEvens].sort((one, next) => one - next)).toEqual(breakEvens)
        const edges = [0, ...breakEvens, Math.max(0, ...breakEvens) + 5000]
        for (const [index, to] of edges.entries()) {
          const from = edges[index - 1]
          if (from === undefined) continue
          const inside = [0.1, 0.3, 0.5, 0.7, 0.9].map((share) => profitAt(legs, from + share * (to - from)))
          const signs = new Set(inside.filter((one) => Math.abs(one) > 1e-4).map(Math.sign))
          expect(signs.size).toBeLessThanOrEqual(1)
        }
      }),
    )
  })

  test('a result is unlimited exactly when the line still rises or falls above all strikes', () => {
    fc.assert(
      fc.property(anyLegs, (legs) => {
        const { best, worst } = payoffOf(legs)
        const slope = Math.round(lastSlope(legs))
        expect(best === 'unlimited').toBe(slope > 0)
        expect(worst === 'unlimited').toBe(slope < 0)
      }),
    )
  })

  test('no result is better than the best or worse than the worst', () => {
    fc.assert(
      fc.property(anyLegs, anyPrice, (legs, price) => {
        const { best, worst } = payoffOf(legs)
        const profit = profitAt(legs, price)
        if (best !== 'unlimited') expect(profit).toBeLessThanOrEqual(best)
        if (worst !== 'unlimited') expect(profit).toBeGreaterThanOrEqual(worst)
      }),
    )
  })

  test('the points are on the line, in order, with each kink between the ends', () => {
    fc.assert(
      fc.property(anyLegs, anyPrice, (legs, from) => {
        const to = from + 1000
        const points = payoffPoints(legs, { from, to })
        expect(points[0]?.price).toBe(from)
        expect(points.at(-1)?.price).toBe(to)
        for (const [index, { price, profit }] of points.entries()) {
          const next = points[index + 1]
          expect(profit).toBe(profitAt(legs, price))
          if (next === undefined) continue
          expect(next.price).toBeGreaterThan(price)
          const middle = profitAt(legs, (price + next.price) / 2)
          expect(middle).toBeCloseTo((profit + next.profit) / 2, 3)
        }
      }),
    )
  })
})
