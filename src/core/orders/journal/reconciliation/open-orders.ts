import type { BrokerClient, BrokerManifest, BrokerOrder, BrokerOrders } from '../../../brokers/broker.js'
import { messageOf } from '../../../errors/index.js'
import type { Logger } from '../../../logging/index.js'
import { type Clock, sessionDate, sessionStart, type Timer } from '../../../time/index.js'
import type { BrokerDrift } from '../../drift/broker-drift.js'
import type { OpenOrder, OrderJournal } from '../journal.js'
import type { OrderUpdates } from '../order-updates.js'
import { mayTradeToday, type SessionOf } from './absence.js'
import { BrokerBook } from './broker-book.js'
import type { OpenGtts } from './open-gtts.js'
import { Retries } from './retries.js'

/** The interval of checks of the order feed's state. A check is cheap; only a comparison asks the broker. */
const CHECK_MS = 2_000
/** The interval of comparisons while the order feed is disconnected. */
const AWAY_INTERVAL_MS = 15_000
/** The interval while the feed is connected: an update may be lost without a gap. */
const CONNECTED_INTERVAL_MS = 5 * 60_000
const LAPSED =
  'Its session is over and the broker’s book no longer lists it. A fill while updates were missing is not recorded here: look at the positions.'

interface OpenOrdersParts {
  clock: Clock
  log: Pick<Logger, 'info' | 'warn'>
  journal: Pick<OrderJournal, 'openAt' | 'unpricedAt' | 'move'>
  gtts: Pick<OpenGtts, 'any' | 'compare'>
  updates: Pick<OrderUpdates, 'record'>
  drift: Pick<BrokerDrift, 'compare'>
  broker: {
    readonly brokerId: string
    manifest(): Pick<BrokerManifest, 'tagLookup'>
    connected(): boolean
    client(): BrokerClient
  }
  /** The hours of an exchange, which an order that was sent after the close waits for. */
  sessionOf: SessionOf
  /** Publishes an update that the feed did not deliver. */
  publish(broker: string, order: BrokerOrder): void
}

/**
 * Compares the open orders of the journal with the broker's book, and records the differences. It also reads the orders of
 * the session again that have ended with a fill without a price, until the broker tells it. Updates of the feed cover the time while the service runs and the feed is connected. Comparisons cover the rest: at start,
 * after each gap of the feed, often while it is disconnected, and rarely while it is connected. One read of
 * the book serves all orders.
 */
export class OpenOrders {
  #timer: Timer | undefined
  #running: Promise<void> | undefined
  /** The connection that the last comparison relied on. */
  #client: BrokerClient | undefined
  #connections = 0
  #comparedAt = Number.NEGATIVE_INFINITY
  /** True if somebody waits for an order whose update may be lost. */
  #isAsked = false
  /** The trading day of the last comparison of the whole account, and whether the next one is due. */
  #accountDay = ''
  #isDriftDue = true
  #accountRun: Promise<void> | undefined
  readonly #retries: Retries
  /** The GTTs have a pace of their own: a list of them that cannot be read does not slow down the comparisons of orders. */
  readonly #gttRetries: Retries
  /** The last report of each order that the journal did not know, since the last comparison. */
  #unknown = new Map<string, BrokerOrder>()
  #stopped = false

  constructor(private readonly parts: OpenOrdersParts) {
    this.#retries = new Retries(parts.clock)
    this.#gttRetries = new Retries(parts.clock)
  }

  /**
   * Accepts the report of an order that the journal does not know. A GTT may have sent it, so the next check
   * compares if a GTT is open. Otherwise it is not from here, and the account is compared soon.
   */
  noteUnknown(order: BrokerOrder): void {
    this.#unknown.set(order.orderId, order)
    this.#isDriftDue = true
    this.#isAsked = true
  }

  /** Makes the next comparison due as soon as while the feed is disconnected. */
  compareSoon(): void {
    this.#isAsked = true
  }

  /** Starts the comparisons. */
  start(): void {
    this.#timer ??= this.parts.clock.setInterval(() => void this.compareIfDue(), CHECK_MS)
  }

