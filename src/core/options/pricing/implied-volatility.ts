import { normalCdf, normalDensity } from '../../maths/index.js'
import { greeks, type OptionTerms, price } from './black76.js'

/** The range of volatilities that is searched, as fractions per year. */
const LOWEST = 1e-6
const HIGHEST = 100
const FIRST_GUESS = 0.3
/** Far finer than the two decimals of a percentage that the API shows. */
const TOLERANCE = 1e-10
const MAX_STEPS = 200

/** The range in which Newton's steps alone are tried first: that of a market that is neither closed nor mad. */
const USUAL = { lowest: 0.01, highest: 5 }
const MAX_NEWTON_STEPS = 8
/** The smallest vega, as a fraction of the forward, whose step is exact enough. */
const SMALLEST_VEGA = 1e-6

/**
 * Returns the volatility at which the formula gives this price. Returns undefined if there is none: the price
 * is below the discounted payoff or above the discounted forward.
 * @param near a volatility that is probably close, such as that of the next strike; it only saves steps
 */
export function impliedVolatility(
  terms: OptionTerms,
  optionPrice: number,
  near = FIRST_GUESS,
): number | undefined {
  return byNewton(terms, optionPrice, near) ?? bySearch(terms, optionPrice)
}

/** Returns undefined where Newton's steps do not converge soon: the price is out of range, or barely depends on it. */
function byNewton(terms: OptionTerms, optionPrice: number, near: number): number | undefined {
  const { forward, strike, rate, years } = terms
  const sign = terms.type === 'CE' ? 1 : -1
  const root = Math.sqrt(years)
  const discount = Math.exp(-rate * years)
  const distance = Math.log(forward / strike)
  const smallest = forward * SMALLEST_VEGA
  let guess = near
  for (let step = 0; step < MAX_NEWTON_STEPS; step++) {
    const deviation = guess * root
    const d1 = distance / deviation + deviation / 2
    const density = normalDensity(d1)
    const payoff = forward * normalCdf(sign * d1, density) - strike * normalCdf(sign * (d1 - deviation))
    const vega = forward * discount * density * root
    const next = guess - (discount * sign * payoff - optionPrice) / vega
    if (!(vega > smallest && next > USUAL.lowest && next < USUAL.highest)) return undefined
    if (Math.abs(next - guess) < TOLERANCE) return next
    guess = next
  }
  return undefined
}

/**
 * Keeps the root between two bounds. Takes Newton's step if that stays within the bounds, and bisects otherwise and
 * every third time, so it always finds an existing root.
 */
function bySearch(terms: OptionTerms, optionPrice: number): number | undefined {
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
