import {
  and,
  asc,
  count,
  desc,
  eq,
  gte,
  inArray,
  isNull,
  lt,
  ne,
  notExists,
  notInArray,
  or,
  sql,
} from 'drizzle-orm'
import type { Database, StatementRows, Tx } from '../../storage/index.js'
import { orderEvents, orderJournal } from '../../storage/tables/svc/orders.js'
import { strategyOrders } from '../../storage/tables/svc/strategies.js'
import type { Clock } from '../../time/index.js'
import type { HistoryQuery } from '../schema.js'
import { type JournalEntry, journalRow } from './entry.js'
import { type EndCause, type Fill, type Move, MoveStore, type StateDetail } from './move-store.js'
import { newestOf, olderThan, ownOrders, refuseCursor } from './page-store.js'
import {
  CLOSE,
  FILLED,
  INSERT_ENTRY,
  INSERT_EVENT,
  REOPEN,
  UNFINISHED_ORDERS,
  UNPRICED_ORDERS,
  WAITING_ORDERS,
} from './statements.js'
import type { OrderState } from './states.js'
import { type UnfinishedOrder, unfinished, type WaitingOrder } from './unfinished.js'

export type { Fill, StateDetail } from './move-store.js'
export type { UnfinishedOrder, WaitingOrder } from './unfinished.js'

export type JournalRow = typeof orderJournal.$inferSelect
/** A page of the journal, without its length. */
export type JournalQuery = Omit<HistoryQuery, 'limit'> & { state?: OrderState | undefined }
/** An order that is open in the journal. `since` is when it was placed; a GTT sent its order when it fired. */
export type OpenOrder = Pick<JournalRow, 'orderRef' | 'orderId' | 'exchange' | 'request'> & {
  since: number
  /** True if the order has ended, and the broker has reported no price of its fill yet. */
  lacksPrice?: true
}
/** A GTT that may still fire. */
export type OpenGtt = Pick<JournalRow, 'orderRef' | 'triggerId'>
/** An order that a broker may have, and the position it would change. `since` is when it was placed. */
export type OrderInDoubt = Pick<
  JournalRow,
  'orderRef' | 'state' | 'symbol' | 'exchange' | 'product' | 'request'
> & { since: number }
export type JournalEvent = typeof orderEvents.$inferSelect

/** The causes of orders that never reached a broker. They do not count towards the orders of the day. */
const NEVER_LEFT: readonly EndCause[] = ['stopped', 'not_sent']

