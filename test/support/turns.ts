import { readFileSync } from 'node:fs'
import { collect } from './collector.js'

const STATISTICS = '/proc/thread-self/schedstat'

/**
 * Returns the processor time of this thread in milliseconds. Unlike a clock it does not advance while other programs have
 * the processor.
 */
export const threadTime: () => number = ofThread() ?? (() => process.cpuUsage().user / 1000)

function ofThread(): (() => number) | undefined {
  const read = () => Number(readFileSync(STATISTICS, 'latin1').split(' ', 1)[0]) / 1e6
  try {
    return read() > 0 ? read : undefined
  } catch {
    // Not Linux: the time of all threads is too long, never too short.
    return undefined
  }
}

/** A piece of work, and the longest turn of the event loop meanwhile, in milliseconds of the processor. */
export interface Watched<T> {
  result: T
  longestMs: number
}

/**
 * Does a piece of work and measures the longest turn of the event loop meanwhile. The collector clears the memory of other
 * tests before, so that it does not do so in a turn that is measured.
 */
export async function watched<T>(work: () => Promise<T>): Promise<Watched<T>> {
  collect()
  let [longestMs, last, isRunning] = [0, threadTime(), true]
  const turn = () => {
    const now = threadTime()
    longestMs = Math.max(longestMs, now - last)
    last = now
    if (isRunning) setImmediate(turn)
  }
  setImmediate(turn)
  try {
    const result = await work()
    turn()
    return { result, longestMs }
  } finally {
    isRunning = false
  }
}

/** The time that {@link slowness} takes on the machine for which limits are written. */
const USUAL_MS = 20

/** Returns how many times slower this machine is than the one for which limits are written; at least 1. */
export function slowness(): number {
  const rows = JSON.stringify(
    Array.from({ length: 20_000 }, (_, at) => ({ symbol: `SYM${at}`, price: at / 3 })),
  )
  const attempts = Array.from({ length: 5 }, () => {
    const begunAt = threadTime()
    JSON.stringify(JSON.parse(rows))
    return threadTime() - begunAt
  })
  return Math.max(1, Math.min(...attempts) / USUAL_MS)
}
