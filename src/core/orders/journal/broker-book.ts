import type { BrokerOrder, BrokerOrders } from '../../brokers/broker.js'

/** One reading of a broker's whole order book, in which many orders are looked up. */
export class BrokerBook {
  readonly #byId = new Map<string, BrokerOrder>()
  readonly #byTag = new Map<string, BrokerOrder>()

  constructor(orders: readonly BrokerOrder[]) {
    for (const order of orders) {
      this.#byId.set(order.orderId, order)
      if (!order.tag) continue
      const known = this.#byTag.get(order.tag)
      // Of two orders with one tag, the one the broker took counts.
      if (!known || known.status === 'rejected') this.#byTag.set(order.tag, order)
    }
  }

  static async read(orders: Pick<BrokerOrders, 'list'>): Promise<BrokerBook> {
    return new BrokerBook(await orders.list())
  }

  byTag(tag: string): BrokerOrder | undefined {
    return this.#byTag.get(tag)
  }

  /** The order of a journal row: by the broker's id where the row has one, by our tag otherwise. */
  orderOf({ orderId, orderRef }: { orderId: string | null; orderRef: string }): BrokerOrder | undefined {
    return (orderId === null ? undefined : this.#byId.get(orderId)) ?? this.#byTag.get(orderRef)
  }
}
