import { messageOf } from '../../../errors/index.js'
import { type RowsFirst, storedWith } from '../../../storage/index.js'
import type { RunEffect, RunOrder } from '../../engine/messages.js'
import type { Run } from '../../engine/types.js'
import { unrecordedEvents } from '../order-news.js'
import type { RunPorts } from '../ports.js'
import type { NewRunEvent, OrderRowChange, RunEnd, RunWrite, StoredClosure } from '../store/run-rows.js'
import type { RunStore } from '../store/run-store.js'

interface ChangeWriterParts extends Pick<RunPorts, 'clock' | 'log' | 'publish'> {
  run: Pick<Run, 'checkpoint' | 'definition' | 'snapshot'>
  userId: string
  store: Pick<RunStore, 'apply'>
  /** The legs of the orders that the run placed or was restored with. */
  legs: ReadonlyMap<string, number>
  /** Called after an end of the run is stored and published. A run that a late fill opened again ends again. */
  onEnd(): void
}

/** A change that the disk refused. */
interface Unwritten {
  write: RunWrite
  /** Events about the refusal. They are published already and are stored with the change. */
  published: readonly NewRunEvent[]
}

/**
 * Stores the changes of one run, each in one transaction, and publishes them after their commit. It keeps a change that
 * the disk refuses, and stores no later change before it. Its callers run {@link store} and {@link storeUnwritten} one
 * after another: two at the same time would store a change twice.
 */
export class ChangeWriter {
  readonly #parts: ChangeWriterParts
  /** Changes that the disk refused, oldest first. */
  readonly #unwritten: Unwritten[] = []

  constructor(parts: ChangeWriterParts) {
    this.#parts = parts
  }

  /** Returns everything that effects of the engine store, together with the news about orders that caused them. */
  writeOf(effects: readonly RunEffect[], changes: readonly OrderRowChange[]): RunWrite {
    const { clock, run, userId } = this.#parts
    const { definition } = run
    const { runId, strategyId } = definition
    const at = clock.now()
    const orders: RunOrder[] = []
    const closures: StoredClosure[] = []
    const events: NewRunEvent[] = []
    let stop: RunWrite['stop'] = null
    let end: RunEnd | null = null
    let reopenedAt: number | null = null
    let checkpoint: RunWrite['checkpoint'] = null
    for (const effect of effects) {
      if (effect.type === 'place') orders.push(effect.order)
      else if (effect.type === 'event') events.push({ strategyId, runId, userId, ts: at, ...effect.event })
      else if (effect.type === 'closed_elsewhere')
        closures.push({ orderRef: effect.orderId, quantity: effect.quantity })
      else if (effect.type === 'stop_requested') stop = { reason: effect.reason, at: effect.at }
      else if (effect.type === 'finished') end = effect
      else if (effect.type === 'reopened') reopenedAt = effect.at
      else if (effect.type === 'checkpoint') checkpoint = { definition, checkpoint: run.checkpoint(at) }
    }
    return { strategyId, runId, at, orders, changes, closures, events, stop, end, reopenedAt, checkpoint }
  }

  /**
   * Stores a change and publishes it. Keeps a change that the disk refuses for {@link storeUnwritten}.
   * @param first rows of the caller that are stored with it
   * @returns whether the change is stored
   */
  async store(write: RunWrite, first: RowsFirst | undefined): Promise<boolean> {
    const { changes, checkpoint, end, events, orders, stop } = write
    if (orders.length + changes.length + events.length === 0 && !stop && !end && !checkpoint) {
      // Who gave the rows sees the failure.
      await first?.store().catch(() => undefined)
      return true
    }
    try {
      // News about an order must not be stored before its row.
      await this.storeUnwritten()
      if (this.#unwritten.length > 0) throw new Error('an earlier change is not stored yet')
      await storedWith(first, (rows) => this.#parts.store.apply(write, rows))
    } catch (error) {
      this.#keep(write, error)
      return false
    }
    this.#afterCommit(write)
    return true
  }

  /** Stores the changes that the disk refused earlier, up to the first one that it refuses again. */
  async storeUnwritten(): Promise<void> {
    for (let first = this.#unwritten[0]; first; first = this.#unwritten[0]) {
      const { published, write } = first
      try {
        await this.#parts.store.apply({ ...write, events: [...write.events, ...published] })
      } catch {
        return
      }
      this.#unwritten.shift()
      this.#afterCommit(write)
    }
  }

  /**
   * Keeps a change that the disk refused. The events about the refusal are published at once: a person should learn of the
   * fault while it lasts.
   */
  #keep(write: RunWrite, error: unknown): void {
    const { legs, log, userId } = this.#parts
    log.error('strategy_run.not_stored', { run: write.runId, error: messageOf(error) })
    // An entry without a row is never sent, so it needs none later.
    const exits = write.orders.filter(({ kind }) => kind !== 'entry')
    const unrecorded = unrecordedEvents(write, userId, legs)
    this.#unwritten.push({ write: { ...write, orders: exits }, published: unrecorded })
    this.#guarded(() => this.#publishEvents(unrecorded))
  }

  #afterCommit(write: RunWrite): void {
    this.#guarded(() => this.#publish(write))
    if (write.end) this.#parts.onEnd()
  }

  /** A failure to publish must not keep the stored orders from being sent. */
  #guarded(publish: () => void): void {
    const { log, run } = this.#parts
    try {
      publish()
    } catch (error) {
      log.error('strategy_run.not_published', { run: run.definition.runId, error: messageOf(error) })
    }
  }

  #publish({ changes, end, events, orders, runId, stop, strategyId }: RunWrite): void {
    const { publish, run, userId } = this.#parts
    this.#publishEvents(events)
    for (const change of changes) publish.order(userId, strategyId, runId, change)
    if (end || stop || orders.length > 0) publish.run(userId, run.snapshot())
  }

  #publishEvents(events: readonly NewRunEvent[]): void {
    const { publish, userId } = this.#parts
    for (const event of events) publish.event(userId, event)
  }
}
