import { messageOf } from '../../errors/index.js'
import type { Logger } from '../../logging/index.js'
import type { Clock, Timer } from '../../time/index.js'
import { DAY_MS } from '../../time/index.js'
import type { FlowStore } from '../store.js'

const COUNT_AFTER_MS = 1000
const SWEEP_EVERY_MS = 3_600_000

interface RetentionParts {
  store: FlowStore
  clock: Clock
  log: Logger
  /** The newest runs to keep per workflow, and for how many days; 0 means no limit. */
  keepRuns: number
  keepDays: number
}

/** Removes old runs in the background: surplus runs soon after a run, expired runs every hour. */
export class RunRetention {
  readonly #parts: RetentionParts
  readonly #ran = new Set<number>()
  #countTimer: Timer | undefined
  #sweepTimer: Timer | undefined
  #stopped = false

  constructor(parts: RetentionParts) {
    this.#parts = parts
  }

  /** Removes expired runs of these workflows now and every hour. */
  async start(workflowIds: () => readonly number[]): Promise<void> {
    if (this.#parts.keepDays === 0) return
    this.#sweepTimer = this.#parts.clock.setInterval(() => void this.#sweep(workflowIds()), SWEEP_EVERY_MS)
    await this.#sweep(workflowIds())
  }

  /** Schedules the removal of surplus runs after a run of a workflow. */
  runEnded(workflowId: number): void {
    const { clock, keepRuns, store } = this.#parts
    if (keepRuns === 0) return
    this.#ran.add(workflowId)
    this.#countTimer ??= clock.setTimeout(() => {
      this.#countTimer = undefined
      const ids = [...this.#ran]
      this.#ran.clear()
      void this.#logFailure(store.pruneByCount(ids, keepRuns))
    }, COUNT_AFTER_MS)
  }

  stop(): void {
    this.#stopped = true
    this.#parts.clock.clear(this.#countTimer)
    this.#parts.clock.clear(this.#sweepTimer)
  }

  async #sweep(workflowIds: readonly number[]): Promise<void> {
    const { clock, keepDays, store } = this.#parts
    const before = clock.ago(keepDays * DAY_MS)
    for (const id of workflowIds) {
      if (this.#stopped) return
      await this.#logFailure(store.pruneByAge(id, before))
    }
  }

  /** Logs a failed removal. Rows that stay too long do no harm. */
  async #logFailure(pruning: Promise<void>): Promise<void> {
    await pruning.catch((error: unknown) => {
      this.#parts.log.warn('flow.prune_failed', { error: messageOf(error) })
    })
  }
}
