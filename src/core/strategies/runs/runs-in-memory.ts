import type { Run, RunOrder } from '../engine/index.js'
import { ActiveRun, type RunFeed } from './active-run.js'
import type { RunPorts } from './ports.js'
import { KEPT_FINISHED, type RunStore } from './store/run-store.js'

/** The user of a run, and the broker at which it began, or the sandbox. */
export interface RunOwner {
  userId: string
  broker: string
}

interface MemoryParts
  extends Pick<RunPorts, 'calendar' | 'clock' | 'compareSoon' | 'log' | 'orders' | 'publish'> {
  store: RunStore
  feed: RunFeed
  /** Resolves when the runs of the last process are restored. */
  restored: Promise<void>
  /** Returns the end of a comparison of the account that exits should know before they leave; undefined if there is none. */
  beforeExit(exits: readonly RunOrder[]): Promise<void> | undefined
  /** Called when a run is added, to the unfinished ones or to those that are over. */
  onAdded(): void
  /** Called when the end of a run is durable. The run is kept for its late fills by then. */
  onFinished(run: ActiveRun): void
}

/**
 * Keeps the runs in memory: the unfinished one of each strategy, and the newest ones that are over, which may still get a
 * late fill. A run is unfinished until its end is durable.
 */
export class RunsInMemory {
  readonly #parts: MemoryParts
  readonly #active = new Map<number, ActiveRun>()
  readonly #finished: ActiveRun[] = []
  readonly #byOrder = new Map<string, ActiveRun>()

  constructor(parts: MemoryParts) {
    this.#parts = parts
  }

  /** Adds an unfinished run: from now on it is the run of its strategy. */
  activate(run: Run, owner: RunOwner): ActiveRun {
    const active = this.#make(run, owner, false)
    this.#active.set(active.strategyId, active)
    this.#parts.onAdded()
    return active
  }

  /** Adds a run that was over before the service started, for its late fills. */
  keepEnded(run: Run, owner: RunOwner): ActiveRun {
    const ended = this.#make(run, owner, true)
    this.#keep(ended)
    return ended
  }

  /** Returns the unfinished run of a strategy. */
  of(strategyId: number): ActiveRun | undefined {
    return this.#active.get(strategyId)
  }

  /** Returns whether a run of a strategy that is over squares off a fill that came late. */
  isSquaringOff(strategyId: number): boolean {
    return this.#finished.some((run) => run.strategyId === strategyId && run.isOpen)
  }

  /** Returns the run that placed an order. */
  ofOrder(orderRef: string): ActiveRun | undefined {
    return this.#byOrder.get(orderRef)
  }

  /** Returns whether a run is in memory, unfinished or over. */
  has(runId: number): boolean {
    return this.all().some((run) => run.runId === runId)
  }

  get unfinished(): ActiveRun[] {
    return [...this.#active.values()]
  }

  /** The runs that are over, oldest first. The list is live: a run that ends later is appended. */
  get finished(): readonly ActiveRun[] {
    return this.#finished
  }

  /** Returns the unfinished runs, then those that are over. */
  all(): ActiveRun[] {
    return [...this.#active.values(), ...this.#finished]
  }

  get isEmpty(): boolean {
    return this.#active.size + this.#finished.length === 0
  }

  /**
   * Returns which of these references belong to orders of any run, in memory or stored. An exit has a row later than an
   * order at the broker if the disk refused it.
   */
  async knownOf(orderRefs: readonly string[]): Promise<Set<string>> {
    const inMemory = orderRefs.filter((ref) => this.#byOrder.has(ref))
    const others = orderRefs.filter((ref) => !this.#byOrder.has(ref))
    const stored = others.length === 0 ? [] : await this.#parts.store.knownOf(others)
    return new Set([...inMemory, ...stored])
  }

  /** Resolves when every input of the runs until now is stored and its orders are answered. */
  async settled(): Promise<void> {
    await Promise.all(this.all().map((run) => run.settled()))
  }

  #make(run: Run, owner: RunOwner, hasEnded: boolean): ActiveRun {
    const { beforeExit, calendar, clock, compareSoon, feed, log, orders, publish, restored, store } =
      this.#parts
    const made = new ActiveRun(run, {
      calendar,
      clock,
      compareSoon,
      log,
      orders,
      publish,
      ...owner,
      hasEnded,
      store,
      feed,
      restored,
      beforeExit,
      onOrder: (orderRef) => this.#byOrder.set(orderRef, made),
      onFinished: () => this.#onFinished(made),
    })
    return made
  }

  #onFinished(run: ActiveRun): void {
    if (this.#active.get(run.strategyId) === run) this.#active.delete(run.strategyId)
    this.#keep(run)
    this.#parts.onFinished(run)
  }

  /** Keeps a run that is over, for its late fills. The oldest flat one makes room. */
  #keep(run: ActiveRun): void {
    this.#finished.push(run)
    this.#parts.onAdded()
    if (this.#finished.length <= KEPT_FINISHED) return
    const oldest = this.#finished.findIndex(({ isOpen }) => !isOpen)
    if (oldest >= 0) this.#forget(this.#finished.splice(oldest, 1)[0])
  }

  #forget(run: ActiveRun | undefined): void {
    if (!run) return
    for (const ref of run.orderRefs) this.#byOrder.delete(ref)
    this.#parts.orders.changes.forget(run.orderRefs)
  }
}
