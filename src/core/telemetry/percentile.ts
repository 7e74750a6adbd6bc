/**
 * A percentile by linear interpolation: rank r = p/100 × (n − 1), value x[floor r] plus the fraction of the step
 * to the next. `valueAt` gives the sorted values by index from 0, so that a caller need only fetch the two it asks
 * for ({@link percentileIndexes}). 0 when there are no values.
 */
export function percentile(p: number, n: number, valueAt: (index: number) => number): number {
  if (n === 0) return 0
  const rank = (p / 100) * (n - 1)
  const [lower, upper] = percentileIndexes(p, n)
  const low = valueAt(lower)
  return low + (rank - lower) * (valueAt(upper) - low)
}

/** The indexes between which a percentile of `n` values lies. */
export function percentileIndexes(p: number, n: number): [number, number] {
  const lower = Math.floor((p / 100) * (n - 1))
  return [lower, Math.min(lower + 1, n - 1)]
}
