import { ServiceError } from '../../../errors/index.js'

/**
 * Runs the starts, the signals and the releases of a strategy one after another, so that the second of two entries finds
 * the run that the first has opened. Strategies do not wait for each other.
 */
export class StrategyQueue {
  readonly #last = new Map<number, Promise<unknown>>()
  #isStopped = false

  /**
   * Runs work after all earlier work of the strategy, also after work that failed.
   * @throws ServiceError `unavailable` once the turns are stopped
   */
  take<T>(strategyId: number, work: () => Promise<T>): Promise<T> {
    if (this.#isStopped) throw new ServiceError('unavailable', 'The service is stopping')
    const before = this.#last.get(strategyId) ?? Promise.resolve()
    const result = before.then(work)
    const tail = result
      .catch(() => undefined)
      .finally(() => {
        if (this.#last.get(strategyId) === tail) this.#last.delete(strategyId)
      })
    this.#last.set(strategyId, tail)
    return result
  }

  /** Returns whether work of a strategy waits or is under way. */
  isBusy(strategyId: number): boolean {
    return this.#last.has(strategyId)
  }

  /** Takes no more work. Resolves when all work has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#last.values())
  }
}

/** Counts the requests to stop each strategy: a signal that came before one opens no run after it. */
export class StopRequests {
  readonly #counts = new Map<number, number>()

  note(strategyId: number): void {
    this.#counts.set(strategyId, this.#of(strategyId) + 1)
  }

  /** Returns a question: was the strategy asked to stop after now? */
  since(strategyId: number): () => boolean {
    const before = this.#of(strategyId)
    return () => this.#of(strategyId) !== before
  }

  #of(strategyId: number): number {
    return this.#counts.get(strategyId) ?? 0
  }
}
