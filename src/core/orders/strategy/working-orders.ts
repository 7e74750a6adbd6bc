import type { Database } from '../../storage/index.js'

/**
 * Its indexes find the rows: few orders and requests are in one of these states at a time. An approved request counts until its
 * orders are in the journal.
 */
export const WORKING_ORDERS = `select
    (select count(*) from order_journal
      where user_id = ?1 and strategy = ?2 and state in ('claimed', 'sending', 'unknown', 'accepted', 'triggered', 'partial')
        and mode = 'live')
  + (select count(*) from pending_orders
      where user_id = ?1 and status = 'pending' and json_extract(order_data, '$.strategy') = ?2)
  + (select count(*) from pending_orders p indexed by pending_orders_unsettled
      where execution in ('executing', 'in_doubt') and user_id = ?1 and json_extract(order_data, '$.strategy') = ?2
        and not exists (select 1 from order_journal where approval_id = p.id)) as n`

/**
 * Returns how many live orders with a tag may still trade: those in the approval queue, on their way to the broker, in doubt,
 * or open there, and GTTs until their order ends.
 */
export async function countWorking(db: Database, userId: string, strategy: string): Promise<number> {
  const [row] = await db.queryRaw(WORKING_ORDERS, [userId, strategy])
  return Number(row?.n ?? 0)
}
