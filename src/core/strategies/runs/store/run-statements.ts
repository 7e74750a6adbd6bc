import { toColumn, toMoney } from '../../../money/index.js'
import { insertInto, RowsStatement, type StatementRows } from '../../../storage/index.js'
import { strategyOrders } from '../../../storage/tables/svc/strategies.js'
import { LEG_EXCHANGES, STRATEGY_PRODUCTS } from '../../config/index.js'
import type { RunOrder } from '../../engine/messages.js'
import { eventRows } from '../../store/event-store.js'
import { checkpointRows } from './checkpoint-store.js'
import type { OrderRowChange, RunEnd, RunWrite, StoredClosure } from './run-rows.js'

/* The statements that change a run. They go to the database together, as one script. */

interface OfRun {
  runId: number
}

/** News about an order, with its price as its column stores it, and the time of the news. */
type ChangedOrder = OrderRowChange & { at: number }

const INSERT_ORDERS = insertInto(
  strategyOrders,
  [
    'strategyId',
    'runId',
    'legId',
    'kind',
    'positionRef',
    'exitOwner',
    'orderRef',
    'symbol',
    'exchange',
    'action',
    'quantity',
    'product',
    'placedAt',
  ],
  'on conflict do nothing',
)

/**
 * An update only moves an order forward: an ended order stays ended, unless it turns out to be filled further. An old
 * quantity changes nothing. It takes one row: of several about one order SQLite would use any.
 */
const CHANGE_ORDER = new RowsStatement<ChangedOrder>(`update strategy_orders set
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
  from (select value ->> 'orderRef' as ref, value ->> 'status' as status, value ->> 'filledQuantity' as filled,
    value ->> 'averagePrice' as price, value ->> 'orderId' as order_id, value ->> 'reason' as reason, value ->> 'at' as at,
    value ->> 'pendingOrderId' as pending_id from json_each(?)) n
  where order_ref = n.ref`)

/** The quantity is cumulative: it never shrinks. */
const CLOSE_ELSEWHERE = new RowsStatement<StoredClosure>(`update strategy_orders set
    closed_elsewhere = max(closed_elsewhere, value ->> 'quantity')
  from json_each(?) where order_ref = value ->> 'orderRef'`)

const REQUEST_STOP = new RowsStatement<OfRun & { at: number; reason: string }>(`update strategy_runs set
    stop_requested_at = value ->> 'at', stop_requested_reason = value ->> 'reason'
  from json_each(?) where strategy_runs.id = value ->> 'runId' and stop_requested_at is null`)

const REOPEN = new RowsStatement<
  OfRun & { reopenedAt: number }
>(`update strategy_runs set reopened_at = value ->> 'reopenedAt'
  from json_each(?) where strategy_runs.id = value ->> 'runId'`)

const RESERVE = new RowsStatement<OfRun & { at: number; reason: string | null }>(`update strategy_runs set
    reserved_at = value ->> 'at', reserved_reason = value ->> 'reason'
  from json_each(?) where strategy_runs.id = value ->> 'runId'`)

/** A late fill may correct the amounts of a run that is over. */
const SET_AMOUNTS = new RowsStatement<
  OfRun & Record<'realized' | 'session' | 'peak' | 'trough', number>
>(`update strategy_runs set reopened_at = null, pnl_realized = value ->> 'realized',
    pnl_session = value ->> 'session', pnl_peak = value ->> 'peak', pnl_trough = value ->> 'trough'
  from json_each(?) where strategy_runs.id = value ->> 'runId'`)

const END_RUN = new RowsStatement<OfRun & { at: number; reason: string }>(`update strategy_runs set
    stopped_at = value ->> 'at', stop_reason = value ->> 'reason'
  from json_each(?) where strategy_runs.id = value ->> 'runId' and stopped_at is null`)

const FREE_STRATEGY = new RowsStatement<OfRun & { strategyId: number; at: number }>(`update strategies set
    status = 'stopped', current_run_id = null, updated_at = value ->> 'at'
  from json_each(?) where strategies.id = value ->> 'strategyId' and current_run_id = value ->> 'runId'`)

/** Returns the statements of everything that one input of a run stores, in their order. */
export function statementsOf(write: RunWrite): StatementRows[] {
  const { at, changes, checkpoint, closures, end, events, orders, reopenedAt, reservedReason, runId, stop } =
    write
  return [
    INSERT_ORDERS.rows(orders.map((order) => runOrderRow(order, write))),
    ...changesOf(changes, at),
    ...closures.map((closure) => CLOSE_ELSEWHERE.rows([closure])),
    eventRows(events),
    ...(stop ? [REQUEST_STOP.rows([{ runId, at: stop.at, reason: stop.reason }])] : []),
    ...(reopenedAt === null ? [] : [REOPEN.rows([{ runId, reopenedAt }])]),
    ...(reservedReason === undefined ? [] : [RESERVE.rows([{ runId, at, reason: reservedReason }])]),
    ...(end ? endOf(end, write) : []),
    checkpointRows(checkpoint ? [checkpoint] : []),
  ]
}

/** Returns the statements that store news about orders. */
export function changesOf(changes: readonly OrderRowChange[], at: number): StatementRows[] {
  return changes.map((change) => {
    const { averagePrice: price } = change
    const averagePrice = price === null || price <= 0 ? null : toColumn(toMoney(price))
    return CHANGE_ORDER.rows([{ at, ...change, averagePrice }])
  })
}

/** Ends the run and frees its strategy. */
function endOf(end: RunEnd, { at, runId, strategyId }: RunWrite): StatementRows[] {
  const amounts = {
    realized: toColumn(end.realized),
    session: toColumn(end.sessionRealized ?? end.realized),
    peak: toColumn(end.peak),
    trough: toColumn(end.trough),
  }
  return [
    SET_AMOUNTS.rows([{ runId, ...amounts }]),
    END_RUN.rows([{ runId, at, reason: end.reason }]),
    FREE_STRATEGY.rows([{ strategyId, runId, at }]),
  ]
}

/** Returns the row of an order before it is sent. */
function runOrderRow(order: RunOrder, { at, runId, strategyId }: RunWrite) {
  const { action, exitOwner, id, kind, legId, positionRef, quantity, symbol } = order
  return {
    strategyId,
    runId,
    legId,
    kind,
    positionRef,
    exitOwner: exitOwner ?? 'live',
    orderRef: id,
    symbol,
    exchange: memberOf(LEG_EXCHANGES, order.exchange, 'exchange'),
    action,
    quantity,
    product: memberOf(STRATEGY_PRODUCTS, order.product, 'product'),
    placedAt: at,
  }
}

function memberOf<const T extends string>(set: readonly T[], value: string, name: string): T {
  const found = set.find((one) => one === value)
  if (found === undefined) throw new Error(`an order has the ${name} ${value}`)
  return found
}
