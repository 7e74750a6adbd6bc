export type OptionType = 'CE' | 'PE'

/**
 * A European option on a forward. Rate and volatility are fractions per year; `years` is the time to expiry.
 */
export interface OptionTerms {
  type: OptionType
  forward: number
  strike: number
  rate: number
  years: number
}

/** Sensitivities in traders' units: see {@link greeks}. */
export interface Greeks {
  delta: number
  gamma: number
  theta: number
  vega: number
  rho: number
}

/**
 * Returns the price by Black's formula of 1976: `D (F N(d1) - K N(d2))` for a call. With zero volatility it
 * is the discounted payoff.
 */
export function price(terms: OptionTerms, volatility: number): number {
  const { type, forward, strike, rate, years } = terms
  const discount = Math.exp(-rate * years)
  const deviation = volatility * Math.sqrt(years)
  if (deviation <= 0) return discount * intrinsicValue(terms)
  const d1 = Math.log(forward / strike) / deviation + deviation / 2
  const d2 = d1 - deviation
  return type === 'CE'
    ? discount * (forward * normalCdf(d1) - strike * normalCdf(d2))
    : discount * (strike * normalCdf(-d2) - forward * normalCdf(-d1))
}

/** Returns the payoff of an immediate exercise. */
export function intrinsicValue({ type, forward, strike }: OptionTerms): number {
  return Math.max(0, type === 'CE' ? forward - strike : strike - forward)
}

/**
 * Returns the Greeks: delta per rupee of the forward, gamma per rupee of delta, theta per calendar day, vega
 * per one percent of volatility, rho per one percent of the rate.
 */
export function greeks(terms: OptionTerms, volatility: number): Greeks {
  const { type, forward, strike, rate, years } = terms
  const discount = Math.exp(-rate * years)
  const deviation = volatility * Math.sqrt(years)
  const d1 = Math.log(forward / strike) / deviation + deviation / 2
  const density = normalDensity(d1)
  const value = price(terms, volatility)
  return {
    delta: discount * (type === 'CE' ? normalCdf(d1) : -normalCdf(-d1)),
    gamma: (discount * density) / (forward * deviation),
    theta: (rate * value - (forward * discount * density * volatility) / (2 * Math.sqrt(years))) / 365,
    vega: (forward * discount * density * Math.sqrt(years)) / 100,
    rho: (-years * value) / 100,
  }
}

const SQRT_TWO_PI = Math.sqrt(2 * Math.PI)
/** Beyond this many standard deviations the tail is too small for a double. */
const FAR = 8.5

function normalDensity(x: number): number {
  return Math.exp((-x * x) / 2) / SQRT_TWO_PI
}

/**
 * Returns the cumulative normal distribution, computed by its power series (Marsaglia 2004) to about 1e-15.
 */
export function normalCdf(x: number): number {
  if (x <= -FAR) return 0
  if (x >= FAR) return 1
  let sum = x
  let term = x
  for (let odd = 3; ; odd += 2) {
    term *= (x * x) / odd
    const next = sum + term
    if (next === sum) return Math.min(1, Math.max(0, 0.5 + sum * normalDensity(x)))
    sum = next
  }
}
