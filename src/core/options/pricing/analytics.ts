import { type Greeks, greeks, intrinsicValue, type OptionTerms } from './black76.js'
import { impliedVolatility } from './implied-volatility.js'

/** Less than this above the payoff is no time value. */
const MIN_TIME_VALUE = 0.01

export interface OptionAnalytics {
  /** Percent a year; 0 where the price tells none. */
  impliedVolatility: number
  greeks: Greeks
  intrinsic: number
  timeValue: number
  /** Why the Greeks are those of the bare payoff, if they are. */
  theoretical: 'no_time_value' | 'unsolvable' | undefined
}

/** Volatility and Greeks of an option at its market price (contract, section 12). */
export function analyse(terms: OptionTerms, optionPrice: number): OptionAnalytics {
  const intrinsic = intrinsicValue(terms)
  const timeValue = optionPrice - intrinsic
  const rest = { intrinsic, timeValue }
  if (timeValue <= 0 || (intrinsic > 0 && timeValue < MIN_TIME_VALUE)) {
    return { impliedVolatility: 0, greeks: ofPayoff(terms), ...rest, theoretical: 'no_time_value' }
  }
  const volatility = impliedVolatility(terms, optionPrice)
  if (volatility === undefined) {
    return { impliedVolatility: 0, greeks: ofPayoff(terms), ...rest, theoretical: 'unsolvable' }
  }
  return {
    impliedVolatility: volatility * 100,
    greeks: greeks(terms, volatility),
    ...rest,
    theoretical: undefined,
  }
}

/** An option in the money moves with its underlying, one out of it does not move. */
function ofPayoff(terms: OptionTerms): Greeks {
  const delta = intrinsicValue(terms) === 0 ? 0 : terms.type === 'CE' ? 1 : -1
  return { delta, gamma: 0, theta: 0, vega: 0, rho: 0 }
}

export const NO_GREEKS: Greeks = { delta: 0, gamma: 0, theta: 0, vega: 0, rho: 0 }

/** Greeks to the decimals the interface shows. */
export function roundedGreeks({ delta, gamma, theta, vega, rho }: Greeks): Greeks {
  return {
    delta: rounded(delta, 4),
    gamma: rounded(gamma, 6),
    theta: rounded(theta, 4),
    vega: rounded(vega, 4),
    rho: rounded(rho, 6),
  }
}

export function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals))
}
