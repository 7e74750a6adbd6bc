import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { analyse, rounded, roundedGreeks } from '../../../../src/core/options/pricing/analytics.js'
import { greeks, type OptionTerms, price } from '../../../../src/core/options/pricing/black76.js'
import { impliedVolatility } from '../../../../src/core/options/pricing/implied-volatility.js'

const CALL: OptionTerms = { type: 'CE', forward: 25966.05, strike: 26000, rate: 0, years: 28.5071 / 365 }

describe('published check values', () => {
  it('without interest', () => {
    const found = analyse(CALL, 435)
    expect(found.impliedVolatility).toBeCloseTo(15.5964, 4)
    expect(found.greeks.delta).toBeCloseTo(0.49674, 5)
    expect(found.greeks.gamma).toBeCloseTo(0.00035248, 8)
    expect(roundedGreeks(found.greeks)).toEqual({
      delta: 0.4967,
      gamma: 0.000352,
      theta: -7.919,
      vega: 28.9489,
      rho: -0.339742,
    })
  })

  it('with seven per cent', () => {
    const found = analyse({ ...CALL, rate: 0.07 }, 435)
    expect(found.impliedVolatility).toBeCloseTo(15.6788, 4)
    expect(found.greeks.delta).toBeCloseTo(0.49413, 5)
    expect(found.greeks.theta).toBeCloseTo(-7.83405, 5)
  })

  it('of a put', () => {
    const years = (1787652000 - 1786356402) / 31_536_000
    const found = analyse({ type: 'PE', forward: 24580, strike: 24650, rate: 0, years }, 329.1)
    expect(found.impliedVolatility).toBeCloseTo(14.7096, 4)
    expect(found.greeks.delta).toBeCloseTo(-0.53207, 5)
    expect(roundedGreeks(found.greeks)).toMatchObject({ gamma: 0.000543, theta: -9.717, vega: 19.8115 })
  })
})

const terms = fc.record<OptionTerms>({
  type: fc.constantFrom('CE', 'PE'),
  forward: fc.double({ min: 50, max: 100_000, noNaN: true }),
  strike: fc.double({ min: 50, max: 100_000, noNaN: true }),
  rate: fc.double({ min: 0, max: 0.2, noNaN: true }),
  years: fc.double({ min: 0.0001, max: 3, noNaN: true }),
})
const volatility = fc.double({ min: 0.01, max: 3, noNaN: true })

describe('the formula', () => {
  it('keeps the parity of calls and puts', () => {
    fc.assert(
      fc.property(terms, volatility, (option, sigma) => {
        const call = price({ ...option, type: 'CE' }, sigma)
        const put = price({ ...option, type: 'PE' }, sigma)
        const parity = Math.exp(-option.rate * option.years) * (option.forward - option.strike)
        expect(Math.abs(call - put - parity)).toBeLessThan(1e-7 * (option.forward + option.strike))
      }),
    )
  })

  it('has the derivatives that its Greeks state, in their units', () => {
    const option: OptionTerms = { type: 'PE', forward: 24580, strike: 24650, rate: 0.06, years: 0.08 }
    const sigma = 0.15
    const found = greeks(option, sigma)
    const slope = (of: (step: number) => number, step: number) => (of(step) - of(-step)) / (2 * step)
    const byForward = (step: number) => price({ ...option, forward: option.forward + step }, sigma)
    const byRate = (step: number) => price({ ...option, rate: option.rate + step }, sigma)
    const byTime = (step: number) => price({ ...option, years: option.years - step }, sigma)
    expect(found.delta).toBeCloseTo(slope(byForward, 0.01), 6)
    expect(found.gamma).toBeCloseTo(
      slope((step) => greeks({ ...option, forward: option.forward + step }, sigma).delta, 0.01),
      8,
    )
    expect(found.vega).toBeCloseTo(slope((step) => price(option, sigma + step), 1e-5) / 100, 4)
    expect(found.rho).toBeCloseTo(slope(byRate, 1e-5) / 100, 6)
    expect(found.theta).toBeCloseTo(slope(byTime, 1e-6) / 365, 4)
  })
})

