import { allBut, insertInto } from '../../storage/index.js'
import { orderEvents, orderFills, orderJournal } from '../../storage/tables/svc/orders.js'
import { ORDER_STATES } from './states.js'

/* The statements of the order journal that run for groups of rows or need an index of their own. */

/** An order begins without the ids of its broker and without an end. */
export const INSERT_ENTRY = insertInto(
  orderJournal,
  allBut(
    orderJournal,
    'orderId',
    'triggerId',
    'reason',
    'endCause',
    'answer',
    'account',
    'settledBy',
    'algoId',
    'priceTypes',
  ),
)
/** A report that is not larger than the last one can only add the price that the last one lacked. */
export const INSERT_FILL = insertInto(
  orderFills,
  allBut(orderFills, 'id'),
  `on conflict (order_ref, quantity) do update set price = excluded.price,
      id = (select max(id) + 1 from order_fills)
    where order_fills.price <= 0 and excluded.price > 0`,
)
export const INSERT_EVENT = insertInto(orderEvents, allBut(orderEvents, 'id'))

/** The operation of orders that close positions, and the tag they carry. */
export const CLOSE = 'closeposition'
export const CLOSING_STRATEGY = 'Squareoff'

export const RECORDED = `select order_ref, state, (select max(quantity) from order_fills f where f.order_ref = j.order_ref) as filled
  from order_journal j where order_ref in (select value from json_each(?))`

/** The columns of a row for {@link UPDATE_STATES}. SQLite finds a value by its place in less time than by a name. */
const UPDATED = [
  'order_ref',
  'state',
  'order_id',
  'trigger_id',
  'reason',
  'end_cause',
  'answer',
  'account',
  'settled_by',
  'algo_id',
] as const
export type StateUpdate = { order_ref: string } & Partial<
  Record<(typeof UPDATED)[number], string | null | undefined>
>

/** Returns the rows for {@link UPDATE_STATES} as its parameter. */
export function updatesParameter(updates: readonly StateUpdate[]): string {
  return JSON.stringify(updates.map((update) => UPDATED.map((column) => update[column])))
}

/** A row with a null state stores only its end, unless an end is stored already. */
export const UPDATE_STATES = `update order_journal set
    state = coalesce(n.state, order_journal.state),
    updated_at = iif(n.state is null, updated_at, ?),
    order_id = coalesce(n.order_id, order_journal.order_id),
    trigger_id = coalesce(n.trigger_id, order_journal.trigger_id),
    reason = coalesce(n.reason, order_journal.reason),
    end_cause = iif(n.state is null, order_journal.end_cause, n.end_cause),
    account = coalesce(n.account, order_journal.account),
    settled_by = coalesce(n.settled_by, order_journal.settled_by),
    algo_id = coalesce(n.algo_id, order_journal.algo_id),
    answer = iif(n.state is null, coalesce(order_journal.answer, n.answer), coalesce(n.answer, order_journal.answer))
  from (select ${UPDATED.map((column, place) => `value ->> ${place} as ${column}`).join(', ')} from json_each(?)) n
  where order_journal.order_ref = n.order_ref`

/**
 * Takes ids from the older rows of a broker that have an id which a row of this group now gets. It runs for every
 * order that fills. The condition on the id repeats that of the partial index, because SQLite uses the index
 * only then.
 */
const freeAlong = (column: 'order_id' | 'trigger_id', index: string) =>
  `update order_journal set ${column} = null where order_ref in (
    select other.order_ref from json_each(?1) n
    cross join order_journal j on j.order_ref = n.value ->> 0
    cross join order_journal other indexed by ${index}
      on other.broker = j.broker and other.${column} = n.value ->> 1 and other.order_ref <> j.order_ref
    where other.${column} is not null)`

export const FREE_ORDER_IDS = freeAlong('order_id', 'order_journal_broker_order')
export const FREE_TRIGGER_IDS = freeAlong('trigger_id', 'order_journal_broker_trigger')

/** The order was not sent, or the broker never received it. */
export const REOPEN = `update order_journal set state = 'claimed', reason = null, end_cause = null, algo_id = null, updated_at = ?
  where order_ref in (select value from json_each(?)) and state = 'rejected' and end_cause in ('stopped', 'not_received')
  returning order_ref`

/** The states of orders that a broker may have filled further than the journal shows. */
const UNFINISHED = ORDER_STATES.filter((state) => state !== 'claimed' && state !== 'filled')
const UNFINISHED_STATES = UNFINISHED.map((state) => `'${state}'`).join(', ')
/** Exported so that a test sees which index it uses. */
export const UNFINISHED_ORDERS = `select order_ref, order_id, symbol, exchange, product, action,
    api_type = '${CLOSE}' as closes
  from order_journal
  where user_id = ? and strategy in (?, '${CLOSING_STRATEGY}') and state in (${UNFINISHED_STATES}) and created_at >= ?
    and mode = 'live' and (api_type = '${CLOSE}' or strategy = ?)`

/** The states of orders that are at a broker, or may be. Few orders are in one of them at a time. */
const WAITING_STATES = ['sending', 'unknown', 'accepted', 'partial'].map((state) => `'${state}'`).join(', ')
/** A close never waits for the next open, so these are only the orders with the tag of the strategy. */
export const WAITING_ORDERS = `select order_ref, order_id, symbol, exchange, product, action, request, created_at,
    0 as closes
  from order_journal
  where user_id = ? and strategy = ? and state in (${WAITING_STATES}) and created_at >= ? and created_at < ?
    and mode = 'live' and api_type <> 'placegttorder' and json_extract(request, '$.amo')`

/**
 * Selects the ended orders at a broker whose largest fill, reported since an instant, has no price. Orders that are still
 * open are left out. The order of a cross join is fixed: it reads the fills since the instant by their index.
 */
export const UNPRICED_ORDERS = `select f.order_ref, j.order_id, j.exchange, j.request, f.at
  from order_fills f indexed by order_fills_at cross join order_journal j on j.order_ref = f.order_ref
  where f.at >= ? and f.price <= 0 and j.mode = 'live' and j.broker = ? and j.state in ('filled', 'cancelled', 'rejected')
    and not exists (select 1 from order_fills l where l.order_ref = f.order_ref and l.quantity > f.quantity)
  order by f.at`

/** Selects the filled quantity of orders, up to one row of the log of fills. */
export const FILLED = `select order_ref, quantity, price from order_fills f
  where order_ref in (select value from json_each(?)) and quantity =
    (select max(quantity) from order_fills where order_ref = f.order_ref and id <= ?)`
