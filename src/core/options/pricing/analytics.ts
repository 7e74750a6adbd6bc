import { type Greeks, greeks, intrinsicValue, type OptionTerms } from './black76.js'
import { impliedVolatility } from './implied-volatility.js'

/** A time value below this counts as none. */
const MIN_TIME_VALUE = 0.01

interface OptionAnalytics {
  /** Percent per year; 0 if the price implies none. */
  impliedVolatility: number
  greeks: Greeks
  intrinsic: number
  timeValue: number
  /** The reason to take the Greeks from the payoff alone; undefined if they come from a volatility. */
  theoretical: 'no_time_value' | 'unsolvable' | undefined
}

/**
 * Returns the implied volatility and Greeks of an option at its market price.
 * @param near a volatility (fraction per year) that is probably close
 */
export function analyse(terms: OptionTerms, optionPrice: number, near?: number): OptionAnalytics {
  const intrinsic = intrinsicValue(terms)
  const timeValue = optionPrice - intrinsic
  const rest = { intrinsic, timeValue }
  if (timeValue <= 0 || (intrinsic > 0 && timeValue < MIN_TIME_VALUE)) {
    return { impliedVolatility: 0, greeks: ofPayoff(terms), ...rest, theoretical: 'no_time_value' }
  }
  const volatility = impliedVolatility(terms, optionPrice, near)
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

/** Returns the Greeks of the bare payoff: delta 1 or -1 in the money, 0 out of it. */
function ofPayoff(terms: OptionTerms): Greeks {
  const delta = intrinsicValue(terms) === 0 ? 0 : terms.type === 'CE' ? 1 : -1
  return { delta, gamma: 0, theta: 0, vega: 0, rho: 0 }
}

export const NO_GREEKS: Greeks = { delta: 0, gamma: 0, theta: 0, vega: 0, rho: 0 }

/** Rounds Greeks to the decimals the public API shows. */
export function roundedGreeks({ delta, gamma, theta, vega, rho }: Greeks): Greeks {
  return {
    delta: rounded(delta, 4),
    gamma: rounded(gamma, 6),
    theta: rounded(theta, 4),
    vega: rounded(vega, 4),
    rho: rounded(rho, 6),
  }
}

/** Returns a number with so many decimals, like `toFixed`. */
export function rounded(value: number, decimals: number): number {
  const factor = POWERS_OF_TEN[decimals] ?? 10 ** decimals
  const scaled = value * factor
  const whole = Math.round(scaled)
  // Near the middle of two results, and beyond the whole numbers of a double, only the exact digits decide.
  const isClear = Math.abs(scaled) < EXACT && Math.abs(Math.abs(scaled - whole) - 0.5) > DOUBTFUL
  // Plus zero: no result is a negative zero.
  return (isClear ? whole / factor : Number(value.toFixed(decimals))) + 0
}

const POWERS_OF_TEN = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6]
const EXACT = 2 ** 40
const DOUBTFUL = 1e-3
