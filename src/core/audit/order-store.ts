import { asc, desc, eq, gt } from 'drizzle-orm'
import type { Database } from '../storage/index.js'
import { orderEvents, orderJournal } from '../storage/tables/svc/orders.js'

/** Reads the changes of live orders, in the order of their commits. */
export class LiveOrderStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async last(): Promise<number> {
    const { id } = orderEvents
    const [row] = await this.#db.read.select({ id }).from(orderEvents).orderBy(desc(id)).limit(1)
    return row?.id ?? 0
  }

  changes(after: number, limit: number) {
    const { approvalId, broker, operation, orderId, request, source, userId } = orderJournal
    const { at, detail, fromState, id, orderRef, toState } = orderEvents
    return this.#db.read
      .select({
        id,
        at,
        orderRef,
        fromState,
        toState,
        detail,
        userId,
        source,
        operation,
        broker,
        orderId,
        approvalId,
        request,
      })
      .from(orderEvents)
      .leftJoin(orderJournal, eq(orderJournal.orderRef, orderRef))
      .where(gt(id, after))
      .orderBy(asc(id))
      .limit(limit)
  }
}
