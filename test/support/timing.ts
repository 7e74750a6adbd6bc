import { threadTime } from './turns.js'

const ATTEMPTS = 5
/** The processor time of one look at the other work of the machine. */
const LOOK_MS = 30

/** Returns the duration of some work, in milliseconds. */
export function timed(work: () => void): number {
  const begunAt = performance.now()
  work()
  return performance.now() - begunAt
}

/** Returns how many times longer a computation takes now than on a machine without other work; at least 1. */
function slowdown(): number {
  const begunAt = threadTime()
  const took = timed(() => {
    while (threadTime() - begunAt < LOOK_MS);
  })
  return Math.max(1, took / (threadTime() - begunAt))
}

/**
 * Returns the shortest of a few measured durations, in milliseconds of a machine without other work, and stops at the
 * first one within the limit. Other work only makes a duration longer: one attempt within the limit proves that the code
 * can keep it, and faulty code keeps it in no attempt. It prints each attempt beyond the limit.
 */
export async function leastTime(limitMs: number, attempt: () => number | Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let count = 1; count <= ATTEMPTS && least > limitMs; count++) {
    const before = slowdown()
    const took = await attempt()
    const unladen = took / Math.max(before, slowdown())
    if (unladen > limitMs)
      process.stdout.write(`attempt ${count} took ${Math.round(unladen)} ms, the limit is ${limitMs} ms\n`)
    least = Math.min(least, unladen)
  }
  return least
}
