import { and, eq, type SQL, sql } from 'drizzle-orm'
import { ServiceError } from '../../errors/index.js'
import { orderJournal } from '../../storage/tables/svc/orders.js'
import type { HistoryQuery } from '../schema.js'
import { ORDER_STATES, type OrderState } from './states.js'

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

/**
 * Selects the newest orders of a page, read state by state. An index gives the orders of a state, and of a strategy
 * in a state, in their order. So the cost of a page depends on the page and not on the rows that it leaves out.
 */
export function newestOf(
  states: readonly OrderState[] | undefined,
  conditions: readonly (SQL | undefined)[],
  limit: number,
): SQL {
  const { createdAt, orderRef, state } = orderJournal
  const refs = (states ?? ORDER_STATES).map(
    (one): SQL => sql`select order_ref from (select ${orderRef} from ${orderJournal}
      where ${and(eq(state, one), ...conditions)} order by ${createdAt} desc, ${orderRef} desc limit ${limit})`,
  )
  return sql`${orderRef} in (${sql.join(refs, sql` union all `)})`
}

/** Refuses a cursor that names no row: an empty page would look like the end of the list. */
export function refuseCursor(): never {
  throw new ServiceError('validation', 'before: Must be the next_before of an earlier page of this list.')
}
