import type {
  BrokerClient,
  BrokerGtt,
  BrokerManifest,
  BrokerOrder,
  BrokerOrders,
} from '../../brokers/broker.js'
import { messageOf } from '../../errors/index.js'
import type { Logger } from '../../logging/index.js'
import { type Clock, sessionDate, type Timer } from '../../time/index.js'
import { BrokerBook } from './broker-book.js'
import type { OpenOrder, OrderJournal } from './journal.js'
import type { OrderUpdates } from './order-updates.js'
import type { OrderState } from './states.js'

/** The interval of checks of the order feed's state. A check is cheap; only a comparison asks the broker. */
const CHECK_MS = 2_000
/** The interval of comparisons while the order feed is disconnected. */
const AWAY_INTERVAL_MS = 15_000
/** The interval while the feed is connected: an update may be lost without a gap. */
const CONNECTED_INTERVAL_MS = 5 * 60_000
/** The delays after the first, second, … failed comparison in a row; the last one repeats. */
const RETRY_DELAYS_MS = [15_000, 30_000, 60_000, 120_000, 300_000]

const LAPSED =
  'Its session is over and the broker’s book no longer lists it. A fill while updates were missing is not recorded here: look at the positions.'

/**
 * The end in the journal of a GTT that is no longer active. The order of a fired GTT is not followed here.
 */
const END_OF_GTT: Readonly<Record<BrokerGtt['status'], { state: OrderState; reason: string } | undefined>> = {
  active: undefined,
  triggered: {
    state: 'lapsed',
    reason: 'The GTT has fired. Its order is the broker’s own: look at the order book.',
  },
  cancelled: { state: 'cancelled', reason: 'The GTT was cancelled' },
  expired: { state: 'cancelled', reason: 'The GTT has expired' },
  rejected: { state: 'rejected', reason: 'The broker rejected the GTT' },
}

interface OpenOrdersParts {
  clock: Clock
  log: Pick<Logger, 'info' | 'warn'>
  journal: Pick<OrderJournal, 'openAt' | 'openGttsAt' | 'move'>
  updates: Pick<OrderUpdates, 'record'>
  broker: {
    readonly brokerId: string
    manifest(): Pick<BrokerManifest, 'tagLookup'>
    connected(): boolean
    client(): BrokerClient
  }
  /** Publishes an update that the feed did not deliver. */
  publish(broker: string, order: BrokerOrder): void
}

