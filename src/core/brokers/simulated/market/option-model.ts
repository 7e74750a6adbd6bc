import { normalCdf } from '../../../maths/index.js'

/** Annual interest rate for the carry of futures and the discount of options. */
export const RATE = 0.065
export const YEAR_SECONDS = 365 * 86_400

/**
 * Returns the price of a European option on a forward by Black's formula (1976). `years` is the time to
 * expiry.
 */
export function black76(
  right: 'CE' | 'PE',
  forward: number,
  strike: number,
  volatility: number,
  years: number,
): number {
  const discount = Math.exp(-RATE * Math.max(0, years))
  const deviation = volatility * Math.sqrt(Math.max(0, years))
  if (deviation <= 0) return discount * Math.max(0, right === 'CE' ? forward - strike : strike - forward)
  const d1 = Math.log(forward / strike) / deviation + deviation / 2
  const d2 = d1 - deviation
  return right === 'CE'
    ? discount * (forward * normalCdf(d1) - strike * normalCdf(d2))
    : discount * (strike * normalCdf(-d2) - forward * normalCdf(-d1))
}

/**
 * Returns the implied volatility of a strike: a smile with a skew, as in index options, where puts below the
 * money cost more. The distance from the forward is in standard deviations, limited to three.
 */
export function smile(atTheMoney: number, forward: number, strike: number, years: number): number {
  const deviation = atTheMoney * Math.sqrt(Math.max(years, 1 / 365))
  const moneyness = Math.max(-3, Math.min(3, Math.log(strike / forward) / deviation))
  return atTheMoney * (1 - 0.03 * moneyness + 0.03 * moneyness * moneyness)
}
