import { count, inArray } from 'drizzle-orm'
import type { DatabaseCopy } from '../../storage/index.js'
import { orderJournal } from '../../storage/tables/svc/orders.js'

/**
 * Returns the number of orders that are being sent, and of those whose outcome nobody knows yet. One version of svc must not
 * leave them to another.
 */
export async function countUnsettled(db: Pick<DatabaseCopy, 'read'>): Promise<number> {
  const [found] = await db.read
    .select({ n: count().as('n') })
    .from(orderJournal)
    .where(inArray(orderJournal.state, ['claimed', 'sending', 'unknown']))
  return found?.n ?? 0
}
