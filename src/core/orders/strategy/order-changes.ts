import { messageOf } from '../../errors/index.js'
import type { Logger } from '../../logging/index.js'
import type { Clock } from '../../time/index.js'
import type { StrategyOrderState } from './schema.js'

type StatesOf = (orderRefs: readonly string[]) => Promise<StrategyOrderState[]>
type Listener = (states: readonly StrategyOrderState[]) => void

const RETRY_MS = 1_000

/**
 * Reports changes of watched orders. The order path only adds references to a set. The states are then read
 * from disk, all changes of one moment in one query, so every report is durable and none is lost.
 */
export class OrderChanges {
  readonly #watched = new Set<string>()
  readonly #changed = new Set<string>()
  #listener: Listener = () => undefined
  #onOthers: () => void = () => undefined
  #delivering: Promise<void> | undefined
  #stopped = false

  constructor(
    private readonly statesOf: StatesOf,
    private readonly clock: Clock,
    private readonly log: Pick<Logger, 'error'>,
  ) {}

  /** Sets the listener. It is called with the states of orders that changed, after the commit. */
  listen(listener: Listener): void {
    this.#listener = listener
  }

  /** Sets a listener for changes of orders that nobody watches. It is called at once, and must not block. */
  listenToOthers(listener: () => void): void {
    this.#onOthers = listener
  }

  /** Notes that orders which nobody watches have changed. */
  noteOthers(): void {
    if (!this.#stopped) this.#onOthers()
  }

  watch(orderRefs: Iterable<string>): void {
    for (const ref of orderRefs) this.#watched.add(ref)
  }

  forget(orderRefs: Iterable<string>): void {
    for (const ref of orderRefs) {
      this.#watched.delete(ref)
      this.#changed.delete(ref)
    }
  }

  /** Notes orders that have changed. Returns at once. */
  note(orderRefs: readonly string[]): void {
    if (this.#watched.size === 0 || this.#stopped) return
    const own = orderRefs.filter((ref) => this.#watched.has(ref))
    for (const ref of own) this.#changed.add(ref)
    if (own.length < orderRefs.length) this.#onOthers()
    if (this.#changed.size > 0) this.#delivering ??= this.#deliver()
  }

  /** Notes the orders that a reading finds. A reading that fails is repeated until it succeeds. */
  async noteFound(find: () => Promise<readonly string[]>): Promise<void> {
    if (this.#stopped) return
    try {
      this.note(await find())
    } catch (error) {
      this.log.error('strategy_orders.read_failed', { error: messageOf(error) })
      this.clock.setTimeout(() => void this.noteFound(find), RETRY_MS)
    }
  }

  /** Resolves when every change until now is reported. */
  async settled(): Promise<void> {
    while (this.#delivering) await this.#delivering
  }

  /** Reports nothing more. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#delivering
  }

  async #deliver(): Promise<void> {
    // A turn later, so that the changes of one commit are one query.
    await Promise.resolve()
    while (this.#changed.size > 0 && !this.#stopped) {
      const refs = [...this.#changed]
      this.#changed.clear()
      try {
        this.#listener(await this.statesOf(refs))
      } catch (error) {
        this.log.error('strategy_orders.read_failed', { orders: refs.length, error: messageOf(error) })
        for (const ref of refs) this.#changed.add(ref)
        this.clock.setTimeout(() => {
          if (!this.#stopped) this.#delivering ??= this.#deliver()
        }, RETRY_MS)
        break
      }
    }
    this.#delivering = undefined
  }
}