/** All SQL of the order journal. Each change of state and its audit row are one transaction. */
export class OrderJournal {
  readonly #moves: MoveStore

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
  ) {
    this.#moves = new MoveStore(db, clock)
  }

  /** Calls the listener with the references of orders after each change is durable. It must not block. */
  onMoved(listener: (orderRefs: readonly string[]) => void): void {
    this.#moves.onMoved(listener)
  }

  /** Stores orders before one of them is sent, together with the rows `alongside`, in one trip to the database. */
  open(
    entries: readonly JournalEntry[],
    alongside: () => readonly StatementRows[] = () => [],
  ): Promise<void> {
    return this.db.script(() => [...this.#openSql(entries), ...alongside()])
  }

  /** Stores an order inside an open transaction (the claim of an approval). */
  async openIn(tx: Tx, entry: JournalEntry): Promise<void> {
    for (const rows of this.#openSql([entry])) await tx.batch(rows)
  }

  #openSql(entries: readonly JournalEntry[]) {
    const now = this.clock.now()
    return [
      INSERT_ENTRY.rows(entries.map((entry) => journalRow(entry, now))),
      INSERT_EVENT.rows(
        entries.map(({ orderRef, state }) => ({
          orderRef,
          at: now,
          fromState: null,
          toState: state,
          detail: null,
        })),
      ),
    ]
  }

  /**
   * Changes the state of an order, if the table of states allows it. A stale change has no effect.
   * @returns the state before the change, or undefined without a change
   */
  async move(orderRef: string, to: OrderState, detail: StateDetail = {}): Promise<OrderState | undefined> {
    const [from] = await this.moveAll([{ ...detail, orderRef, to }])
    return from
  }

  /**
   * Changes several orders, each at most once, in one transaction. @returns as {@link move}, for each of them
   */
  async moveAll(moves: readonly Move[]): Promise<(OrderState | undefined)[]> {
    return moves.length === 0 ? [] : this.#moves.all(moves)
  }

  /**
   * Ends an order that is claimed and not sent yet. Either this change or the sender takes it from `claimed`, never both.
   * @returns false if it may be at the broker already; nothing is changed then
   */
  takeBack(orderRef: string, reason: string): Promise<boolean> {
    return this.moveFrom('claimed', orderRef, 'rejected', { endCause: 'stopped', reason })
  }

  /** Changes the state of an order only if it still is the one that the caller has read. @returns whether it was */
  async moveFrom(
    onlyFrom: OrderState,
    orderRef: string,
    to: OrderState,
    detail: StateDetail,
  ): Promise<boolean> {
    const [from] = await this.moveAll([{ ...detail, orderRef, to, onlyFrom }])
    return from !== undefined
  }

  /**
   * Claims orders again that a stop of the service left unsent, or that the broker never received.
   * @returns the references of the claimed orders; other orders do not change
   */
  reopen(orderRefs: readonly string[]): Promise<Set<string>> {
    return this.db.write(async (tx) => {
      const now = this.clock.now()
      const rows = await tx.query(REOPEN, [now, JSON.stringify(orderRefs)])
      const reopened = rows.map((row) => String(row.order_ref))
      const change = { at: now, fromState: 'rejected', toState: 'claimed', detail: 'Asked for again' }
      await tx.batch(INSERT_EVENT.rows(reopened.map((orderRef) => ({ orderRef, ...change }))))
      return new Set(reopened)
    })
  }

  /** Counts a search that did not find an order in doubt. */
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

  /** Returns the order with this id at a broker; for the order that a GTT sent, the GTT. */
  async findByOrderId(broker: string, orderId: string): Promise<JournalRow | undefined> {
    const [row] = await this.db.read
      .select()
      .from(orderJournal)
      .where(and(eq(orderJournal.broker, broker), eq(orderJournal.orderId, orderId)))
    return row
  }

  /** Returns the GTT with this id at a broker. */
  async findByTriggerId(broker: string, triggerId: string): Promise<JournalRow | undefined> {
    const [row] = await this.db.read
      .select()
      .from(orderJournal)
      .where(and(eq(orderJournal.broker, broker), eq(orderJournal.triggerId, triggerId)))
    return row
  }

  /** Returns the orders of a batch, in the order of its plan. */
  inBatch(batchRef: string): Promise<JournalRow[]> {
    return this.db.read
      .select()
      .from(orderJournal)
      .where(eq(orderJournal.batchRef, batchRef))
      .orderBy(asc(orderJournal.leg))
  }

  /** Returns the orders in a state, oldest first. */
  inState(state: OrderState): Promise<JournalRow[]> {
    return this.db.read
      .select()
      .from(orderJournal)
      .where(eq(orderJournal.state, state))
      .orderBy(asc(orderJournal.createdAt))
  }

  /**
   * Returns the live orders since an instant that a broker may have without having answered: orders being
   * sent, and orders in doubt. An order of a strategy counts from its claim, because nothing stops it any more.
   * It leaves out GTTs, which trade nothing yet.
   */
  inDoubtAt(broker: string, since: number): Promise<OrderInDoubt[]> {
    const { createdAt, exchange, operation, orderRef, product, request, source, state, symbol } = orderJournal
    return this.db.read
      .select({ orderRef, state, symbol, exchange, product, request, since: createdAt })
      .from(orderJournal)
      .where(
        and(
          or(inArray(state, ['sending', 'unknown']), and(eq(state, 'claimed'), eq(source, 'strategy'))),
          gte(createdAt, since),
          eq(orderJournal.mode, 'live'),
          eq(orderJournal.broker, broker),
          ne(operation, 'placegttorder'),
        ),
      )
      .orderBy(asc(createdAt))
  }

  /**
   * Returns the live orders at a broker that may still trade, oldest first. A GTT is an order only once it has
   * fired.
   */
  openAt(broker: string): Promise<OpenOrder[]> {
    const { createdAt, exchange, operation, orderId, orderRef, request, triggerId, updatedAt } = orderJournal
    const since = sql<number>`iif(${triggerId} is null, ${createdAt}, ${updatedAt})`.as('since')
    return this.db.read
      .select({ orderRef, orderId, exchange, request, since })
      .from(orderJournal)
      .where(
        and(
          inArray(orderJournal.state, ['accepted', 'triggered', 'partial']),
          eq(orderJournal.mode, 'live'),
          eq(orderJournal.broker, broker),
          or(ne(operation, 'placegttorder'), ne(orderJournal.state, 'accepted')),
        ),
      )
      .orderBy(asc(createdAt))
  }

  /**
   * Returns the live orders at a broker that have ended, with a fill since an instant whose price the broker has not reported
   * yet. The oldest comes first.
   */
  async unpricedAt(broker: string, since: number): Promise<OpenOrder[]> {
    const rows = await this.db.queryRaw(UNPRICED_ORDERS, [since, broker])
    return rows.map((row) => ({
      orderRef: String(row.order_ref),
      orderId: row.order_id === null ? null : String(row.order_id),
      exchange: String(row.exchange),
      request: String(row.request),
      since: Number(row.at),
      lacksPrice: true,
    }))
  }

  /** Returns the live GTTs at a broker that may still fire, oldest first. */
  openGttsAt(broker: string): Promise<OpenGtt[]> {
    return this.#gttsAt(broker, ['accepted'])
  }

  /** Returns the live GTTs that a broker may have without having answered, oldest first. */
  gttsInDoubtAt(broker: string): Promise<OpenGtt[]> {
    return this.#gttsAt(broker, ['sending', 'unknown'])
  }

  #gttsAt(broker: string, states: OrderState[]): Promise<OpenGtt[]> {
    const { createdAt, orderRef, triggerId } = orderJournal
    return this.db.read
      .select({ orderRef, triggerId })
      .from(orderJournal)
      .where(
        and(
          inArray(orderJournal.state, states),
          eq(orderJournal.mode, 'live'),
          eq(orderJournal.broker, broker),
          eq(orderJournal.operation, 'placegttorder'),
        ),
      )
      .orderBy(asc(createdAt))
  }

  /**
   * Returns a user's newest live orders, at most `limit`, of one state if given. The sandbox stores its own
   * orders.
   */
  async list(userId: string, limit: number, query: JournalQuery = {}): Promise<JournalRow[]> {
    const { before, since, state, strategy, until } = query
    if (before !== undefined && (await this.find(before))?.userId !== userId) refuseCursor()
    const conditions = [
      ...ownOrders(userId, query),
      since === undefined ? undefined : gte(orderJournal.createdAt, since),
      until === undefined ? undefined : lt(orderJournal.createdAt, until),
      before === undefined ? undefined : olderThan(before),
    ]
    const states = state === undefined ? undefined : [state]
    const byState = states !== undefined || strategy !== undefined
    return this.db.read
      .select()
      .from(orderJournal)
      .where(byState ? newestOf(states, conditions, limit) : and(...conditions))
      .orderBy(desc(orderJournal.createdAt), desc(orderJournal.orderRef))
      .limit(limit)
  }

  /**
   * Returns the live orders since an instant that may have filled further than the journal shows: orders of
   * the strategy, and orders that close positions of the account.
   */
  async unfinishedOf(userId: string, strategy: string, since: number): Promise<UnfinishedOrder[]> {
    const rows = await this.db.queryRaw(UNFINISHED_ORDERS, [userId, strategy, since, strategy])
    return rows.map(unfinished)
  }

  /**
   * Returns the live orders of a strategy that were sent between two instants to wait for the next open, and have not ended in
   * the journal. The broker may have filled them further than it shows.
   */
  async waitingOf(
    userId: string,
    strategy: string,
    { before, since }: { since: number; before: number },
  ): Promise<WaitingOrder[]> {
    const rows = await this.db.queryRaw(WAITING_ORDERS, [userId, strategy, since, before])
    return rows.map((row) => ({
      ...unfinished(row),
      request: String(row.request),
      since: Number(row.created_at),
    }))
  }

  /** Returns the fills of orders by reference, up to the row `through` of the log of fills. */
  async filledThrough(orderRefs: readonly string[], through: number): Promise<Map<string, Fill>> {
    const rows = await this.db.queryRaw(FILLED, [JSON.stringify(orderRefs), through])
    return new Map(
      rows.map((row) => [
        String(row.order_ref),
        { quantity: Number(row.quantity), price: Number(row.price) },
      ]),
    )
  }

  /** Returns the audit trail of one order, oldest first. */
  events(orderRef: string): Promise<JournalEvent[]> {
    return this.db.read
      .select()
      .from(orderEvents)
      .where(eq(orderEvents.orderRef, orderRef))
      .orderBy(orderEvents.id)
  }

  /**
   * Counts the orders that a user has placed since an instant and that reached a broker, or may have. It
   * leaves out orders that only close positions, exits of strategies too: no limit applies to them.
   */
  async countSince(userId: string, since: number): Promise<number> {
    const exit = this.db.read
      .select({ id: strategyOrders.id })
      .from(strategyOrders)
      .where(and(eq(strategyOrders.orderRef, orderJournal.orderRef), ne(strategyOrders.kind, 'entry')))
    const [row] = await this.db.read
      .select({ n: count().as('n') })
      .from(orderJournal)
      .where(
        and(
          eq(orderJournal.userId, userId),
          gte(orderJournal.createdAt, since),
          eq(orderJournal.mode, 'live'),
          ne(orderJournal.operation, CLOSE),
          notExists(exit),
          ne(orderJournal.state, 'claimed'),
          or(isNull(orderJournal.endCause), notInArray(orderJournal.endCause, [...NEVER_LEFT])),
        ),
      )
    return row?.n ?? 0
  }
}
