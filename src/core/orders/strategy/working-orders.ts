import type { Database } from '../../storage/index.js'

/**
 * It reads along indexes, because few orders and requests are in one of these states at a time. An approved request counts until its
 * orders are in the journal, and an ended order until its fill of this session has a price: the totals leave it out until then.
 */
export const WORKING_ORDERS = `select
    (select count(*) from order_journal
      where user_id = ?1 and strategy = ?2 and state in ('claimed', 'sending', 'unknown', 'accepted', 'triggered', 'partial')
        and mode = 'live')
  + (select count(*) from order_fills f indexed by order_fills_at cross join order_journal j on j.order_ref = f.order_ref
      where f.at >= ?3 and f.price <= 0 and j.user_id = ?1 and j.strategy = ?2 and j.mode = 'live'
        and j.state in ('filled', 'cancelled', 'rejected')
        and not exists (select 1 from order_fills l where l.order_ref = f.order_ref and l.quantity > f.quantity))
  + (select count(*) from pending_orders
      where user_id = ?1 and status = 'pending' and json_extract(order_data, '$.strategy') = ?2)
  + (select count(*) from pending_orders p indexed by pending_orders_unsettled
      where execution in ('executing', 'in_doubt') and user_id = ?1 and json_extract(order_data, '$.strategy') = ?2
        and not exists (select 1 from order_journal where approval_id = p.id)) as n`

/**
 * Returns how many live orders with a tag may still trade: those in the approval queue, on their way to the broker, in doubt,
 * or open there, GTTs until their order ends, and orders whose price is not known yet.
 * @param asked `since`: the start of the session
 */
export async function countWorking(
  db: Database,
  { since, strategy, userId }: { userId: string; strategy: string; since: number },
): Promise<number> {
  const [row] = await db.queryRaw(WORKING_ORDERS, [userId, strategy, since])
  return Number(row?.n ?? 0)
}
