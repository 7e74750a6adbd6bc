import { ServiceError } from '../errors/index.js'

/**
 * Runs a limited number of tasks at a time; the others wait in lanes of bounded length. A free slot goes to
 * the first lane with a waiting task, in the order of the lanes given.
 */
export class ConcurrencyLimit<Lane extends string> {
  readonly #limit: number
  readonly #lanes: ReadonlyMap<Lane, { bound: number; queue: (() => void)[] }>
  #running = 0

  /** @param lanes the maximum number of waiting tasks per lane */
  constructor(limit: number, lanes: Record<Lane, number>) {
    this.#limit = limit
    const entries = Object.entries<number>(lanes) as [Lane, number][]
    this.#lanes = new Map(entries.map(([lane, bound]) => [lane, { bound, queue: [] }]))
  }

  /** Runs `work` when a slot is free. @throws ServiceError `unavailable` when its lane is full. */
  async run<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    await this.#enter(lane)
    try {
      return await work()
    } finally {
      this.#leave()
    }
  }

  #enter(lane: Lane): Promise<void> | undefined {
    if (this.#running < this.#limit) {
      this.#running += 1
      return undefined
    }
    const waiting = this.#lanes.get(lane)
    if (!waiting || waiting.queue.length >= waiting.bound) {
      throw new ServiceError('unavailable', 'Too many sign-ins are being checked; try again shortly.', {
        retryAfterSeconds: 1,
      })
    }
    return new Promise((resolve) => waiting.queue.push(resolve))
  }

  /** Passes the slot to the next task, or frees it. */
  #leave(): void {
    const lane = [...this.#lanes.values()].find(({ queue }) => queue.length > 0)
    const next = lane?.queue.shift()
    if (next) next()
    else this.#running -= 1
  }
}
