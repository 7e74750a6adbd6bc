import {
  and,
  asc,
  count,
  desc,
  eq,
  exists,
  gte,
  inArray,
  isNull,
  like,
  ne,
  notExists,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import type { TradingMode } from '../risk/index.js'
import { BatchStatement, type Database, type SqlValue, type Tx } from '../storage/index.js'
import { orderEvents, orderJournal } from '../storage/tables/svc/orders.js'
import type { Clock } from '../time/index.js'
import { type Answer, storedAnswer } from './answer.js'
import { ORDER_STATES, type OrderState, statesBefore } from './states.js'

export type OrderSource = 'api' | 'approval' | 'flow' | 'strategy'

/** What the journal reads of a request; the rest is kept as it is. */
export interface JournalPayload {
  symbol: string
  exchange: string
  action: string
  quantity: number
  product: string
}

/** What is written before an order may leave. */
export interface JournalEntry<P extends JournalPayload = JournalPayload> {
  orderRef: string
  userId: string
  apiType: string
  source: OrderSource
  mode: TradingMode
  broker: string
  state: OrderState
  payload: P
  approvalId?: number
  /** The request of several orders it belongs to, and its place there. */
  batchRef?: string
  leg?: number
}

export type JournalRow = typeof orderJournal.$inferSelect
/** An order that the journal holds for open. */
export type OpenOrder = Pick<JournalRow, 'orderRef' | 'orderId' | 'createdAt'>
export type JournalEvent = typeof orderEvents.$inferSelect

/** A live order that counts for a strategy, with what its last update said of its fills. */
export interface TaggedOrder {
  row: JournalRow
  /** It closed a position of the account: it carries no tag, and counts for whoever had a part in that. */
  closesOnly: boolean
  filled: { quantity: number; price: number; at: number } | undefined
}

/** How an update tells of fills, in the audit of its order. */
export const FILLS = {
  write: (quantity: number, of: number, price: number): string => `filled ${quantity} of ${of} at ${price}`,
  read(detail: string | null): { quantity: number; price: number } | undefined {
    const [, quantity, price] = /^filled (\S+) of \S+ at (\S+)$/.exec(detail ?? '') ?? []
    return quantity === undefined ? undefined : { quantity: Number(quantity), price: Number(price) }
  },
} as const

/** How the audit tells of an order that was about to leave and certainly did not. */
export const NEVER_LEFT = {
  write: (why: string): string => `Never reached the broker: ${why}`,
  pattern: 'Never reached the broker: %',
} as const

/** What a change of state may bring along. */
export interface StateDetail {
  orderId?: string
  reason?: string
  /** What its caller is told. It is kept although the order has moved on by news that came first. */
  answer?: Answer
  detail?: string
  /** Units filled so far. Of two reports of a partial fill the larger counts, in whichever order they come. */
  filled?: number
}

/** Parameters of one statement; SQLite takes many more, a plan is not made any better by them. */
const MAX_VARIABLES = 500

const INSERT_ENTRY = new BatchStatement({
  table: 'order_journal',
  columns: [
    'order_ref',
    'user_id',
    'api_type',
    'source',
    'mode',
    'broker',
    'state',
    'symbol',
    'exchange',
    'action',
    'quantity',
    'product',
    'request',
    'approval_id',
    'batch_ref',
    'leg',
    'created_at',
    'updated_at',
    'lookups',
  ],
})
const INSERT_EVENT = new BatchStatement({
  table: 'order_events',
  columns: ['order_ref', 'at', 'from_state', 'to_state', 'detail'],
})

/** All SQL of the order journal. Each change of state is one transaction with its audit row. */
export class OrderJournal {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
  ) {}

  /** Stores an order before anything is sent. `alongside` writes in the same transaction. */
  async open(entry: JournalEntry, alongside?: (tx: Tx) => Promise<void>): Promise<void> {
    await this.db.write(async (tx) => {
      await this.openIn(tx, entry)
      await alongside?.(tx)
    })
  }

  /** The same inside a transaction that is already open (the claim of an approval). */
  openIn(tx: Tx, entry: JournalEntry): Promise<void> {
    return this.openAllIn(tx, [entry])
  }

  /** Several at once. */
  async openAllIn(tx: Tx, entries: readonly JournalEntry[]): Promise<void> {
    if (entries.length === 0) return
    const now = this.clock.now()
    const rows = entries.map((entry) => rowOf(entry, now))
    const events = entries.map((entry) => [entry.orderRef, now, null, entry.state, null])
    await tx.exec(INSERT_ENTRY.sql, [BatchStatement.parameter(rows)])
    await tx.exec(INSERT_EVENT.sql, [BatchStatement.parameter(events)])
  }

  /**
   * Moves an order on, if it is in a state from which that may be. Old news changes nothing.
   * @returns the state it moved from, or undefined when it did not move
   */
  move(orderRef: string, to: OrderState, detail: StateDetail = {}): Promise<OrderState | undefined> {
    return this.db.write(async (tx) => {
      const now = this.clock.now()
      const [current] = await tx
        .select({ state: orderJournal.state })
        .from(orderJournal)
        .where(and(eq(orderJournal.orderRef, orderRef), inArray(orderJournal.state, statesBefore(to))))
      const from = ORDER_STATES.find((state) => state === current?.state)
      const moves = from && (from !== to || (await this.#isMore(tx, orderRef, detail.filled)))
      if (!moves) {
        if (detail.answer) await this.#keepAnswer(tx, orderRef, detail.answer)
        return undefined
      }
      await tx
        .update(orderJournal)
        .set({
          state: to,
          updatedAt: now,
          ...(detail.orderId === undefined ? {} : { orderId: detail.orderId }),
          ...(detail.reason === undefined ? {} : { reason: detail.reason }),
          ...(detail.answer && { answer: storedAnswer(detail.answer) }),
        })
        .where(eq(orderJournal.orderRef, orderRef))
      await tx.insert(orderEvents).values({
        orderRef,
        at: now,
        fromState: from,
        toState: to,
        detail: detail.detail ?? detail.reason ?? detail.orderId ?? null,
      })
      return from
    })
  }

  async #keepAnswer(tx: Tx, orderRef: string, answer: Answer): Promise<void> {
    await tx
      .update(orderJournal)
      .set({ answer: storedAnswer(answer) })
      .where(and(eq(orderJournal.orderRef, orderRef), isNull(orderJournal.answer)))
  }

  /** Whether more is filled now than when it was last told. */
  async #isMore(tx: Tx, orderRef: string, filled = 0): Promise<boolean> {
    const [last] = await tx
      .select({ detail: orderEvents.detail })
      .from(orderEvents)
      .where(eq(orderEvents.orderRef, orderRef))
      .orderBy(desc(orderEvents.id))
      .limit(1)
    return filled > (FILLS.read(last?.detail ?? null)?.quantity ?? 0)
  }

  /**
   * Takes up an order again that was closed with this reason without ever having been sent.
   * @returns whether it was such an order; it is `claimed` then
   */
  reopen(orderRef: string, reason: string): Promise<boolean> {
    return this.db.write(async (tx) => {
      const now = this.clock.now()
      const closed = and(
        eq(orderJournal.orderRef, orderRef),
        eq(orderJournal.state, 'rejected'),
        eq(orderJournal.reason, reason),
        isNull(orderJournal.answer),
      )
      const [row] = await tx.select({ orderRef: orderJournal.orderRef }).from(orderJournal).where(closed)
      if (!row) return false
      await tx.update(orderJournal).set({ state: 'claimed', reason: null, updatedAt: now }).where(closed)
      const detail = 'Asked for again'
      await tx
        .insert(orderEvents)
        .values({ orderRef, at: now, fromState: 'rejected', toState: 'claimed', detail })
      return true
    })
  }

  /** Notes one more fruitless search for an order in doubt. */
  async countLookup(orderRef: string): Promise<void> {
    await this.db.write(async (tx) => {
      await tx
        .update(orderJournal)
        .set({ lookups: sql`${orderJournal.lookups} + 1`, updatedAt: this.clock.now() })
        .where(eq(orderJournal.orderRef, orderRef))
    })
  }

  async find(orderRef: string): Promise<JournalRow | undefined> {
    const [row] = await this.db.read.select().from(orderJournal).where(eq(orderJournal.orderRef, orderRef))
    return row
  }

  async findByOrderId(orderId: string): Promise<JournalRow | undefined> {
    const [row] = await this.db.read.select().from(orderJournal).where(eq(orderJournal.orderId, orderId))
    return row
  }

  /** The orders of a batch, in the order of its plan. */
  inBatch(batchRef: string): Promise<JournalRow[]> {
    return this.db.read
      .select()
      .from(orderJournal)
      .where(eq(orderJournal.batchRef, batchRef))
      .orderBy(asc(orderJournal.leg))
  }

  /** Orders in a state, oldest first. */
  inState(state: OrderState): Promise<JournalRow[]> {
    return this.db.read
      .select()
      .from(orderJournal)
      .where(eq(orderJournal.state, state))
      .orderBy(asc(orderJournal.createdAt))
  }

  /** Live orders at a broker that may still trade, oldest first. A GTT is no order until it fires. */
  openAt(broker: string): Promise<OpenOrder[]> {
    const { createdAt, orderId, orderRef } = orderJournal
    return this.db.read
      .select({ orderRef, orderId, createdAt })
      .from(orderJournal)
      .where(
        and(
          inArray(orderJournal.state, ['accepted', 'partial']),
          eq(orderJournal.mode, 'live'),
          eq(orderJournal.broker, broker),
          ne(orderJournal.apiType, 'placegttorder'),
        ),
      )
      .orderBy(asc(createdAt))
  }

  /** Live GTTs at a broker that may still fire, oldest first. */
  openGttsAt(broker: string): Promise<OpenOrder[]> {
    const { createdAt, orderId, orderRef } = orderJournal
    return this.db.read
      .select({ orderRef, orderId, createdAt })
      .from(orderJournal)
      .where(
        and(
          eq(orderJournal.state, 'accepted'),
          eq(orderJournal.mode, 'live'),
          eq(orderJournal.broker, broker),
          eq(orderJournal.apiType, 'placegttorder'),
        ),
      )
      .orderBy(asc(createdAt))
  }

  /** A user's orders, newest first, at most `limit`, of one state when given. */
  list(userId: string, limit: number, state?: OrderState): Promise<JournalRow[]> {
    const mine = eq(orderJournal.userId, userId)
    return this.db.read
      .select()
      .from(orderJournal)
      .where(state ? and(mine, eq(orderJournal.state, state)) : mine)
      .orderBy(desc(orderJournal.createdAt))
      .limit(limit)
  }

  /** Live orders a strategy sent, and those that closed positions of the account, oldest first. */
  async ofStrategy(userId: string, strategy: string): Promise<TaggedOrder[]> {
    const isClose = sql<number>`${orderJournal.apiType} = 'closeposition'`
    const rows = await this.db.read
      .select({ row: orderJournal, closesOnly: isClose.as('closes_only') })
      .from(orderJournal)
      .where(
        and(
          eq(orderJournal.userId, userId),
          eq(orderJournal.mode, 'live'),
          or(isClose, sql`json_extract(${orderJournal.request}, '$.strategy') = ${strategy}`),
        ),
      )
      .orderBy(asc(orderJournal.createdAt))
    const fills = await this.#fillsOf(rows.map(({ row }) => row.orderRef))
    return rows.map(({ row, closesOnly }) => ({
      row,
      closesOnly: Boolean(closesOnly),
      filled: fills.get(row.orderRef),
    }))
  }

  /** What the last update of each order said of its fills. */
  async #fillsOf(orderRefs: readonly string[]): Promise<Map<string, TaggedOrder['filled']>> {
    const fills = new Map<string, TaggedOrder['filled']>()
    for (let from = 0; from < orderRefs.length; from += MAX_VARIABLES) {
      const events = await this.db.read
        .select()
        .from(orderEvents)
        .where(
          and(
            inArray(orderEvents.orderRef, orderRefs.slice(from, from + MAX_VARIABLES)),
            inArray(orderEvents.toState, ['partial', 'filled', 'cancelled']),
          ),
        )
        .orderBy(asc(orderEvents.id))
      for (const { orderRef, at, detail } of events) {
        const filled = FILLS.read(detail)
        if (filled) fills.set(orderRef, { ...filled, at })
      }
    }
    return fills
  }

  /** The audit of one order, in order. */
  events(orderRef: string): Promise<JournalEvent[]> {
    return this.db.read
      .select()
      .from(orderEvents)
      .where(eq(orderEvents.orderRef, orderRef))
      .orderBy(orderEvents.id)
  }

  /**
   * How many of the orders a user has placed since an instant have reached a broker, or may have. What only closes
   * positions is not among them: no limit holds it.
   */
  async countSince(userId: string, since: number): Promise<number> {
    const event = (which: SQL | undefined) =>
      this.db.read
        .select({ found: sql`1`.as('found') })
        .from(orderEvents)
        .where(and(eq(orderEvents.orderRef, orderJournal.orderRef), which))
    const wasSent = event(eq(orderEvents.toState, 'sending'))
    const neverLeft = event(
      and(eq(orderEvents.fromState, 'sending'), like(orderEvents.detail, NEVER_LEFT.pattern)),
    )
    const [row] = await this.db.read
      .select({ n: count().as('n') })
      .from(orderJournal)
      .where(
        and(
          eq(orderJournal.userId, userId),
          gte(orderJournal.createdAt, since),
          eq(orderJournal.mode, 'live'),
          ne(orderJournal.apiType, 'closeposition'),
          exists(wasSent),
          notExists(neverLeft),
        ),
      )
    return row?.n ?? 0
  }
}

function rowOf(entry: JournalEntry, now: number): SqlValue[] {
  const { payload } = entry
  return [
    entry.orderRef,
    entry.userId,
    entry.apiType,
    entry.source,
    entry.mode,
    entry.broker,
    entry.state,
    payload.symbol,
    payload.exchange,
    payload.action.toUpperCase(),
    String(payload.quantity),
    payload.product,
    JSON.stringify(payload),
    entry.approvalId ?? null,
    entry.batchRef ?? null,
    entry.leg ?? null,
    now,
    now,
    0,
  ]
}
