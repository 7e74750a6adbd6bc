import type { Database } from '../../storage/index.js'
import { isOrderRef } from '../order-ref.js'
import { ACTIONS, PRODUCTS } from '../schema.js'
import type { SentBy, SentOrder, StrategyOrderState, StrategyOrderStatus } from './schema.js'

const JOURNALLED = `select j.order_ref, j.state, j.end_cause, j.order_id, j.reason, j.quantity as whole,
    f.quantity as filled, f.price as price
  from order_journal j
  left join order_fills f on f.order_ref = j.order_ref
    and f.quantity = (select max(quantity) from order_fills where order_ref = j.order_ref)
  where j.order_ref in (select value from json_each(?))`

const SENT = `select order_ref, symbol, exchange, action, quantity, product from order_journal
  where user_id = ?1 and created_at >= ?2 and source = 'strategy' and strategy = ?3 and broker = ?4
  order by order_ref`

/** The condition repeats that of the partial index, because SQLite uses the index only then. */
const QUEUED = `select id, user_id, status, execution_ref, rejected_reason from pending_orders
  where execution_ref is not null and execution_ref in (select value from json_each(?))`

const QUEUED_BY_ID = `select execution_ref from pending_orders
  where id in (select value from json_each(?)) and execution_ref is not null`

const WAITING = `select id, user_id, execution_ref from pending_orders
  where execution_ref is not null and status = 'pending' order by id`

/** A strategy's order in the approval queue. */
interface QueuedOrder {
  id: number
  userId: string
}

/** A strategy's order that waits for approval. */
export interface WaitingOrder extends QueuedOrder {
  orderRef: string
}

/** All SQL about the live orders of strategies: the journal with its fills, and the approval queue. */
export class StrategyOrderStore {
  constructor(private readonly db: Database) {}

  /** Returns the state of each live order; an order that is missing in both tables was never sent. */
  async statesOf(orderRefs: readonly string[]): Promise<StrategyOrderState[]> {
    const live = orderRefs.filter(isOrderRef)
    if (live.length === 0) return []
    const journalled = await this.db.queryRaw(JOURNALLED, [JSON.stringify(live)])
    const states = new Map(journalled.map((row) => [String(row.order_ref), stateOfRow(row)]))
    const missing = live.filter((ref) => !states.has(ref))
    if (missing.length > 0) {
      for (const row of await this.db.queryRaw(QUEUED, [JSON.stringify(missing)])) {
        states.set(String(row.execution_ref), stateOfQueued(row))
      }
    }
    return live.map((ref) => states.get(ref) ?? unsent(ref))
  }

  /** Returns the live orders that a strategy has sent, oldest first. */
  async sentBy({ broker, since, strategy, userId }: SentBy): Promise<SentOrder[]> {
    const rows = await this.db.queryRaw(SENT, [userId, since, strategy, broker])
    return rows.flatMap(({ action, exchange, order_ref, product, quantity, symbol }) => {
      const [side, kind] = [ACTIONS.find((one) => one === action), PRODUCTS.find((one) => one === product)]
      const name = { symbol: String(symbol), exchange: String(exchange) }
      return side && kind
        ? [{ ...name, orderRef: String(order_ref), action: side, product: kind, quantity: Number(quantity) }]
        : []
    })
  }

  /** Returns the request in the approval queue that an order still waits in. */
  async queued(orderRef: string): Promise<QueuedOrder | undefined> {
    const [row] = await this.db.queryRaw(QUEUED, [JSON.stringify([orderRef])])
    return row?.status === 'pending' ? { id: Number(row.id), userId: String(row.user_id) } : undefined
  }

  /** Returns every order that waits for approval, of all strategies. */
  async waiting(): Promise<WaitingOrder[]> {
    const rows = await this.db.queryRaw(WAITING)
    return rows.map((row) => ({
      id: Number(row.id),
      userId: String(row.user_id),
      orderRef: String(row.execution_ref),
    }))
  }

  /** Returns the references that requests of the approval queue were stored with. */
  async refsOf(pendingIds: readonly number[]): Promise<string[]> {
    const rows = await this.db.queryRaw(QUEUED_BY_ID, [JSON.stringify(pendingIds)])
    return rows.map((row) => String(row.execution_ref))
  }
}

type Row = Readonly<Record<string, unknown>>

/** Returns the state of an order that never left: neither journal, queue nor sandbox has it. */
export function unsent(orderRef: string): StrategyOrderState {
  return { orderRef, status: 'unsent', orderId: null, filledQuantity: 0, averagePrice: null, reason: null }
}

function stateOfRow(row: Row): StrategyOrderState {
  const status = statusOf(String(row.state), textOrNull(row.end_cause))
  const whole = Number(row.whole)
  const filled = typeof row.filled === 'number' ? row.filled : 0
  return {
    orderRef: String(row.order_ref),
    status,
    orderId: textOrNull(row.order_id),
    // An order that is complete without a reported quantity filled completely. A reported quantity may differ
    // from the journal's, which knows the changes from here: somebody may have changed the order elsewhere.
    filledQuantity: status === 'complete' && filled === 0 ? whole : filled,
    averagePrice: typeof row.price === 'number' && row.price > 0 ? row.price : null,
    reason: textOrNull(row.reason),
  }
}

function statusOf(state: string, endCause: string | null): StrategyOrderStatus {
  switch (state) {
    case 'claimed':
    case 'sending':
      return 'sending'
    case 'unknown':
      return 'in_doubt'
    case 'filled':
      return 'complete'
    case 'cancelled':
      return 'cancelled'
    case 'lapsed':
      return 'lapsed'
    case 'rejected':
      return endCause === 'stopped' || endCause === 'not_sent' ? 'unsent' : 'rejected'
    default:
      return 'open'
  }
}

/** A rejected request never became an order. An approved one is in the journal from its approval on. */
function stateOfQueued(row: Row): StrategyOrderState {
  const state = { ...unsent(String(row.execution_ref)), pendingOrderId: Number(row.id) }
  if (row.status === 'pending') return { ...state, status: 'queued' }
  return { ...state, status: 'rejected', reason: textOrNull(row.rejected_reason) ?? 'The order was rejected' }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
