import { and, desc, eq, gte, inArray, lt, ne, sql } from 'drizzle-orm'
import type { Database } from '../../storage/index.js'
import { orderFills, orderJournal } from '../../storage/tables/svc/orders.js'
import type { HistoryQuery, PastOrder, PastStatus, PastTrade } from '../schema.js'
import type { JournalRow, OrderJournal } from './journal.js'
import { olderThan, ownOrders } from './page-store.js'
import type { OrderState } from './states.js'

/** Orders for the day live no longer than this, so a fill is at most this much younger than its order. */
const ORDER_LIFE_MS = 86_400_000
const GTT = 'placegttorder'

const STATES: Readonly<Record<PastStatus, readonly OrderState[]>> = {
  open: ['claimed', 'sending', 'accepted', 'partial'],
  // The journal does not record whether a trigger has fired.
  'trigger pending': [],
  complete: ['filled'],
  cancelled: ['cancelled'],
  rejected: ['rejected'],
  unknown: ['unknown'],
  lapsed: ['lapsed'],
}
const STATUS_OF: ReadonlyMap<OrderState, PastStatus> = new Map(
  Object.entries(STATES).flatMap(([status, states]) =>
    states.map((state) => [state, status as PastStatus] as const),
  ),
)

/** The live orders of all sessions that this service sent, and their fills. */
export class OrderHistory {
  constructor(
    private readonly db: Database,
    private readonly journal: OrderJournal,
  ) {}

  async orders(
    userId: string,
    query: HistoryQuery & { status?: PastStatus | undefined },
  ): Promise<PastOrder[]> {
    const { before, limit, since, status, until } = query
    const rows = await this.db.read
      .select()
      .from(orderJournal)
      .where(
        and(
          ...ownOrders(userId, query),
          ne(orderJournal.operation, GTT),
          since === undefined ? undefined : gte(orderJournal.createdAt, since),
          until === undefined ? undefined : lt(orderJournal.createdAt, until),
          status === undefined ? undefined : inArray(orderJournal.state, [...STATES[status]]),
          before === undefined ? undefined : olderThan(before),
        ),
      )
      .orderBy(desc(orderJournal.createdAt), desc(orderJournal.orderRef))
      .limit(limit)
    const refs = rows.map(({ orderRef }) => orderRef)
    const fills = await this.journal.filledThrough(refs, Number.MAX_SAFE_INTEGER)
    return rows.map((row) => pastOrder(row, fills.get(row.orderRef)))
  }

  /** Returns the fills, one row for each order: its total and the time of its last fill. */
  async trades(userId: string, query: HistoryQuery): Promise<PastTrade[]> {
    const { before, limit, since, until } = query
    const rows = await this.db.read
      .select({ order: orderJournal, fill: orderFills })
      .from(orderFills)
      .innerJoin(orderJournal, eq(orderJournal.orderRef, orderFills.orderRef))
      .where(
        and(
          ...ownOrders(userId, query),
          ne(orderJournal.operation, GTT),
          since === undefined ? undefined : gte(orderJournal.createdAt, since - ORDER_LIFE_MS),
          since === undefined ? undefined : gte(orderFills.at, since),
          until === undefined ? undefined : lt(orderFills.at, until),
          before === undefined ? undefined : lt(orderFills.id, Number(before)),
          sql`${orderFills.quantity} = (select max(quantity) from order_fills f where f.order_ref = ${orderFills.orderRef})`,
        ),
      )
      .orderBy(desc(orderFills.id))
      .limit(limit)
    return rows.map(({ fill, order }) => ({
      key: String(fill.id),
      at: fill.at,
      ...namesOf(order),
      quantity: fill.quantity,
      averagePrice: fill.price,
    }))
  }
}

function namesOf({ action, exchange, orderId, product, strategy, symbol }: JournalRow) {
  return { orderId: orderId ?? '', symbol, exchange, action, product, strategy }
}

function pastOrder(row: JournalRow, fill: { quantity: number; price: number } | undefined): PastOrder {
  const request: { pricetype?: string; price?: number; trigger_price?: number } = JSON.parse(row.request)
  return {
    key: row.orderRef,
    at: row.createdAt,
    ...namesOf(row),
    priceType: request.pricetype ?? 'MARKET',
    quantity: Number(row.quantity),
    filledQuantity: fill?.quantity ?? 0,
    price: Number(request.price ?? 0),
    triggerPrice: Number(request.trigger_price ?? 0),
    averagePrice: fill?.price ?? 0,
    status: STATUS_OF.get(row.state) ?? 'unknown',
    reason: row.reason ?? '',
  }
}