/**
 * Compares the open orders of the journal with the broker's book, and records the differences. Updates of the
 * feed cover the time while the service runs and the feed is connected. Comparisons cover the rest: at start,
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
  /** Comparisons in a row that failed on one connection. */
  #failures: { client: BrokerClient; count: number; retryAt: number } | undefined
  #stopped = false

  constructor(private readonly parts: OpenOrdersParts) {}

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
      .catch((error: unknown) => this.#logFailure(error))
      .finally(() => {
        this.#running = undefined
      })
    return this.#running
  }

  async #lookWhetherDue(): Promise<void> {
    const { broker } = this.parts
    if (!broker.connected()) return
    const client = broker.client()
    if (!this.#isDue(client)) return
    try {
      await this.#compare(client)
      this.#failures = undefined
    } catch (error) {
      this.#noteFailure(client)
      throw error
    }
  }

  #noteFailure(client: BrokerClient): void {
    const count = this.#failures?.client === client ? this.#failures.count + 1 : 1
    const delay = RETRY_DELAYS_MS[Math.min(count, RETRY_DELAYS_MS.length) - 1] ?? 0
    this.#failures = { client, count, retryAt: this.parts.clock.monotonic() + delay }
  }

  #logFailure(error: unknown): void {
    if (this.#stopped) return
    const { broker, log } = this.parts
    log.warn('orders.compare_failed', { broker: broker.brokerId, error: messageOf(error) })
  }

  #isDue(client: BrokerClient): boolean {
    const now = this.parts.clock.monotonic()
    if (this.#failures?.client === client && now < this.#failures.retryAt) return false
    const { connected, connections } = feedOf(client)
    const hadGap = client !== this.#client || connections !== this.#connections
    return hadGap || now - this.#comparedAt >= (connected ? CONNECTED_INTERVAL_MS : AWAY_INTERVAL_MS)
  }

  async #compare(client: BrokerClient): Promise<void> {
    const { broker, clock, journal, log } = this.parts
    const { brokerId } = broker
    // Read before the book: a gap that begins during the read makes the next comparison due.
    const { connections } = feedOf(client)
    const open = await journal.openAt(brokerId)
    if (open.length > 0) {
      const { changed, missing } = await this.#follow(brokerId, client.orders, open)
      const lapsed = await this.#lapse(missing)
      if (changed + lapsed > 0) log.info('orders.compared', { broker: brokerId, changed, lapsed })
    }
    const gtts = await this.#endGtts(brokerId, client)
    if (gtts > 0) log.info('gtts.compared', { broker: brokerId, ended: gtts })
    this.#client = client
    this.#connections = connections
    this.#comparedAt = clock.monotonic()
  }

  /** Records the state of these orders in the book. */
  async #follow(
    brokerId: string,
    orders: BrokerOrders,
    open: readonly OpenOrder[],
  ): Promise<{ changed: number; missing: OpenOrder[] }> {
    const book = await BrokerBook.read(orders)
    const listed = open.map((row) => ({ row, order: book.orderOf(row) }))
    // A book lists one session. If the broker can look up every order by tag, it is asked for the others
    // singly.
    if (this.parts.broker.manifest().tagLookup === 'authoritative') {
      for (const entry of listed) entry.order ??= await orders.findByTag(entry.row.orderRef)
    }
    const changes = await Promise.all(
      listed.map(({ row, order }) => order !== undefined && this.#record(brokerId, row, order)),
    )
    const missing = listed.filter(({ order }) => order === undefined).map(({ row }) => row)
    return { changed: changes.filter(Boolean).length, missing }
  }

  async #record(brokerId: string, { orderRef }: OpenOrder, order: BrokerOrder): Promise<boolean> {
    const isNews = await this.parts.updates.record(brokerId, order, orderRef)
    if (isNews) this.parts.publish(brokerId, order)
    return isNews
  }

  /**
   * Ends GTTs that the broker no longer lists as active, with the end the broker reports. Without a lookup by
   * tag a missing GTT proves nothing, and the row stays open.
   * @returns the number of ended GTTs
   */
  async #endGtts(brokerId: string, { gtts }: BrokerClient): Promise<number> {
    if (!gtts?.findByTag) return 0
    const open = await this.parts.journal.openGttsAt(brokerId)
    if (open.length === 0) return 0
    const active = new Set((await gtts.list()).map(({ triggerId }) => triggerId))
    let ended = 0
    for (const { orderId, orderRef } of open) {
      if (orderId !== null && active.has(orderId)) continue
      const gtt = await gtts.findByTag(orderRef)
      const end = gtt && END_OF_GTT[gtt.status]
      if (end && (await this.parts.journal.move(orderRef, end.state, { reason: end.reason }))) ended += 1
    }
    return ended
  }

  /**
   * Ends orders of an earlier session that the book no longer lists: an order is valid for its day, so they
   * are not open. Their end is not known, and no fill is invented. An order of this session may just not be
   * listed yet.
   */
  async #lapse(missing: readonly OpenOrder[]): Promise<number> {
    const { clock, journal, log } = this.parts
    const today = sessionDate(clock.now())
    let lapsed = 0
    for (const { createdAt, orderId, orderRef } of missing) {
      if (sessionDate(createdAt) >= today) continue
      if (!(await journal.move(orderRef, 'lapsed', { reason: LAPSED }))) continue
      lapsed += 1
      log.warn('order.lapsed', { order_ref: orderRef, orderid: orderId })
    }
    return lapsed
  }
}

/** Returns the state of the broker's order feed. A broker without one counts as always disconnected. */
function feedOf({ orderEvents }: BrokerClient): { connected: boolean; connections: number } {
  return orderEvents?.state() ?? { connected: false, connections: 0 }
}
