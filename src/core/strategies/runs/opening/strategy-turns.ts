import { ServiceError } from '../../../errors/index.js'

/**
 * Runs the starts, the signals and the releases of a strategy one after another, so that the second of two entries finds
 * the run that the first has opened. Strategies do not wait for each other.
 */
export class StrategyTurns {
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
