import { RowsStatement, type SqlValue, type StatementRows } from '../../storage/index.js'
import type { orderJournal } from '../../storage/tables/svc/orders.js'
import { type OrderEnd, storedEnd } from '../end.js'
import { ORDER_STATES, type OrderState, statesBefore } from './states.js'

/** The cause of a rejection. */
export type EndCause = NonNullable<(typeof orderJournal.$inferSelect)['endCause']>

/** The filled quantity of an order, and its average price so far. */
export interface Fill {
  quantity: number
  price: number
}

/** The details of a change of state. */
export interface StateDetail {
  orderId?: string
  /** The broker's id of a GTT. */
  triggerId?: string
  /** The cause of a rejection; `refused` by default. */
  endCause?: EndCause
  reason?: string
  /** The end of its execution. It is stored even when an earlier update has already changed the state. */
  end?: OrderEnd
  detail?: string
  /** The larger of two reported fills counts, in any order of arrival. */
  filled?: Fill
}

/** One change of state. */
export interface Move extends StateDetail {
  orderRef: string
  to: OrderState
}

/**
 * The statements that change the states of orders, each only if the table of states allows it. They decide in SQL,
 * so that the whole change is one trip to the database. The event of a change is written first: it has the
 * change's token, and the later statements change only orders that got their event.
 */
export function movesSql(moves: readonly Move[], tokens: readonly number[], now: number): StatementRows[] {
  const rows = moves.map((move, index) => rowOf(move, tokens[index] ?? 0, now))
  const having = (wanted: (move: Move) => unknown) =>
    rows.filter((_, index) => {
      const move = moves[index]
      return move !== undefined && wanted(move) !== undefined
    })
  return [
    { statement: EVENTS, rows },
    { statement: FILLS, rows: having(({ filled }) => filled) },
    { statement: FREE_ORDER_IDS, rows: having(({ orderId }) => orderId) },
    { statement: FREE_TRIGGER_IDS, rows: having(({ triggerId }) => triggerId) },
    { statement: UPDATE_STATES, rows },
  ]
}

/** Selects the token and the earlier state of each change that took effect, by reference and token. */
export const MOVED = `select e.move, e.from_state from json_each(?) n
  cross join order_events e on e.order_ref = n.value ->> 0 and e.move = n.value ->> 1`

const COLUMNS = [
  ...['ref', 'state', 'before', 'token', 'at', 'detail', 'quantity', 'price'],
  ...['order_id', 'trigger_id', 'reason', 'end_cause', 'answer'],
]

function rowOf(move: Move, token: number, now: number): SqlValue[] {
  const { detail, end, endCause, filled, orderId, orderRef, reason, to, triggerId } = move
  return [
    orderRef,
    to,
    BEFORE.get(to) ?? '',
    token,
    now,
    detail ?? reason ?? orderId ?? triggerId ?? null,
    filled?.quantity ?? null,
    filled?.price ?? null,
    orderId ?? null,
    triggerId ?? null,
    reason ?? null,
    to === 'rejected' ? (endCause ?? 'refused') : null,
    end ? storedEnd(end) : null,
  ]
}

/** The states from which each state may be reached, between commas. */
const BEFORE = new Map(ORDER_STATES.map((to) => [to, `,${statesBefore(to).join(',')},`]))

const MOVES = `(select ${COLUMNS.map((name, index) => `value ->> ${index} as "${name}"`).join(', ')} from json_each(?)) n`
const FILLED = 'coalesce((select max(quantity) from order_fills f where f.order_ref = n.ref), 0)'
const MAY_FOLLOW = `instr(n.before, ',' || j.state || ',') > 0`
const HAS_MOVED = 'exists (select 1 from order_events e where e.order_ref = n.ref and e.move = n.token)'

/** A repeated state counts only while the fill grows. */
const EVENTS = new RowsStatement(`insert into order_events (order_ref, at, from_state, to_state, detail, move)
  select n.ref, n.at, j.state, n.state, n.detail, n.token from ${MOVES} cross join order_journal j on j.order_ref = n.ref
  where ${MAY_FOLLOW} and (j.state <> n.state or coalesce(n.quantity, 0) > ${FILLED})`)

/**
 * A report that is not larger than the last one can only add the price that the last one lacked. A broker may report
 * the quantity before the price, and the price only after the end of the order.
 */
const FILLS = new RowsStatement(`insert into order_fills (order_ref, quantity, price, at)
  select n.ref, n.quantity, n.price, n.at from ${MOVES} cross join order_journal j on j.order_ref = n.ref
  where n.quantity > 0 and n.quantity >= ${FILLED} and (j.state = n.state or ${MAY_FOLLOW})
  on conflict (order_ref, quantity) do update set price = excluded.price,
      id = (select max(id) + 1 from order_fills)
    where order_fills.price <= 0 and excluded.price > 0`)

/**
 * Takes ids from the older rows of a broker that have an id which a row of this group now gets: a broker that restarts
 * its numbers reuses ids, and the newest order keeps the id. It runs for every order that fills. The condition on the
 * id repeats that of the partial index, because SQLite uses the index only then.
 */
const freeAlong = (column: 'order_id' | 'trigger_id', index: string) =>
  new RowsStatement(`update order_journal set ${column} = null where order_ref in (
    select other.order_ref from ${MOVES}
    cross join order_journal j on j.order_ref = n.ref
    cross join order_journal other indexed by ${index}
      on other.broker = j.broker and other.${column} = n.${column} and other.order_ref <> j.order_ref
    where other.${column} is not null and ${HAS_MOVED})`)
const FREE_ORDER_IDS = freeAlong('order_id', 'order_journal_broker_order')
const FREE_TRIGGER_IDS = freeAlong('trigger_id', 'order_journal_broker_trigger')

/** A change without effect stores only its end, unless an end is stored already. */
const UPDATE_STATES = new RowsStatement(`update order_journal set
    state = iif(n.moved, n.state, order_journal.state),
    updated_at = iif(n.moved, n.at, order_journal.updated_at),
    order_id = iif(n.moved, coalesce(n.order_id, order_journal.order_id), order_journal.order_id),
    trigger_id = iif(n.moved, coalesce(n.trigger_id, order_journal.trigger_id), order_journal.trigger_id),
    reason = iif(n.moved, coalesce(n.reason, order_journal.reason), order_journal.reason),
    end_cause = iif(n.moved, n.end_cause, order_journal.end_cause),
    answer = iif(n.moved, coalesce(n.answer, order_journal.answer), coalesce(order_journal.answer, n.answer))
  from (select n.*, ${HAS_MOVED} as moved from ${MOVES}) n
  where order_journal.order_ref = n.ref and (n.moved or n.answer is not null)`)
