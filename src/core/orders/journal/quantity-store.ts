import type { Database } from '../../storage/index.js'

const STORE = 'update order_journal set quantity = ? where order_ref = ?'

/** The SQL about the quantities that orders have after a change from here. The request keeps that of the placement. */
export class QuantityStore {
  constructor(private readonly db: Database) {}

  /** Stores that the broker has changed the quantity of an order. */
  async changed(orderRef: string, quantity: number): Promise<void> {
    await this.db.write((tx) => tx.exec(STORE, [String(quantity), orderRef]))
  }
}
