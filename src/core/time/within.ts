import type { Clock } from './clock.js'

/** Returns what `work` resolves with, or undefined if it takes longer than `limitMs`. A late failure is ignored. */
export function within<T>(clock: Clock, limitMs: number, work: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const limit = clock.setTimeout(() => resolve(undefined), limitMs)
    work.then(resolve, reject).finally(() => clock.clear(limit))
  })
}
