import { greeks, type OptionTerms, price } from './black76.js'

/** Volatilities looked at, as fractions a year. */
const LOWEST = 1e-6
const HIGHEST = 100
const FIRST_GUESS = 0.3
/** Far finer than the two decimals of a percentage that are shown. */
const TOLERANCE = 1e-10
const MAX_STEPS = 200

/**
 * The volatility at which the formula gives this price; undefined when none does (a price below the discounted
 * payoff or above the discounted forward). The root stays between two bounds all the way: Newton's step where
 * it stays inside, a halving where it does not and every third time, so it is found wherever there is one.
 */
export function impliedVolatility(terms: OptionTerms, optionPrice: number): number | undefined {
  if (!(price(terms, LOWEST) <= optionPrice && optionPrice <= price(terms, HIGHEST))) return undefined
  let low = LOWEST
  let high = HIGHEST
  let guess = FIRST_GUESS
  for (let step = 1; step <= MAX_STEPS && high - low > TOLERANCE; step++) {
    const missed = price(terms, guess) - optionPrice
    if (missed === 0) return guess
    if (missed < 0) low = guess
    else high = guess
    const next = guess - missed / (greeks(terms, guess).vega * 100)
    if (Math.abs(next - guess) < TOLERANCE) return next
    guess = step % 3 !== 0 && next > low && next < high ? next : (low + high) / 2
  }
  return (low + high) / 2
}
