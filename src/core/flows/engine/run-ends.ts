import { messageOf, ServiceError } from '../../errors/index.js'
import type { Logger } from '../../logging/index.js'
import type { Clock, Timer } from '../../time/index.js'
import type { ExecutionRow, FlowStore } from '../store.js'

/** Delay before storing refused ends again. */
const RETRY_MS = 1_000
/** Most waiting ends that keep their log. Later ones wait without it, so that memory stays bounded. */
const WAITING_WITH_LOG = 200

/**
 * Stores the ends of runs. If the disk refuses one, keeps it in memory and retries until it is stored. Until
 * then readers get the end from here, because the row on disk still says `running`.
 */
export class RunEnds {
  readonly #store: Pick<FlowStore, 'saveExecution'>
  readonly #clock: Clock
  readonly #log: Logger
  readonly #waiting = new Map<number, ExecutionRow>()
  #retry: Timer | undefined

  constructor(parts: { store: Pick<FlowStore, 'saveExecution'>; clock: Clock; log: Logger }) {
    this.#store = parts.store
    this.#clock = parts.clock
    this.#log = parts.log
  }

  /** Returns the end of a run that is not stored yet. */
  waiting(executionId: number): ExecutionRow | undefined {
    return this.#waiting.get(executionId)
  }

  /** Resolves once the end is stored, or kept for a retry. */
  async store(end: ExecutionRow): Promise<void> {
    try {
      await this.#store.saveExecution(end)
      this.#waiting.delete(end.id)
    } catch (error) {
      this.#refused(end, error)
    }
  }

  /** Tries one last time. The next start settles the rest. */
  async close(): Promise<void> {
    await this.#storeWaiting()
    this.#clock.clear(this.#retry)
    this.#retry = undefined
  }

  #refused(end: ExecutionRow, error: unknown): void {
    const facts = { workflowId: end.workflowId, executionId: end.id, error: messageOf(error) }
    // The workflow and its runs have been removed.
    if (!(error instanceof ServiceError)) {
      this.#waiting.delete(end.id)
      this.#log.warn('flow.run_end_dropped', facts)
      return
    }
    if (!this.#waiting.has(end.id)) this.#log.error('flow.run_end_not_stored', facts)
    const withLog = this.#waiting.has(end.id) || this.#waiting.size < WAITING_WITH_LOG
    this.#waiting.set(end.id, withLog ? end : { ...end, logs: '[]' })
    this.#retry ??= this.#clock.setTimeout(() => {
      this.#retry = undefined
      void this.#storeWaiting()
    }, RETRY_MS)
  }

  async #storeWaiting(): Promise<void> {
    await Promise.all([...this.#waiting.values()].map((end) => this.store(end)))
  }
}
