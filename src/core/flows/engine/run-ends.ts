import { messageOf, ServiceError } from '../../errors/index.js'
import type { Logger } from '../../logging/index.js'
import type { Clock, Timer } from '../../time/index.js'
import type { ExecutionRow, FlowStore } from '../store.js'

/** Between two attempts to store ends that the disk refused. */
const RETRY_MS = 1_000
/** Ends that keep the lines of their log while they wait. Those after them are kept without, so that memory is bounded. */
const WAITING_WITH_LOG = 200

/**
 * Stores how runs ended. An end that the disk refuses is kept and tried again until it is stored, and told to whoever
 * asks meanwhile: the row on the disk still says that the run is under way.
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

  /** The end of a run that is not stored yet. */
  waiting(executionId: number): ExecutionRow | undefined {
    return this.#waiting.get(executionId)
  }

  /** Resolves once it is stored, or kept for another attempt. */
  async store(end: ExecutionRow): Promise<void> {
    try {
      await this.#store.saveExecution(end)
      this.#waiting.delete(end.id)
    } catch (error) {
      this.#refused(end, error)
    }
  }

  /** Tries for the last time. A restart settles what is left. */
  async close(): Promise<void> {
    await this.#storeWaiting()
    this.#clock.clear(this.#retry)
    this.#retry = undefined
  }

  #refused(end: ExecutionRow, error: unknown): void {
    const facts = { workflowId: end.workflowId, executionId: end.id, error: messageOf(error) }
    // The workflow was removed meanwhile, and its runs with it.
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
