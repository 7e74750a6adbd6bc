const ATTEMPTS = 5

/** Returns the duration of some work, in milliseconds. */
export function timed(work: () => void): number {
  const begunAt = performance.now()
  work()
  return performance.now() - begunAt
}

/**
 * Returns the shortest of a few measured durations, in milliseconds, and stops at the first one within the
 * limit. Other work on the machine only makes a duration longer: one attempt within the limit proves that the
 * code can keep it, and faulty code keeps it in no attempt.
 */
export async function leastTime(limitMs: number, attempt: () => number | Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let count = 1; count <= ATTEMPTS && least > limitMs; count++) least = Math.min(least, await attempt())
  return least
}
