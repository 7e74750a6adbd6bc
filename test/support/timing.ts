const ATTEMPTS = 3

/** How long some work takes, in milliseconds. */
export function timed(work: () => void): number {
  const begunAt = performance.now()
  work()
  return performance.now() - begunAt
}

/**
 * The least of a few measured durations, in milliseconds; it ends with the first within the limit. Whatever else the
 * machine does only ever adds to a duration: one attempt that keeps a promise shows that it can be kept, and what is
 * at fault keeps it in none.
 */
export async function leastTime(limitMs: number, attempt: () => number | Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let count = 1; count <= ATTEMPTS && least > limitMs; count++) least = Math.min(least, await attempt())
  return least
}
