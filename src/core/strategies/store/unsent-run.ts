/**
 * A condition on a row of `strategy_runs`: true if the run ended before any of its orders left. A crash cut its start off,
 * or each entry was refused before it was sent. Such a run changed nothing, so its start may be repeated.
 *
 * An order counts as sent unless both its row and the journal say that it never left: an order in doubt, an order that waited
 * for approval, and an order that the broker refused all count. Never null, so it may be negated.
 */
export const ENDED_UNSENT = `(strategy_runs.stop_reason is 'error' and not exists (
  select 1 from strategy_orders o left join order_journal j on j.order_ref = o.order_ref
  where o.run_id = strategy_runs.id and not (
    o.status = 'rejected' and o.filled_qty = 0 and o.broker_order_id is null and o.pending_order_id is null
    and (j.order_ref is null
      or (j.state = 'rejected' and coalesce(j.end_cause, '') in ('stopped', 'not_sent'))))))`
