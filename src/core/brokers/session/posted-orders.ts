import { messageOf } from '../../errors/index.js'
import type { Logger } from '../../logging/index.js'
import type { BrokerConnection } from '../connection.js'

/** Reads the orders that a broker posted updates of. An order that is posted while it is read is read once more. */
export class PostedOrders {
  /** The orders that are read now, each with whether it was posted since the reading began. */
  readonly #reading = new Map<string, boolean>()

  constructor(private readonly log: Logger) {}

  /** Reads an order of a connection, which passes it on. Never rejects: comparisons with the book find what is lost. */
  async read(connection: BrokerConnection, orderId: string): Promise<void> {
    const isReading = this.#reading.has(orderId)
    this.#reading.set(orderId, isReading)
    if (isReading) return
    try {
      do {
        this.#reading.set(orderId, false)
        const order = await connection.client.orders.order?.(orderId)
        if (order) connection.tell(order)
      } while (this.#reading.get(orderId))
    } catch (error) {
      this.log.warn('broker.posted_order_not_read', { orderid: orderId, error: messageOf(error) })
    } finally {
      this.#reading.delete(orderId)
    }
  }
}
