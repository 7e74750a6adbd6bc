import type { BrokerClient, BrokerManifest, BrokerOrder, BrokerOrders } from '../../brokers/broker.js'
import { messageOf } from '../../errors/index.js'
import type { Logger } from '../../logging/index.js'
import { type Clock, sessionDate, type Timer } from '../../time/index.js'
import { BrokerBook } from './broker-book.js'
import type { OpenOrder, OrderJournal } from './journal.js'
import type { OrderUpdates } from './order-updates.js'

/** How often the state of the order feed is looked at. It costs nothing; only a comparison asks the broker. */
const CHECK_MS = 2_000
/** Between comparisons while the order feed is away. */
const AWAY_INTERVAL_MS = 15_000
/** The same while the feed is there: an update may be lost without a gap. */
const CONNECTED_INTERVAL_MS = 5 * 60_000
/** After the first, second, … comparison in a row that failed; the last one repeats. */
const RETRY_DELAYS_MS = [15_000, 30_000, 60_000, 120_000, 300_000]

const LAPSED =
  'Its session is over and the broker’s book no longer lists it. A fill while updates were missing is not recorded here: look at the positions.'

export interface OpenOrdersParts {
  clock: Clock
  log: Pick<Logger, 'info' | 'warn'>
  journal: Pick<OrderJournal, 'openAt' | 'move'>
  updates: Pick<OrderUpdates, 'record'>
  broker: {
    readonly brokerId: string
    manifest(): Pick<BrokerManifest, 'tagLookup'>
    connected(): boolean
    client(): BrokerClient
  }
  /** Tells clients of an update that the feed did not bring. */
  publish(broker: string, order: BrokerOrder): void
}

/**
 * Keeps the open orders of the journal in step with the broker's book. Updates tell what happens while the service
 * runs and the feed is connected; this finds the rest: it compares at start, after each gap of the order feed, at
 * intervals while the feed is away, and now and then in any case. One read of the book serves all orders.
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

  /** From now on compares whenever it is due. */
  start(): void {
    this.#timer ??= this.parts.clock.setInterval(() => void this.compareIfDue(), CHECK_MS)
  }

  /** No further comparison begins. One under way ends with the broker's connection. */
  stop(): void {
    this.#stopped = true
    this.parts.clock.clear(this.#timer)
  }

  /** Compares, where it is due and the broker can be asked. Never rejects; concurrent calls share one comparison. */
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
    // Read before the book: a gap that begins meanwhile makes the next comparison due.
    const { connections } = feedOf(client)
    const open = await journal.openAt(brokerId)
    if (open.length > 0) {
      const { changed, missing } = await this.#follow(brokerId, client.orders, open)
      const lapsed = await this.#lapse(missing)
      if (changed + lapsed > 0) log.info('orders.compared', { broker: brokerId, changed, lapsed })
    }
    this.#client = client
    this.#connections = connections
    this.#comparedAt = clock.monotonic()
  }

  /** Records what the book says of these orders. */
  async #follow(
    brokerId: string,
    orders: BrokerOrders,
    open: readonly OpenOrder[],
  ): Promise<{ changed: number; missing: OpenOrder[] }> {
    const book = await BrokerBook.read(orders)
    const listed = open.map((row) => ({ row, order: book.orderOf(row) }))
    // A book lists one session. A broker that knows every order it ever had is asked for the others one by one.
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
   * Ends orders of an earlier session that the book no longer lists: they are good for their day, so they are not open.
   * How they ended is not known, and no fill is made up. One of this session may only not be listed yet.
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

/** A broker without an order feed is one whose feed is always away. */
function feedOf({ orderEvents }: BrokerClient): { connected: boolean; connections: number } {
  return orderEvents?.state() ?? { connected: false, connections: 0 }
}