  /** Starts no further comparison. A running one ends with the broker's connection. */
  stop(): void {
    this.#stopped = true
    this.parts.clock.clear(this.#timer)
  }

  /**
   * Compares when it is due and the broker is connected. Never rejects; concurrent calls share one
   * comparison.
   */
  compareIfDue(): Promise<void> {
    this.#running ??= this.#lookWhetherDue()
      .catch((error: unknown) => this.#logFailure('orders.compare_failed', error))
      .finally(() => {
        this.#running = undefined
      })
    return this.#running
  }

  async #lookWhetherDue(): Promise<void> {
    const { broker } = this.parts
    if (!broker.connected()) return
    const client = broker.client()
    if (this.#retries.waits(client)) return
    const [reported, isAsked] = [this.#unknown, this.#isAsked]
    this.#unknown = new Map()
    if (!this.#isDue(client) && !(await this.#mayBeOfGtt(client, reported))) return
    try {
      await this.#compare(client, reported)
      this.#retries.noteSuccess()
    } catch (error) {
      this.#keep(reported)
      this.#isAsked ||= isAsked
      this.#retries.noteFailure(client)
      throw error
    }
  }

  /** Returns whether an order of these reports may be that of a GTT, and the GTTs can be asked now. */
  async #mayBeOfGtt(client: BrokerClient, reported: ReadonlyMap<string, BrokerOrder>): Promise<boolean> {
    const { broker, gtts } = this.parts
    if (reported.size === 0) return false
    if (!this.#gttRetries.waits(client)) return gtts.any(broker.brokerId)
    this.#keep(reported)
    return false
  }

  /** Keeps reports for the next comparison. Newer ones of the same orders count. */
  #keep(reported: ReadonlyMap<string, BrokerOrder>): void {
    this.#unknown = new Map([...reported, ...this.#unknown])
  }

  #logFailure(event: string, error: unknown): void {
    if (this.#stopped) return
    const { broker, log } = this.parts
    log.warn(event, { broker: broker.brokerId, error: messageOf(error) })
  }

  #isDue(client: BrokerClient): boolean {
    const now = this.parts.clock.monotonic()
    const interval = feedOf(client).connected && !this.#isAsked ? CONNECTED_INTERVAL_MS : AWAY_INTERVAL_MS
    return this.#hadGap(client) || now - this.#comparedAt >= interval || this.#gttRetries.isDue(client)
  }

  #hadGap(client: BrokerClient): boolean {
    return client !== this.#client || feedOf(client).connections !== this.#connections
  }

  /** @param reported the reports that the feed has already delivered, of orders the journal did not know */
  async #compare(client: BrokerClient, reported: ReadonlyMap<string, BrokerOrder>): Promise<void> {
    const { broker, clock, journal, log } = this.parts
    const { brokerId } = broker
    // Read before the book: a gap that begins during the read makes the next comparison due.
    const { connections } = feedOf(client)
    this.#isAsked = false
    // GTTs first: the order of one that fired is an open order. Orders are followed even if GTTs cannot be read.
    const areGttsRead = !this.#gttRetries.waits(client) && (await this.#compareGtts(client))
    const unpriced = await journal.unpricedAt(brokerId, sessionStart(clock.now()))
    const followed = [...(await journal.openAt(brokerId)), ...unpriced]
    if (followed.length > 0) {
      const { changed, missing } = await this.#follow(brokerId, client.orders, followed, reported)
      const lapsed = await this.#lapse(missing)
      if (changed + lapsed > 0) log.info('orders.compared', { broker: brokerId, changed, lapsed })
    }
    if (this.#hadGap(client)) this.#isDriftDue = true
    // Only now: the order of a GTT that fired is ours. Neither the start nor the open orders wait for it.
    if (areGttsRead) {
      this.#accountRun ??= this.#compareAccount(client).finally(() => {
        this.#accountRun = undefined
      })
    } else this.#keep(reported)
    this.#client = client
    this.#connections = connections
    this.#comparedAt = clock.monotonic()
  }

  /**
   * Compares the whole account after each gap, after the report of an order that is not ours, and once on each trading day. A
   * failure waits for the next comparison: the open orders are compared already.
   */
  async #compareAccount(client: BrokerClient): Promise<void> {
    const { clock, drift } = this.parts
    const today = sessionDate(clock.now())
    if (!this.#isDriftDue && this.#accountDay === today) return
    this.#isDriftDue = false
    try {
      if (await drift.compare(client)) this.#accountDay = today
      else this.#isDriftDue = true
    } catch (error) {
      this.#isDriftDue = true
      this.#logFailure('account.compare_failed', error)
    }
  }

  /** Returns false if the GTTs could not be read. */
  async #compareGtts(client: BrokerClient): Promise<boolean> {
    const { broker, gtts, log } = this.parts
    try {
      const { ended, isUnfinished } = await gtts.compare(broker.brokerId, client)
      if (ended > 0) log.info('gtts.compared', { broker: broker.brokerId, ended })
      if (isUnfinished) this.#isAsked = true
      this.#gttRetries.noteSuccess()
      return true
    } catch (error) {
      this.#gttRetries.noteFailure(client)
      this.#logFailure('gtts.compare_failed', error)
      return false
    }
  }

  /** Records the state of these orders in the book. */
  async #follow(
    brokerId: string,
    orders: BrokerOrders,
    followed: readonly OpenOrder[],
    reported: ReadonlyMap<string, BrokerOrder>,
  ): Promise<{ changed: number; missing: OpenOrder[] }> {
    const book = await BrokerBook.read(orders)
    const listed = followed.map((row) => ({ row, order: book.orderOf(row) }))
    // A book lists one session.
    await this.#findOthers(
      orders,
      listed.filter(({ order }) => order === undefined),
    )
    const changes = await Promise.all(
      listed.map(
        ({ row, order }) =>
          order !== undefined &&
          this.#record(brokerId, row, order, this.#unknown.get(order.orderId) ?? reported.get(order.orderId)),
      ),
    )
    const missing = listed.filter(({ order }) => order === undefined).map(({ row }) => row)
    return { changed: changes.filter(Boolean).length, missing }
  }

  /** Looks up orders that the book does not list: by tag where the broker knows those of every day, and by id where it can. */
  async #findOthers(
    orders: BrokerOrders,
    unlisted: readonly { row: OpenOrder; order: BrokerOrder | undefined }[],
  ): Promise<void> {
    if (unlisted.length === 0) return
    if (this.parts.broker.manifest().tagLookup === 'authoritative') {
      const byTag = await orders.findByTags(unlisted.map(({ row }) => row.orderRef))
      for (const entry of unlisted) entry.order = byTag.get(entry.row.orderRef)
      return
    }
    for (const entry of unlisted.filter(({ row }) => this.#isOfEarlierSession(row))) {
      const { orderId } = entry.row
      // The book was read, so a broker that does not answer this question knows nothing of the order either.
      if (orderId !== null) entry.order = await orders.order?.(orderId).catch(() => undefined)
    }
  }

  #isOfEarlierSession(row: OpenOrder): boolean {
    return !mayTradeToday(row, this.parts.clock.now(), this.parts.sessionOf)
  }

  /** @param reported the report of this order that clients already have */
  async #record(
    brokerId: string,
    { lacksPrice, orderRef }: OpenOrder,
    order: BrokerOrder,
    reported: BrokerOrder | undefined,
  ): Promise<boolean> {
    const hasChanged = await this.parts.updates.record(brokerId, order, orderRef)
    const isNews = hasChanged || (lacksPrice === true && order.averagePrice > 0)
    if (isNews && !isSame(order, reported)) this.parts.publish(brokerId, order)
    return isNews
  }

  /**
   * Ends orders of an earlier session that the book no longer lists: an order is valid for its day, so they
   * are not open. Their end is not known, and no fill is invented. An order of this session may just not be
   * listed yet.
   */
  async #lapse(missing: readonly OpenOrder[]): Promise<number> {
    const { journal, log } = this.parts
    let lapsed = 0
    for (const row of missing) {
      if (!this.#isOfEarlierSession(row)) continue
      const { orderId, orderRef } = row
      if (!(await journal.move(orderRef, 'lapsed', { reason: LAPSED }))) continue
      lapsed += 1
      log.warn('order.lapsed', { order_ref: orderRef, orderid: orderId })
    }
    return lapsed
  }
}

function isSame(order: BrokerOrder, other: BrokerOrder | undefined): boolean {
  return order.status === other?.status && order.filledQuantity === other.filledQuantity
}

/** Returns the state of the broker's order feed. A broker without one counts as always disconnected. */
function feedOf({ orderEvents }: BrokerClient): { connected: boolean; connections: number } {
  return orderEvents?.state() ?? { connected: false, connections: 0 }
}
