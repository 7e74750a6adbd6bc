import type { Clock } from './clock.js'

/**
 * The longest that work goes on before others get the thread, in milliseconds. A stop loss waits for this slice and one more
 * step of the work.
 */
const SLICE_MS = 10

const waiting: (() => void)[] = []

/**
 * Resolves in a later turn of the event loop. Each turn resumes one caller of all that wait, so that many pieces of long
 * work together delay orders and ticks no longer than one.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(resumeOne)
  })
}

function resumeOne(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(resumeOne)
}

/**
 * Lets others go first while long work goes on: after {@link SLICE_MS}, and after a number of units of work, because a test's
 * clock stands still while the work is done.
 */
export class Pace {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #most: number
  #units = 0
  #since: number

  /** @param most the units of work of one turn; the caller says what a unit is */
  constructor(clock: Pick<Clock, 'monotonic'>, most: number) {
    this.#clock = clock
    this.#most = most
    this.#since = clock.monotonic()
  }

  /** Counts work that was done. Returns the promise to wait for when it is the turn of others. */
  spend(units = 1): Promise<void> | undefined {
    this.#units += units
    const isDue = this.#units >= this.#most || this.#clock.monotonic() - this.#since >= SLICE_MS
    return isDue ? this.#turn() : undefined
  }

  async #turn(): Promise<void> {
    this.#units = 0
    await nextTurn()
    this.#since = this.#clock.monotonic()
  }
}

/** Returns the results of a function for each item; lets others go first in between. */
export async function mapInTurns<T, R>(
  items: Iterable<T>,
  pace: Pace,
  work: (item: T) => R | Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  for (const item of items) {
    results.push(await work(item))
    await pace.spend()
  }
  return results
}
