import { and, desc, eq, gte, inArray, isNotNull, lt, ne, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../storage/index.js'
import { orderEvents, orderFills, orderJournal } from '../../storage/tables/svc/orders.js'
import { endFrom, type OrderEnd } from '../end.js'
import type { HistoryQuery, PastOrder, PastStatus, PastTrade } from '../schema.js'
import type { Fill, JournalRow, OrderJournal } from './journal.js'
import { newestOf, ownOrders, refuseCursor } from './page-store.js'
import { ORDER_STATES, type OrderState } from './states.js'

const GTT = 'placegttorder'

const STATUS_OF: Readonly<Record<OrderState, PastStatus>> = {
  claimed: 'open',
  sending: 'open',
  accepted: 'open',
  // The order of a GTT that fired. The journal does not record whether the trigger of a stop order was reached.
  triggered: 'open',
  partial: 'open',
  filled: 'complete',
  cancelled: 'cancelled',
  rejected: 'rejected',
  unknown: 'unknown',
  lapsed: 'lapsed',
}

type OrderQuery = HistoryQuery & { status?: PastStatus | undefined }
/** An order that was not sent, and its end as far as it is recorded. */
export type UnsentOrder = JournalRow & { end: OrderEnd | undefined }
/** An order and the time at which it was sent. */
interface SentOrder {
  order: JournalRow
  at: number
}

/** The live orders of all sessions that this service sent, and their fills. */
export class OrderHistory {
  constructor(
    private readonly db: Database,
    private readonly journal: OrderJournal,
  ) {}

  /** @throws ServiceError `validation` for a `before` that no page gave */
  async orders(userId: string, query: OrderQuery): Promise<PastOrder[]> {
    const found = await Promise.all([this.#placed(userId, query), this.#fired(userId, query)])
    const sent = found.flat().sort(newestFirst).slice(0, query.limit)
    const refs = sent.map(({ order }) => order.orderRef)
    const fills = await this.journal.filledThrough(refs, Number.MAX_SAFE_INTEGER)
    return sent.map((one) => pastOrder(one, fills.get(one.order.orderRef)))
  }

  /** Returns the orders that this service sent itself. */
  async #placed(userId: string, query: OrderQuery): Promise<SentOrder[]> {
    const { createdAt, operation, orderRef } = orderJournal
    const { limit, status, strategy } = query
    const conditions = [...ownOrders(userId, query), ne(operation, GTT), ...pageOf(sql`${createdAt}`, query)]
    const byState = status !== undefined || strategy !== undefined
    const rows = await this.db.read
      .select()
      .from(orderJournal)
      .where(byState ? newestOf(statesOf(status), conditions, limit) : and(...conditions))
      .orderBy(desc(createdAt), desc(orderRef))
      .limit(limit)
    return rows.map((order) => ({ order, at: order.createdAt }))
  }

  /** Returns the orders that GTTs sent, with the times at which the GTTs fired. */
  async #fired(userId: string, query: OrderQuery): Promise<SentOrder[]> {
    const { operation, orderId, orderRef, state } = orderJournal
    const { at } = orderEvents
    const states = statesOf(query.status)
    // The order of a cross join is fixed: it reads the newest events first and ends with the page.
    return this.db.read
      .select({ order: orderJournal, at })
      .from(orderEvents)
      .crossJoin(orderJournal)
      .where(
        and(
          // Written out, because SQLite cannot use a partial index for a parameter.
          sql`${orderEvents.toState} = 'triggered'`,
          eq(orderEvents.orderRef, orderRef),
          ...ownOrders(userId, query),
          eq(operation, GTT),
          isNotNull(orderId),
          states && inArray(state, states),
          ...pageOf(sql`${at}`, query),
        ),
      )
      .orderBy(desc(at), desc(orderRef))
      .limit(query.limit)
  }

  /** Returns the orders that were refused before they were sent, newest first: no book of a broker has them. */
  async unsent(userId: string, query: HistoryQuery): Promise<UnsentOrder[]> {
    const { createdAt, endCause, operation, orderRef } = orderJournal
    const conditions = [
      ...ownOrders(userId, query),
      eq(endCause, 'not_sent'),
      ne(operation, GTT),
      ...pageOf(sql`${createdAt}`, query),
    ]
    const rows = await this.db.read
      .select()
      .from(orderJournal)
      .where(newestOf(['rejected'], conditions, query.limit))
      .orderBy(desc(createdAt), desc(orderRef))
      .limit(query.limit)
    return rows.map((row) => ({
      ...row,
      end: row.answer === null ? undefined : endFrom(row.answer, row.orderRef),
    }))
  }

  /** Returns the fills, one row for each order: its total and the time of its last fill. */
  async trades(userId: string, query: HistoryQuery): Promise<PastTrade[]> {
    const { before, limit, since, until } = query
    const { at, id, orderRef, quantity } = orderFills
    // As above: the newest fills first. The other order would read all fills of the user for each page.
    const rows = await this.db.read
      .select({ order: orderJournal, fill: orderFills })
      .from(orderFills)
      .crossJoin(orderJournal)
      .where(
        and(
          eq(orderJournal.orderRef, orderRef),
          ...ownOrders(userId, query),
          since === undefined ? undefined : gte(at, since),
          until === undefined ? undefined : lt(at, until),
          before === undefined ? undefined : olderFill(before),
          sql`${quantity} = (select max(quantity) from order_fills f where f.order_ref = ${orderJournal.orderRef})`,
        ),
      )
      .orderBy(desc(at), desc(id))
      .limit(limit)
    return rows.map(({ fill, order }) => ({
      key: `${fill.at}-${fill.id}`,
      at: fill.at,
      ...namesOf(order),
      quantity: fill.quantity,
      averagePrice: fill.price,
    }))
  }
}

/** Selects the fills after the last one of a page, which `key` names. */
function olderFill(key: string): SQL {
  const [, at, id] = /^(\d{1,15})-(\d{1,15})$/.exec(key) ?? []
  if (at === undefined) refuseCursor()
  return sql`(${orderFills.at}, ${orderFills.id}) < (${Number(at)}, ${Number(id)})`
}

/** Returns the conditions of a page of orders, which were sent `at`. */
function pageOf(at: SQL, { before, since, until }: OrderQuery): readonly (SQL | undefined)[] {
  return [
    since === undefined ? undefined : gte(at, since),
    until === undefined ? undefined : lt(at, until),
    before === undefined ? undefined : olderThan(at, before),
  ]
}

/** Returns the states that a status shows; undefined for any status. */
function statesOf(status: PastStatus | undefined): OrderState[] | undefined {
  return status === undefined ? undefined : ORDER_STATES.filter((state) => STATUS_OF[state] === status)
}

/** Selects the orders after the last one of a page, which `key` names. */
function olderThan(at: SQL, key: string): SQL {
  const [, time, orderRef] = /^(\d{1,15})-(\w{1,40})$/.exec(key) ?? []
  if (time === undefined) refuseCursor()
  return sql`(${at}, ${orderJournal.orderRef}) < (${Number(time)}, ${orderRef})`
}

function newestFirst(a: SentOrder, b: SentOrder): number {
  return b.at - a.at || (a.order.orderRef < b.order.orderRef ? 1 : -1)
}

function namesOf({ action, exchange, orderId, product, strategy, symbol }: JournalRow) {
  return { orderId: orderId ?? '', symbol, exchange, action, product, strategy }
}

function pastOrder({ order: row, at }: SentOrder, fill: Fill | undefined): PastOrder {
  const request: { pricetype?: string; price?: number; trigger_price?: number } = JSON.parse(row.request)
  // The trigger price of a GTT is not one of the order that it sends.
  const isGtt = row.operation === GTT
  return {
    key: `${at}-${row.orderRef}`,
    at,
    ...namesOf(row),
    priceType: request.pricetype ?? 'MARKET',
    quantity: Number(row.quantity),
    filledQuantity: fill?.quantity ?? 0,
    price: Number(request.price ?? 0),
    triggerPrice: isGtt ? 0 : Number(request.trigger_price ?? 0),
    averagePrice: fill?.price ?? 0,
    status: STATUS_OF[row.state],
    reason: row.reason ?? '',
  }
}
