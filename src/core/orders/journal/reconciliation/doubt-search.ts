import type { BrokerClient, BrokerOrder } from '../../../brokers/broker.js'
import type { Clock } from '../../../time/index.js'
import { isOrderRef } from '../../order-ref.js'
import type { LiveExecution } from '../../ports.js'
import type { JournalRow, OrderJournal } from '../journal.js'
import type { SettledBy } from '../move-store.js'
import { NEVER_RECEIVED } from '../result.js'
import { ABSENT_READINGS, isDue, isWholeBook, orderDay, reasonOf, type SessionOf } from './absence.js'
import { isSameGtt, isSameOrder, mayBeSentBy, windowOf } from './content.js'
import { type DoubtStore, GTT, type StoredCandidate } from './doubt-store.js'
import { type Found, foundGtt, foundOrder } from './found.js'

/** Orders that were claimed so long before an order in doubt may have been sent beside it. */
const BESIDE_MS = 10 * 60_000

/** What a reading of the broker's books says about an order in doubt. `nothing`: it stays in doubt. */
export type Finding =
  | { kind: 'found'; found: Found; settledBy: SettledBy }
  | { kind: 'never_received'; reason: string; settledBy: SettledBy }
  | { kind: 'nothing' }

export interface DoubtSearchParts {
  clock: Pick<Clock, 'now'>
  journal: Pick<OrderJournal, 'inState'>
  doubts: DoubtStore
  broker: LiveExecution
  sessionOf: SessionOf
}

/** An entry of the broker's books with the content of an order in doubt. */
interface Match extends StoredCandidate {
  found: Found
}

type Kind = 'order' | 'gtt'
/** The entries that an order may be, by our reference. */
type Matches = ReadonlyMap<string, readonly Match[]>

const NOTHING: Finding = { kind: 'nothing' }

/**
 * One reading of the broker's books for all orders in doubt. An order is found by our tag. Where the broker keeps no tag (of
 * any order, or of GTTs), it is found by its content, if it is the only one that can be it. What several may be is stored for
 * a person.
 */
export class DoubtReading {
  #orders: Promise<BrokerOrder[]> | undefined
  readonly #matches = new Map<Kind, Promise<Matches>>()
  /** The broker's orders that have the content of each order in doubt, whatever their time. */
  readonly #sameContent = new Map<string, readonly Match[]>()

  private constructor(
    private readonly parts: DoubtSearchParts,
    private readonly client: BrokerClient,
    private readonly byTag: ReadonlyMap<string, BrokerOrder>,
  ) {}

  /** Reads the book for these rows, all of the active broker. @throws BrokerError if it cannot be read */
  static async of(parts: DoubtSearchParts, rows: readonly JournalRow[]): Promise<DoubtReading> {
    const client = parts.broker.client()
    const hasTags = parts.broker.manifest().tagLookup !== 'none'
    const isTagged = ({ operation }: JournalRow) =>
      operation !== GTT || parts.broker.manifest().gtt?.order === 'tagged'
    const tags = rows.filter(isTagged).map(({ orderRef }) => orderRef)
    const byTag = hasTags && tags.length > 0 ? await client.orders.findByTags(tags) : new Map()
    return new DoubtReading(parts, client, byTag)
  }

  /** @throws BrokerError if a book cannot be read */
  of(row: JournalRow): Promise<Finding> {
    return row.operation === GTT ? this.#ofGtt(row) : this.#ofOrder(row)
  }

