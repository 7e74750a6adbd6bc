import { covarianceOf, returnsOf, varianceOf } from './snapshots.js'
import { rounded } from './values.js'

/** Fewer common bars than this say nothing. */
export const LEAST_COMMON_BARS = 20

interface Series {
  readonly time: readonly number[]
  readonly close: readonly number[]
}

/**
 * Compares the returns of an instrument with those of its benchmark, over the bars that both have. Beta and correlation
 * are null with fewer than {@link LEAST_COMMON_BARS} of them, or if one of the prices does not move.
 */
export function correlationOf(one: Series, benchmark: Series) {
  const closes = new Map(benchmark.time.map((time, at) => [time, benchmark.close[at] ?? Number.NaN]))
  const common = one.time.flatMap((time, at) => {
    const [price, other] = [one.close[at], closes.get(time)]
    return price === undefined || other === undefined ? [] : [{ price, other }]
  })
  const returns = returnsOf(common.map(({ price }) => price))
  const others = returnsOf(common.map(({ other }) => other))
  if (common.length < LEAST_COMMON_BARS) return { bars: common.length, correlation: null, beta: null }
  const [covariance, spread, benchmarkSpread] = [
    covarianceOf(returns, others),
    varianceOf(returns),
    varianceOf(others),
  ]
  return {
    bars: common.length,
    correlation: rounded(covariance / Math.sqrt(spread * benchmarkSpread)),
    beta: rounded(covariance / benchmarkSpread),
  }
}
