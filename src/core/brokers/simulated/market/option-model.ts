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

/**
 * Returns the cumulative normal distribution in double precision (Hart's rational approximation, after West
 * 2005).
 */
function normalCdf(x: number): number {
  const z = Math.abs(x)
  if (z > 37) return x > 0 ? 1 : 0
  const density = Math.exp((-z * z) / 2)
  const tail = z < 7.07106781186547 ? density * hartRatio(z) : density / (tailFraction(z) * 2.506628274631)
  return x > 0 ? 1 - tail : tail
}

function hartRatio(z: number): number {
  let top = 3.52624965998911e-2 * z + 0.700383064443688
  top = top * z + 6.37396220353165
  top = top * z + 33.912866078383
  top = top * z + 112.079291497871
  top = top * z + 221.213596169931
  top = top * z + 220.206867912376
  let bottom = 8.83883476483184e-2 * z + 1.75566716318264
  bottom = bottom * z + 16.064177579207
  bottom = bottom * z + 86.7807322029461
  bottom = bottom * z + 296.564248779674
  bottom = bottom * z + 637.333633378831
  bottom = bottom * z + 793.826512519948
  bottom = bottom * z + 440.413735824752
  return top / bottom
}

function tailFraction(z: number): number {
  return z + 1 / (z + 2 / (z + 3 / (z + 4 / (z + 0.65))))
}
