import { toColumn, toMoney } from '../../../money/index.js'
import { BatchStatement, RowsStatement, type StatementRows } from '../../../storage/index.js'
import { LEG_EXCHANGES, STRATEGY_PRODUCTS } from '../../config/index.js'
import type { RunOrder } from '../../engine/types.js'
import { eventRows } from '../../store/event-store.js'
import { checkpointRows } from './checkpoint-store.js'
import type { OrderRowChange, RunEnd, RunWrite } from './run-rows.js'

/* The statements that change a run. They go to the database together, as one script. */

const INSERT_ORDERS = new BatchStatement({
  table: 'strategy_orders',
  columns: [
    ...['strategy_id', 'run_id', 'leg_id', 'kind', 'position_ref', 'exit_owner', 'order_ref'],
    ...['symbol', 'exchange', 'action', 'quantity', 'product', 'placed_at'],
  ],
  onConflict: 'on conflict do nothing',
})

/**
 * An update only moves an order forward: an ended order stays ended, unless it turns out to be filled further. An old
 * quantity changes nothing. It takes one row: of several about one order SQLite would use any.
 */
const CHANGE_ORDER = new RowsStatement(`update strategy_orders set
    status = case
      when strategy_orders.status in ('complete', 'cancelled', 'rejected')
        and not (n.status = 'complete' and n.filled > filled_qty) then strategy_orders.status
      when n.status = 'pending' then strategy_orders.status
      else n.status end,
    avg_fill_price = case when n.price is not null and n.filled >= filled_qty then n.price else avg_fill_price end,
    filled_at = case when n.filled > 0 and (n.filled >= quantity or n.status = 'complete')
      then coalesce(filled_at, n.at) else filled_at end,
    filled_qty = max(filled_qty, n.filled),
    broker_order_id = coalesce(broker_order_id, n.order_id),
    reject_reason = coalesce(reject_reason, n.reason),
    pending_order_id = coalesce(pending_order_id, n.pending_id)
  from (select value ->> 0 as ref, value ->> 1 as status, value ->> 2 as filled, value ->> 3 as price,
    value ->> 4 as order_id, value ->> 5 as reason, value ->> 6 as at, value ->> 7 as pending_id from json_each(?)) n
  where order_ref = n.ref`)

/** The quantity is cumulative: it never shrinks. */
const CLOSE_ELSEWHERE =
  new RowsStatement(`update strategy_orders set closed_elsewhere = max(closed_elsewhere, value ->> 1)
  from json_each(?) where order_ref = value ->> 0`)

const REQUEST_STOP =
  new RowsStatement(`update strategy_runs set stop_requested_at = value ->> 1, stop_requested_reason = value ->> 2
  from json_each(?) where strategy_runs.id = value ->> 0 and stop_requested_at is null`)

const REOPEN = new RowsStatement(`update strategy_runs set reopened_at = value ->> 1
  from json_each(?) where strategy_runs.id = value ->> 0`)

const RESERVE =
  new RowsStatement(`update strategy_runs set reserved_at = value ->> 1, reserved_reason = value ->> 2
  from json_each(?) where strategy_runs.id = value ->> 0`)

/** A late fill may correct the amounts of a run that is over. */
const SET_AMOUNTS =
  new RowsStatement(`update strategy_runs set reopened_at = null, pnl_realized = value ->> 1,
    pnl_session = value ->> 2, pnl_peak = value ->> 3, pnl_trough = value ->> 4
  from json_each(?) where strategy_runs.id = value ->> 0`)

const END_RUN =
  new RowsStatement(`update strategy_runs set stopped_at = value ->> 1, stop_reason = value ->> 2
  from json_each(?) where strategy_runs.id = value ->> 0 and stopped_at is null`)

const FREE_STRATEGY =
  new RowsStatement(`update strategies set status = 'stopped', current_run_id = null, updated_at = value ->> 2
  from json_each(?) where strategies.id = value ->> 0 and current_run_id = value ->> 1`)

/** Returns the statements of everything that one input of a run stores, in their order. */
export function statementsOf(write: RunWrite): StatementRows[] {
  const { at, changes, checkpoint, closures, end, events, orders, reopenedAt, reservedReason, runId, stop } =
    write
  return [
    { statement: INSERT_ORDERS, rows: orders.map((order) => cellsOf(order, write)) },
    ...changesOf(changes, at),
    ...closures.map(({ orderRef, quantity }) => ({
      statement: CLOSE_ELSEWHERE,
      rows: [[orderRef, quantity]],
    })),
    eventRows(events),
    ...(stop ? [{ statement: REQUEST_STOP, rows: [[runId, stop.at, stop.reason]] }] : []),
    ...(reopenedAt === null ? [] : [{ statement: REOPEN, rows: [[runId, reopenedAt]] }]),
    ...(reservedReason === undefined ? [] : [{ statement: RESERVE, rows: [[runId, at, reservedReason]] }]),
    ...(end ? endOf(end, write) : []),
    checkpointRows(checkpoint ? [checkpoint] : []),
  ]
}

/** Returns the statements that store news about orders. */
export function changesOf(changes: readonly OrderRowChange[], at: number): StatementRows[] {
  return changes.map((change) => {
    const { averagePrice, filledQuantity, orderId, orderRef, pendingOrderId, reason, status } = change
    const price = averagePrice === null || averagePrice <= 0 ? null : toColumn(toMoney(averagePrice))
    const row = [orderRef, status, filledQuantity, price, orderId, reason, at, pendingOrderId ?? null]
    return { statement: CHANGE_ORDER, rows: [row] }
  })
}

/** Ends the run and frees its strategy. */
function endOf(end: RunEnd, { at, runId, strategyId }: RunWrite): StatementRows[] {
  const amounts = [end.realized, end.sessionRealized ?? end.realized, end.peak, end.trough]
  return [
    { statement: SET_AMOUNTS, rows: [[runId, ...amounts.map(toColumn)]] },
    { statement: END_RUN, rows: [[runId, at, end.reason]] },
    { statement: FREE_STRATEGY, rows: [[strategyId, runId, at]] },
  ]
}

/** Returns the row of an order before it is sent. */
function cellsOf(order: RunOrder, { at, runId, strategyId }: RunWrite) {
  const { action, exchange, exitOwner, id, kind, legId, positionRef, product, quantity, symbol } = order
  return [
    ...[strategyId, runId, legId, kind, positionRef, exitOwner ?? 'live', id, symbol],
    memberOf(LEG_EXCHANGES, exchange, 'exchange'),
    ...[action, quantity],
    memberOf(STRATEGY_PRODUCTS, product, 'product'),
    at,
  ]
}

function memberOf<const T extends string>(set: readonly T[], value: string, name: string): T {
  const found = set.find((one) => one === value)
  if (found === undefined) throw new Error(`an order has the ${name} ${value}`)
  return found
}
