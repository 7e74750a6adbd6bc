import type { BrokerOrder, BrokerOrders } from '../../../brokers/broker.js'

/** A copy of a broker's whole order book, for the lookup of many orders. */
export class BrokerBook {
  readonly #byId = new Map<string, BrokerOrder>()
  readonly #byTag = new Map<string, BrokerOrder>()

  constructor(orders: readonly BrokerOrder[]) {
    for (const order of orders) {
      this.#byId.set(order.orderId, order)
      if (!order.tag) continue
      const known = this.#byTag.get(order.tag)
      // If two orders have one tag, the accepted one counts.
      if (!known || known.status === 'rejected') this.#byTag.set(order.tag, order)
    }
  }

  static async read(orders: Pick<BrokerOrders, 'list'>): Promise<BrokerBook> {
    return new BrokerBook(await orders.list('exit'))
  }

  byTag(tag: string): BrokerOrder | undefined {
    return this.#byTag.get(tag)
  }

  /** Returns the order of a journal row, by the broker's id if the row has one, and by our tag otherwise. */
  orderOf({ orderId, orderRef }: { orderId: string | null; orderRef: string }): BrokerOrder | undefined {
    return (orderId === null ? undefined : this.#byId.get(orderId)) ?? this.#byTag.get(orderRef)
  }
}
