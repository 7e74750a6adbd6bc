import { normalCdf, normalDensity } from '../../maths/index.js'

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
  const root = Math.sqrt(years)
  const discount = Math.exp(-rate * years)
  const deviation = volatility * root
  const d1 = Math.log(forward / strike) / deviation + deviation / 2
  const density = normalDensity(d1)
  const sign = type === 'CE' ? 1 : -1
  const chance = normalCdf(sign * d1, density)
  const value = discount * sign * (forward * chance - strike * normalCdf(sign * (d1 - deviation)))
  return {
    delta: discount * sign * chance,
    gamma: (discount * density) / (forward * deviation),
    theta: (rate * value - (forward * discount * density * volatility) / (2 * root)) / 365,
    vega: (forward * discount * density * root) / 100,
    rho: (-years * value) / 100,
  }
}
