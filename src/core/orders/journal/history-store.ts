import { and, desc, eq, gte, inArray, isNotNull, lt, ne, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../storage/index.js'
import { orderFills, orderJournal } from '../../storage/tables/svc/orders.js'
import type { HistoryQuery, PastOrder, PastStatus, PastTrade } from '../schema.js'
import type { JournalRow, OrderJournal } from './journal.js'
import { ownOrders, refuseCursor } from './page-store.js'
import type { OrderState } from './states.js'

/** An order for the day lives no longer than this, so its fill is at most this much younger. A GTT lives longer. */
const ORDER_LIFE_MS = 86_400_000
const GTT = 'placegttorder'

const STATES: Readonly<Record<PastStatus, readonly OrderState[]>> = {
  open: ['claimed', 'sending', 'accepted', 'triggered', 'partial'],
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

/** The time at which a GTT fired; null for any other order. */
const FIRED_AT = sql<number>`(select min(at) from order_events e
  where e.order_ref = ${orderJournal.orderRef} and e.to_state = 'triggered')`

/** The place of an order in the list. */
interface Place {
  at: number
  orderRef: string
}

/** The live orders of all sessions that this service sent, and their fills. */
export class OrderHistory {
  constructor(
    private readonly db: Database,
    private readonly journal: OrderJournal,
  ) {}

  /** Returns orders, newest first. A GTT is an order only once it has fired, and counts from that time. */
  async orders(
    userId: string,
    query: HistoryQuery & { status?: PastStatus | undefined },
  ): Promise<PastOrder[]> {
    const place = query.before === undefined ? undefined : await this.#placeOf(query.before)
    const sent = { at: sql<number>`${orderJournal.createdAt}`, only: ne(orderJournal.operation, GTT) }
    const fired = {
      at: FIRED_AT,
      only: and(isNotNull(orderJournal.triggerId), isNotNull(orderJournal.orderId)),
    }
    const found = await Promise.all([sent, fired].map((kind) => this.#page(userId, query, kind, place)))
    const rows = found.flat().sort(newestFirst).slice(0, query.limit)
    const refs = rows.map(({ order }) => order.orderRef)
    const fills = await this.journal.filledThrough(refs, Number.MAX_SAFE_INTEGER)
    return rows.map(({ at, order }) => pastOrder(order, at, fills.get(order.orderRef)))
  }

  #page(
    userId: string,
    query: HistoryQuery & { status?: PastStatus | undefined },
    { at, only }: { at: SQL<number>; only: SQL | undefined },
    place: Place | undefined,
  ): Promise<(Place & { order: JournalRow })[]> {
    const { limit, since, status, until } = query
    return this.db.read
      .select({ at, orderRef: orderJournal.orderRef, order: orderJournal })
      .from(orderJournal)
      .where(
        and(
          ...ownOrders(userId, query),
          only,
          since === undefined ? undefined : gte(at, since),
          until === undefined ? undefined : lt(at, until),
          status === undefined ? undefined : inArray(orderJournal.state, [...STATES[status]]),
          place && sql`(${at}, ${orderJournal.orderRef}) < (${place.at}, ${place.orderRef})`,
        ),
      )
      .orderBy(desc(at), desc(orderJournal.orderRef))
      .limit(limit)
  }

  /** Returns the place of an order in the list. @throws ServiceError `validation` if there is no such order */
  async #placeOf(orderRef: string): Promise<Place> {
    const at = sql<number>`coalesce(${FIRED_AT}, ${orderJournal.createdAt})`
    const [place] = await this.db.read
      .select({ at, orderRef: orderJournal.orderRef })
      .from(orderJournal)
      .where(eq(orderJournal.orderRef, orderRef))
    return place ?? refuseCursor()
  }

  /** Returns the fills, one row for each order: its total and the time of its last fill. */
  async trades(userId: string, query: HistoryQuery): Promise<PastTrade[]> {
    const { before, limit, since, until } = query
    if (before !== undefined && !/^\d{1,15}$/.test(before)) refuseCursor()
    const rows = await this.db.read
      .select({ order: orderJournal, fill: orderFills })
      .from(orderFills)
      .innerJoin(orderJournal, eq(orderJournal.orderRef, orderFills.orderRef))
      .where(
        and(
          ...ownOrders(userId, query),
          since === undefined
            ? undefined
            : or(gte(orderJournal.createdAt, since - ORDER_LIFE_MS), isNotNull(orderJournal.triggerId)),
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

function newestFirst(a: Place, b: Place): number {
  if (a.at !== b.at) return b.at - a.at
  return a.orderRef < b.orderRef ? 1 : -1
}

function namesOf({ action, exchange, orderId, product, strategy, symbol }: JournalRow) {
  return { orderId: orderId ?? '', symbol, exchange, action, product, strategy }
}

function pastOrder(
  row: JournalRow,
  at: number,
  fill: { quantity: number; price: number } | undefined,
): PastOrder {
  const request: { pricetype?: string; price?: number; trigger_price?: number } = JSON.parse(row.request)
  return {
    key: row.orderRef,
    at,
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
