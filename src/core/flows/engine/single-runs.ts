import { PublicError, ServiceError } from '../../errors/index.js'
import type { Cancellation } from './cancellation.js'
import type { RunOutcome } from './walk.js'

/** Runs of graphs that are not stored. They end when the service stops. */
export class SingleRuns {
  readonly #running = new Map<Cancellation, Promise<RunOutcome>>()
  #stopping = false

  /**
   * Starts a run. Throws before it begins; a run that has begun does not reject. @throws ServiceError
   * `unavailable` while the service stops
   */
  run(cancellation: Cancellation, begin: () => Promise<RunOutcome>): Promise<RunOutcome> {
    if (this.#stopping) {
      throw new ServiceError('unavailable', 'The service is stopping.', { retryAfterSeconds: 1 })
    }
    const outcome = begin().finally(() => this.#running.delete(cancellation))
    this.#running.set(cancellation, outcome)
    return outcome
  }

  /** Refuses new runs, cancels the current ones and waits for their end. */
  async stop(): Promise<void> {
    this.#stopping = true
    for (const cancellation of this.#running.keys()) {
      cancellation.cancel(new PublicError('The service is stopping'))
    }
    await Promise.all(this.#running.values())
  }
}
