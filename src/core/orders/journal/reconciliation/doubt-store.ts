import { and, asc, eq, gte, inArray, isNull, ne, type SQL, sql } from 'drizzle-orm'
import { allBut, type Database, insertInto } from '../../../storage/index.js'
import { orderAbsences, orderCandidates, orderJournal, UNPROVEN } from '../../../storage/tables/svc/orders.js'
import type { JournalRow } from '../journal.js'

/** The readings after the close that did not show an order in doubt. Times are epoch milliseconds. */
export interface Absence {
  readings: number
  firstAt: number
  lastAt: number
}

/** An order or a GTT of the broker that an order in doubt may be. */
export type StoredCandidate = Omit<typeof orderCandidates.$inferSelect, 'orderRef'>

/** When an order was sent, and since when its end is unknown. Epoch milliseconds. */
export interface SendTimes {
  sentAt: number
  unknownAt: number | undefined
}

const INSERT_CANDIDATE = insertInto(orderCandidates, allBut(orderCandidates))
const SEND_TIMES = `select max(iif(to_state = 'sending', at, null)) as sent, max(iif(to_state = 'unknown', at, null)) as unknown
  from order_events where order_ref = ?`
const OWN_ORDERS = `select order_id as id from order_journal
  where broker = ? and order_id is not null and order_id in (select value from json_each(?))`
const OWN_GTTS = `select trigger_id as id from order_journal
  where broker = ? and trigger_id is not null and trigger_id in (select value from json_each(?))`
/** The newest orders of a day are enough to see whether a book is that of the day and the account. */
const ACKNOWLEDGED = `select order_id as id from order_journal
  where user_id = ? and created_at >= ? and created_at < ? and broker = ? and account is ? and mode = 'live'
    and order_id is not null and trigger_id is null
  order by created_at desc limit 50`

/** The operation of GTTs. */
export const GTT = 'placegttorder'

/** All SQL about the evidence on orders in doubt. */
export class DoubtStore {
  constructor(private readonly db: Database) {}

  async absence(orderRef: string): Promise<Absence | undefined> {
    const [row] = await this.db.read.select().from(orderAbsences).where(eq(orderAbsences.orderRef, orderRef))
    return row
  }

  /** Stores one more reading that did not show an order. */
  async noteAbsent(orderRef: string, at: number): Promise<Absence> {
    const before = await this.absence(orderRef)
    const evidence = { readings: (before?.readings ?? 0) + 1, firstAt: before?.firstAt ?? at, lastAt: at }
    await this.db.write(async (tx) => {
      await tx
        .insert(orderAbsences)
        .values({ orderRef, ...evidence })
        .onConflictDoUpdate({ target: orderAbsences.orderRef, set: evidence })
    })
    return evidence
  }

  /** Returns what an order in doubt may be at its broker, by time. */
  async candidates(orderRef: string): Promise<StoredCandidate[]> {
    const { filled, id, placedAt, price, status } = orderCandidates
    return this.db.read
      .select({ filled, id, placedAt, price, status })
      .from(orderCandidates)
      .where(eq(orderCandidates.orderRef, orderRef))
      .orderBy(asc(placedAt), asc(id))
  }

  /** Replaces what an order in doubt may be at its broker. */
  async setCandidates(orderRef: string, candidates: readonly StoredCandidate[]): Promise<void> {
    const before = await this.candidates(orderRef)
    if (JSON.stringify(before.map(inOrder)) === JSON.stringify(candidates.map(inOrder))) return
    await this.db.write(async (tx) => {
      await tx.delete(orderCandidates).where(eq(orderCandidates.orderRef, orderRef))
      await tx.batch(INSERT_CANDIDATE.rows(candidates.map((candidate) => ({ orderRef, ...candidate }))))
    })
  }

  /** Returns undefined for an order that was not sent. */
  async sendTimes(orderRef: string): Promise<SendTimes | undefined> {
    const [row] = await this.db.queryRaw(SEND_TIMES, [orderRef])
    if (row?.sent === null || row?.sent === undefined) return undefined
    return { sentAt: Number(row.sent), unknownAt: row.unknown === null ? undefined : Number(row.unknown) }
  }

  /** Returns which of these ids belong to orders, or to GTTs, of the journal. */
  async owned(broker: string, kind: 'order' | 'gtt', ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set()
    const rows = await this.db.queryRaw(kind === 'gtt' ? OWN_GTTS : OWN_ORDERS, [broker, JSON.stringify(ids)])
    return new Set(rows.map(({ id }) => String(id)))
  }

  /**
   * Returns the rows without an id of the broker that may own an entry of its books although they are neither in doubt nor on
   * their way: those that ended since an instant without its word, and for orders also the GTTs that may have fired.
   */
  async rivals(broker: string, kind: 'order' | 'gtt', since: number): Promise<JournalRow[]> {
    const { createdAt, operation, orderId, triggerId } = orderJournal
    const isKind = kind === 'gtt' ? eq(operation, GTT) : ne(operation, GTT)
    const unproven = await this.#unproven(
      broker,
      since,
      gte(createdAt, since),
      isKind,
      isNull(kind === 'gtt' ? triggerId : orderId),
    )
    return kind === 'gtt' ? unproven : [...unproven, ...(await this.#mayHaveFired(broker, since))]
  }

  /** Returns the GTTs that may have sent an order since an instant that the broker did not name. */
  async #mayHaveFired(broker: string, since: number): Promise<JournalRow[]> {
    const { operation, orderId, state } = orderJournal
    const are = [eq(operation, GTT), isNull(orderId)]
    const open = await this.#live(broker, inArray(state, ['accepted', 'triggered']), ...are)
    return [...open, ...(await this.#unproven(broker, since, eq(state, 'lapsed'), ...are))]
  }

  /** Returns rows that ended without the word of the broker, and changed since an instant. */
  #unproven(broker: string, since: number, ...are: (SQL | undefined)[]): Promise<JournalRow[]> {
    const { state, updatedAt } = orderJournal
    // One that is not in doubt any more: the first condition names the index, also of doubts that ended with a fill.
    const hasEnded = inArray(state, ['lapsed', 'rejected'])
    return this.#live(broker, sql.raw(UNPROVEN), gte(updatedAt, since), hasEnded, ...are)
  }

  #live(broker: string, ...are: (SQL | undefined)[]): Promise<JournalRow[]> {
    const isLive = and(eq(orderJournal.broker, broker), eq(orderJournal.mode, 'live'))
    return this.db.read
      .select()
      .from(orderJournal)
      .where(and(isLive, ...are))
  }

  /** Returns the ids of the newest orders that a broker acknowledged to a user between two instants. */
  async acknowledged(
    { account, broker, userId }: { account: string | null; broker: string; userId: string },
    from: number,
    to: number,
  ): Promise<string[]> {
    const rows = await this.db.queryRaw(ACKNOWLEDGED, [userId, from, to, broker, account])
    return rows.map(({ id }) => String(id))
  }
}

function inOrder({ filled, id, placedAt, price, status }: StoredCandidate) {
  return [id, status, filled, price, placedAt]
}