  async #ofOrder(row: JournalRow): Promise<Finding> {
    const order = this.byTag.get(row.orderRef)
    if (order) return { kind: 'found', found: foundOrder(order), settledBy: 'tag' }
    // A book of today proves nothing about an order of an earlier session.
    if (row.state === 'lapsed') return NOTHING
    switch (this.parts.broker.manifest().tagLookup) {
      case 'authoritative':
        return { kind: 'never_received', reason: NEVER_RECEIVED, settledBy: 'tag' }
      case 'none': {
        const finding = await this.#byContent(row)
        return finding.kind === 'found' ? finding : this.#absence(row)
      }
      case 'book':
        return this.#absence(row)
    }
  }

  async #ofGtt(row: JournalRow): Promise<Finding> {
    const { gtts } = this.client
    if (!gtts) return NOTHING
    if (!gtts.findByTag) return row.state === 'lapsed' ? NOTHING : this.#byContent(row)
    const gtt = await gtts.findByTag(row.orderRef)
    if (gtt) return { kind: 'found', found: foundGtt(gtt), settledBy: 'tag' }
    // The list may show no more of one that has fired. The comparison of open orders then follows its order.
    if (this.byTag.has(row.orderRef)) return { kind: 'found', found: { state: 'accepted' }, settledBy: 'tag' }
    if (row.state === 'lapsed') return NOTHING
    const isProof = this.parts.broker.manifest().tagLookup === 'authoritative'
    return isProof ? { kind: 'never_received', reason: NEVER_RECEIVED, settledBy: 'tag' } : NOTHING
  }

  /** Finds the only entry of the broker that an order can be, and stores what it may be otherwise. */
  async #byContent(row: JournalRow): Promise<Finding> {
    const matches = await this.#matchesOf(kindOf(row))
    const own = matches.get(row.orderRef) ?? []
    const [only] = own
    const claims = [...matches.values()].flat().filter(({ id }) => id === only?.id)
    const isOnlyOne = own.length === 1 && claims.length === 1 && only?.placedAt !== null
    if (only && isOnlyOne && this.#isOfThisAccount(row)) {
      return { kind: 'found', found: only.found, settledBy: 'matched' }
    }
    await this.parts.doubts.setCandidates(row.orderRef, own.map(stored))
    return NOTHING
  }

  /** Counts a reading after the close that does not show an order. Enough of them end the doubt. */
  async #absence(row: JournalRow): Promise<Finding> {
    const { clock, doubts, sessionOf } = this.parts
    const last = await doubts.absence(row.orderRef)
    const now = clock.now()
    const day = orderDay(row, sessionOf)
    if (!day || !this.#isOfThisAccount(row) || !isDue(day, now, last)) return NOTHING
    const book = await this.#book()
    // It has arrived since the search by tag, which finds it the next time.
    if (book.some(({ tag }) => tag === row.orderRef)) return NOTHING
    const timely = (await this.#matchesOf('order')).get(row.orderRef)
    // The clock of a broker without tags may be wrong by minutes, so an order of this content disproves the absence at any time.
    const hasTags = this.parts.broker.manifest().tagLookup !== 'none'
    const own = (hasTags ? timely : this.#sameContent.get(row.orderRef)) ?? []
    // An order that may be this one proves nothing.
    if (own.length > 0) {
      await doubts.setCandidates(row.orderRef, own.map(stored))
      return NOTHING
    }
    if (!(await isWholeBook({ date: day.date, row }, book, doubts, now))) return NOTHING
    const evidence = await doubts.noteAbsent(row.orderRef, now)
    if (evidence.readings < ABSENT_READINGS) return NOTHING
    return { kind: 'never_received', reason: reasonOf(evidence), settledBy: 'not_shown' }
  }

  /** A book is that of the account that is signed in. */
  #isOfThisAccount({ account }: JournalRow): boolean {
    return account === (this.parts.broker.accountId ?? null)
  }

  #book(): Promise<BrokerOrder[]> {
    this.#orders ??= this.client.orders.list('exit')
    return this.#orders
  }

  /** Returns the entries of the book that each order in doubt, and each row that may own one of them, may be. */
  #matchesOf(kind: Kind): Promise<Matches> {
    const known = this.#matches.get(kind) ?? this.#matchAll(kind)
    this.#matches.set(kind, known)
    return known
  }

  async #matchAll(kind: Kind): Promise<Matches> {
    const { broker, doubts, journal } = this.parts
    const listed =
      kind === 'gtt'
        ? ((await this.client.gtts?.list()) ?? []).map(matchOfGtt)
        : (await this.#book()).filter(isUntagged).map(matchOfOrder)
    // After the book: an order that is on its way now may be one that it lists.
    const rows = [...(await journal.inState('unknown')), ...(await journal.inState('sending'))]
    const known = rows.filter((row) => row.broker === broker.brokerId && kindOf(row) === kind)
    const since = Math.min(...known.map(({ createdAt }) => createdAt)) - BESIDE_MS
    const ours = [...known, ...(await doubts.rivals(broker.brokerId, kind, since))]
    const unowned = await this.#unowned(kind, listed)
    const found = await Promise.all(
      ours.map(async (row) => {
        const same = unowned.filter(({ isSame }) => isSame(row))
        this.#sameContent.set(row.orderRef, same)
        const isOfGtt = kindOf(row) !== kind
        return [row.orderRef, isOfGtt ? same : await this.#within(row, same)] as const
      }),
    )
    return new Map(found)
  }

  /** Leaves out what the journal has already. */
  async #unowned<T extends Match>(kind: Kind, matches: readonly T[]): Promise<T[]> {
    const { broker, doubts } = this.parts
    const owned = await doubts.owned(
      broker.brokerId,
      kind,
      matches.map(({ id }) => id),
    )
    return matches.filter(({ id }) => !owned.has(id))
  }

  /** Leaves out what the broker took before the order was sent, or long after. */
  async #within(row: JournalRow, matches: readonly Match[]): Promise<readonly Match[]> {
    if (matches.length === 0) return []
    const times = await this.parts.doubts.sendTimes(row.orderRef)
    if (!times) return []
    const { from, to } = windowOf(times.sentAt, times.unknownAt ?? this.parts.clock.now())
    return matches.filter(({ placedAt }) => placedAt === null || (placedAt >= from && placedAt <= to))
  }
}

function kindOf({ operation }: JournalRow): Kind {
  return operation === GTT ? 'gtt' : 'order'
}

/** An order with one of our tags is the order of that tag. */
function isUntagged({ tag }: BrokerOrder): boolean {
  return tag === undefined || !isOrderRef(tag)
}

type Matchable = Match & { isSame(row: JournalRow): boolean }

function matchOfOrder(order: BrokerOrder): Matchable {
  const { averagePrice, filledQuantity, orderId, placedAt, price, status, timestamp } = order
  const at = placedAt ?? timestamp
  return {
    id: orderId,
    status,
    filled: filledQuantity,
    price: filledQuantity > 0 ? averagePrice : price,
    placedAt: at > 0 ? at : null,
    found: foundOrder(order),
    isSame: (row) => (row.operation === GTT ? mayBeSentBy(row, order) : isSameOrder(row, order)),
  }
}

function matchOfGtt(gtt: Parameters<typeof foundGtt>[0]): Matchable {
  return {
    id: gtt.triggerId,
    status: gtt.status,
    filled: 0,
    price: gtt.legs[0]?.price ?? 0,
    placedAt: gtt.createdAt ?? null,
    found: foundGtt(gtt),
    isSame: (row) => isSameGtt(row, gtt),
  }
}

function stored({ filled, id, placedAt, price, status }: Match): StoredCandidate {
  return { filled, id, placedAt, price, status }
}
