import { eq, type SQL, sql } from 'drizzle-orm'
import { ServiceError } from '../../errors/index.js'
import { orderJournal } from '../../storage/tables/svc/orders.js'
import type { HistoryQuery } from '../schema.js'

/* The conditions of pages of the order journal. */

/** Selects a user's live orders, of one instrument or strategy if the query names it. */
export function ownOrders(
  userId: string,
  { exchange, strategy, symbol }: Omit<HistoryQuery, 'limit'>,
): readonly (SQL | undefined)[] {
  return [
    eq(orderJournal.userId, userId),
    eq(orderJournal.mode, 'live'),
    symbol === undefined ? undefined : eq(orderJournal.symbol, symbol),
    exchange === undefined ? undefined : eq(orderJournal.exchange, exchange),
    strategy === undefined ? undefined : eq(orderJournal.strategy, strategy),
  ]
}

/** Selects the rows after a row in the order of a page; none when the row does not exist. */
export function olderThan(orderRef: string): SQL {
  return sql`(${orderJournal.createdAt}, ${orderJournal.orderRef}) <
    (select created_at, order_ref from order_journal where order_ref = ${orderRef})`
}

/** Refuses a cursor that names no row: an empty page would look like the end of the list. */
export function refuseCursor(): never {
  throw new ServiceError('validation', 'before: Must be the next_before of an earlier page of this list.')
}
