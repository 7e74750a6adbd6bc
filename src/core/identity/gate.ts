import { ServiceError } from '../errors/index.js'

/**
 * Lets a few pieces of work run at a time and the rest wait, in lanes of bounded length. A free place goes to the
 * first lane that has someone waiting, in the order in which the lanes were given.
 */
export class Gate<Lane extends string> {
  readonly #limit: number
  readonly #lanes: ReadonlyMap<Lane, { bound: number; queue: (() => void)[] }>
  #running = 0

  /** @param lanes how many may wait in each */
  constructor(limit: number, lanes: Record<Lane, number>) {
    this.#limit = limit
    const entries = Object.entries<number>(lanes) as [Lane, number][]
    this.#lanes = new Map(entries.map(([lane, bound]) => [lane, { bound, queue: [] }]))
  }

  /** Runs `work` when its turn comes. @throws ServiceError `unavailable` when its lane is full. */
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
      throw new ServiceError('unavailable', 'Too many credentials wait to be checked; try again shortly.', {
        retryAfterSeconds: 1,
      })
    }
    return new Promise((resolve) => waiting.queue.push(resolve))
  }

  /** Hands the place on, or frees it. */
  #leave(): void {
    const lane = [...this.#lanes.values()].find(({ queue }) => queue.length > 0)
    const next = lane?.queue.shift()
    if (next) next()
    else this.#running -= 1
  }
}
