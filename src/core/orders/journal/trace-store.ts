import { and, asc, eq, inArray, or } from 'drizzle-orm'
import type { Database } from '../../storage/index.js'
import { idempotencyKeys, orderFills, orderJournal } from '../../storage/tables/svc/orders.js'
import type { JournalRow } from './journal.js'

/** The most rows that one look-up returns. */
const MOST = 200

/** Finds the live orders that an id may mean, whichever broker has it. Every look-up has an index. */
export class OrderTrace {
  constructor(private readonly db: Pick<Database, 'read'>) {}

  /** Returns the orders and GTTs that have an id at one of these brokers. */
  async withBrokerId(id: string, brokers: readonly string[]): Promise<JournalRow[]> {
    const { broker, orderId, triggerId } = orderJournal
    return this.db.read
      .select()
      .from(orderJournal)
      .where(
        or(
          and(inArray(broker, [...brokers]), eq(orderId, id)),
          and(inArray(broker, [...brokers]), eq(triggerId, id)),
        ),
      )
      .limit(MOST)
  }

  /** Returns the orders that an approval released, oldest first. */
  ofApproval(approvalId: number): Promise<JournalRow[]> {
    return this.db.read
      .select()
      .from(orderJournal)
      .where(eq(orderJournal.approvalId, approvalId))
      .orderBy(asc(orderJournal.orderRef))
      .limit(MOST)
  }

  /** Returns the fills of an order, in their order: the filled quantity so far, and its average price. */
  fills(orderRef: string): Promise<(typeof orderFills.$inferSelect)[]> {
    return this.db.read
      .select()
      .from(orderFills)
      .where(eq(orderFills.orderRef, orderRef))
      .orderBy(asc(orderFills.quantity))
      .limit(MOST)
  }

  /** Returns the order or the request of several that a key of a user led to; undefined after its lifetime. */
  async refOfKey(userId: string, key: string): Promise<string | undefined> {
    const [row] = await this.db.read
      .select({ orderRef: idempotencyKeys.orderRef })
      .from(idempotencyKeys)
      .where(and(eq(idempotencyKeys.userId, userId), eq(idempotencyKeys.key, key)))
    return row?.orderRef ?? undefined
  }
}
