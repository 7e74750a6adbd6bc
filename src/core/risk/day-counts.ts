import type { OrderRequest } from '../orders/schema.js'
import { sessionDate } from '../time/index.js'
import type { TradingMode } from '../trading/index.js'
import type { RiskPorts } from './ports.js'

interface DayCount {
  session: string
  orders: number
}

/**
 * The orders of an account in the running session, in each mode. A count is kept from the first time it is asked for;
 * until then nobody needs it.
 */
export class DayCounts {
  readonly #counts = new Map<string, DayCount>()
  /** Where each order that was let through is counted. */
  readonly #places = new WeakMap<OrderRequest, DayCount>()

  constructor(private readonly ports: Pick<RiskPorts, 'clock' | 'ordersToday'>) {}

  /** How many there are by now. The first time the books are asked. */
  async load(userId: string, mode: TradingMode): Promise<number> {
    const known = this.#count(userId, mode)
    if (known) return known.orders
    const session = this.#session()
    const orders = await this.ports.ordersToday(userId, mode)
    if (!this.#counts.has(keyOf(userId, mode))) this.#counts.set(keyOf(userId, mode), { session, orders })
    return this.now(userId, mode)
  }

  /** How many there are at this very moment; 0 while no count is kept. */
  now(userId: string, mode: TradingMode): number {
    return this.#count(userId, mode)?.orders ?? 0
  }

  /** Counts an order, where a count is kept. */
  take(userId: string, mode: TradingMode, order: OrderRequest): void {
    const count = this.#count(userId, mode)
    if (!count) return
    count.orders += 1
    this.#places.set(order, count)
  }

  /** Gives back the place of an order, if it has one: once, and in the session it was counted in. */
  giveBack(order: OrderRequest): void {
    const count = this.#places.get(order)
    if (!count) return
    this.#places.delete(order)
    count.orders -= 1
  }

  /** Lets go of a count: the next who asks has it from the books. */
  forget(userId: string, mode: TradingMode): void {
    this.#counts.delete(keyOf(userId, mode))
  }

  /** Another session begins with another count: what was counted in the last one stays there. */
  #count(userId: string, mode: TradingMode): DayCount | undefined {
    const key = keyOf(userId, mode)
    const count = this.#counts.get(key)
    // What day it is costs more than the rest of the gate: not asked while nobody counts.
    if (!count) return undefined
    const session = this.#session()
    if (count.session === session) return count
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
