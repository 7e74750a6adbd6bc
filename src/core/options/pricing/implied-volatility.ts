import { greeks, type OptionTerms, price } from './black76.js'

/** The range of volatilities that is searched, as fractions per year. */
const LOWEST = 1e-6
const HIGHEST = 100
const FIRST_GUESS = 0.3
/** Far finer than the two decimals of a percentage that the API shows. */
const TOLERANCE = 1e-10
const MAX_STEPS = 200

/**
 * Returns the volatility at which the formula gives this price. Returns undefined if there is none: the price
 * is below the discounted payoff or above the discounted forward. The search keeps the root between two
 * bounds. It takes Newton's step if that stays within the bounds, and bisects otherwise and every third time,
 * so it always finds an existing root.
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
