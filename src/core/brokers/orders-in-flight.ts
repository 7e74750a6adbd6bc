import { isObject } from '../validation/index.js'
import type { BrokerOrder } from './broker.js'

/** The parameter that names the order of each call that changes one: our tag, or the broker's id. */
const NAMED_BY: Readonly<Record<string, number>> = {
  'orders.place': 1,
  'orders.modify': 0,
  'orders.cancel': 0,
}

/**
 * The orders of one connection whose calls wait for their answers, by our tag and by the broker's id. Of a connection that is
 * replaced they stay, because the broker may tell of them only there.
 */
export class OrdersInFlight {
  /** The number of calls that wait, by the name of their order. */
  readonly #waiting = new Map<string, number>()
  /** The orders whose calls waited when the connection was replaced; undefined while it is in use. */
  #kept: Set<string> | undefined

  /** Notes a call. @returns what notes its answer; undefined for a call that changes no order */
  begin(call: string, given: readonly unknown[]): ((answer: unknown) => void) | undefined {
    const name = given[NAMED_BY[call] ?? -1]
    if (typeof name !== 'string') return undefined
    this.#waiting.set(name, (this.#waiting.get(name) ?? 0) + 1)
    return (answer) => {
      const left = (this.#waiting.get(name) ?? 0) - 1
      if (left > 0) this.#waiting.set(name, left)
      else this.#waiting.delete(name)
      if (this.#kept?.has(name) && isObject(answer) && typeof answer.orderId === 'string')
        this.#kept.add(answer.orderId)
    }
  }

  /** Keeps the orders whose calls wait now, until the connection closes. */
  keep(): void {
    this.#kept = new Set(this.#waiting.keys())
  }

  /** Returns whether an order is one whose call waits, or waited when the connection was replaced. */
  has({ orderId, tag }: Pick<BrokerOrder, 'orderId' | 'tag'>): boolean {
    const names = tag === undefined ? [orderId] : [orderId, tag]
    return names.some((name) => this.#waiting.has(name) || this.#kept?.has(name))
  }
}
