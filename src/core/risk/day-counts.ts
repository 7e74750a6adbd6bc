import type { OrderRequest } from '../orders/schema.js'
import { sessionDate } from '../time/index.js'
import type { TradingMode } from '../trading/index.js'
import type { RiskPorts } from './ports.js'

interface DayCount {
  session: string
  orders: number
}

/**
 * The number of orders of an account in the current session, per mode. A count starts when it is first
 * needed.
 */
export class DayCounts {
  readonly #counts = new Map<string, DayCount>()
  /** The count that each admitted order belongs to. */
  readonly #places = new WeakMap<OrderRequest, DayCount>()

  constructor(private readonly ports: Pick<RiskPorts, 'clock' | 'ordersToday'>) {}

  /** Returns the current number. The first call reads it from the books. */
  async load(userId: string, mode: TradingMode): Promise<number> {
    const known = this.known(userId, mode)
    if (known !== undefined) return known
    const session = this.#session()
    const orders = await this.ports.ordersToday(userId, mode)
    if (!this.#counts.has(keyOf(userId, mode))) this.#counts.set(keyOf(userId, mode), { session, orders })
    return this.now(userId, mode)
  }

  /** Returns the current number if a count is kept. */
  known(userId: string, mode: TradingMode): number | undefined {
    return this.#count(userId, mode)?.orders
  }

  /** Returns the number at this moment, without waiting; 0 while no count is kept. */
  now(userId: string, mode: TradingMode): number {
    return this.#count(userId, mode)?.orders ?? 0
  }

  /** Counts an order, if a count is kept. */
  take(userId: string, mode: TradingMode, order: OrderRequest): void {
    const count = this.#count(userId, mode)
    if (!count) return
    count.orders += 1
    this.#places.set(order, count)
  }

  /** Removes an order from its count: once, and from the session it was counted in. */
  giveBack(order: OrderRequest): void {
    const count = this.#places.get(order)
    if (!count) return
    this.#places.delete(order)
    count.orders -= 1
  }

  /** Drops a count; the next call reads it from the books. */
  forget(userId: string, mode: TradingMode): void {
    this.#counts.delete(keyOf(userId, mode))
  }

  /**
   * Returns the count of the current session. A new session has a new count; orders of the last session stay
   * there.
   */
  #count(userId: string, mode: TradingMode): DayCount | undefined {
    const key = keyOf(userId, mode)
    const count = this.#counts.get(key)
    // The date costs more than the rest of the gate, so it is not asked for while nothing counts.
    if (!count) return undefined
    const session = this.#session()
    // A date that goes back is no new session: the clock was set back.
    if (count.session >= session) return count
    const fresh = { session, orders: 0 }
    this.#counts.set(key, fresh)
    return fresh
  }

  #session(): string {
    return sessionDate(this.ports.clock.now())
  }
}

function keyOf(userId: string, mode: TradingMode): string {
  return `${mode}:${userId}`
}