describe('implied volatility', () => {
  it('reproduces the price it was computed from, if there is one', () => {
    fc.assert(
      fc.property(terms, volatility, (option, sigma) => {
        const target = price(option, sigma)
        const found = impliedVolatility(option, target)
        // If a double cannot distinguish the price from the payoff, there is no volatility to find.
        if (found === undefined) expect(greeks(option, sigma).vega).toBeLessThan(1e-6)
        else expect(Math.abs(price(option, found) - target)).toBeLessThan(1e-6 * option.forward)
      }),
      { numRuns: 2000 },
    )
  })

  it('finds the volatility itself if the price depends on it', () => {
    fc.assert(
      fc.property(terms, volatility, (option, sigma) => {
        fc.pre(greeks(option, sigma).vega > option.forward * 1e-4)
        expect(impliedVolatility(option, price(option, sigma))).toBeCloseTo(sigma, 6)
      }),
      { numRuns: 1000 },
    )
  })

  it('is the same from wherever the search begins', () => {
    fc.assert(
      fc.property(
        terms,
        volatility,
        fc.double({ min: 1e-6, max: 100, noNaN: true }),
        (option, sigma, near) => {
          fc.pre(greeks(option, sigma).vega > option.forward * 1e-4)
          const target = price(option, sigma)
          expect(impliedVolatility(option, target, near)).toBeCloseTo(sigma, 6)
        },
      ),
      { numRuns: 2000 },
    )
  })

  it.each([
    ['below the payoff', 3.9, 104, 100],
    ['above the forward', 104.1, 104, 100],
    ['not a number', Number.NaN, 104, 100],
  ])('is undefined for a price %s', (_what, optionPrice, forward, strike) => {
    const option: OptionTerms = { type: 'CE', forward, strike, rate: 0, years: 0.1 }
    expect(impliedVolatility(option, optionPrice)).toBeUndefined()
  })
})

describe('an option whose price implies no volatility', () => {
  const base = { rate: 0, years: 0.05 }
  const none = { gamma: 0, theta: 0, vega: 0, rho: 0 }
  it.each([
    ['a call worth its payoff', { type: 'CE', forward: 120, strike: 100 }, 20, 1, 'no_time_value'],
    ['a put worth less than its payoff', { type: 'PE', forward: 80, strike: 100 }, 19.5, -1, 'no_time_value'],
    [
      'a call less than a hundredth above it',
      { type: 'CE', forward: 120, strike: 100 },
      20.009,
      1,
      'no_time_value',
    ],
    [
      'a call that costs more than its forward',
      { type: 'CE', forward: 90, strike: 100 },
      91,
      0,
      'unsolvable',
    ],
    ['the same in the money', { type: 'CE', forward: 110, strike: 100 }, 111, 1, 'unsolvable'],
  ] as const)('has the Greeks of its payoff: %s', (_what, option, optionPrice, delta, theoretical) => {
    const found = analyse({ ...option, ...base }, optionPrice)
    expect(found).toMatchObject({ impliedVolatility: 0, greeks: { delta, ...none }, theoretical })
  })
})

it('rounds like toFixed', () => {
  const decimals = fc.constantFrom(2, 4, 6)
  const any = fc.double({ noNaN: true, min: -1e15, max: 1e15 })
  const usual = fc.double({ noNaN: true, min: -1e5, max: 1e5 })
  // Numbers just at, below and above the middle of two results.
  const halves = fc
    .tuple(fc.integer({ min: -1e6, max: 1e6 }), decimals, fc.constantFrom(-1, 0, 1))
    .map(([whole, places, side]) => ((whole + 0.5) / 10 ** places) * (1 + side * Number.EPSILON))
  fc.assert(
    fc.property(fc.oneof(any, usual, halves), decimals, (value, places) => {
      expect(rounded(value, places)).toBe(Number(value.toFixed(places)) + 0)
    }),
    { numRuns: 5000 },
  )
  expect(rounded(Number.NaN, 2)).toBeNaN()
  expect(rounded(Number.POSITIVE_INFINITY, 2)).toBe(Number.POSITIVE_INFINITY)
})
