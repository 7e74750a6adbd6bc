import { messageOf } from '../errors/index.js'
import type { Logger } from '../logging/index.js'
import type { Tick } from '../market/schema.js'
import type { Clock } from '../time/index.js'
import type { BrokerSession } from './auth.js'
import { type BrokerClient, BrokerError, type BrokerOrder, type BrokerPlugin } from './broker.js'
import type { CallCounts } from './call-counts.js'
import { type CallListener, CallWatch, type FailedCall, isSessionRefusal } from './call-watch.js'
import type { BrokerContext } from './context.js'
import { credible } from './kit/feed/credible-tick.js'
import { faultOfUpdate } from './kit/feed/credible-update.js'
import { UnreadableFrames } from './kit/frames/unreadable-frames.js'

/**
 * The receivers of a connection's events. A connection that is not in use any more still tells the updates of the orders that
 * waited for their answers then, and nothing else.
 */
export interface ConnectionListeners {
  onTick(tick: Tick): void
  onOrderUpdate(broker: string, order: BrokerOrder): void
  /** Called when the update of an order cannot be read, or cannot be true: only the book tells what became of it. */
  onUpdateLost?(): void
  /** Called when the feeds are open, and again for a feed that is restored. Price subscriptions move to it. */
  onConnected(client: BrokerClient): void
}

interface ConnectionParts {
  clock: Clock
  log: Logger
  counts: CallCounts
  /** Returns the environment of the plugin. */
  context(sessionRefused: () => void): BrokerContext
  /** What the answers to calls say, with the connection whose calls they are. */
  listener: CallListener
  listeners: ConnectionListeners | undefined
  /** Returns whether a connection is the one in use. */
  isCurrent(connection: BrokerConnection): boolean
  /** Returns whether the connection in use is to the same account, and hears of its orders. */
  isReplaced(connection: BrokerConnection): boolean
}

/** Delays before the second, third, … attempt to open a feed; the last one repeats. */
const FEED_RETRY_DELAYS_MS = [1000, 2000, 5000, 10_000, 30_000, 60_000] as const

/** One client of one session, from its connection to its close: its calls and its feeds. */
export class BrokerConnection {
  readonly broker: string
  readonly session: BrokerSession
  readonly client: BrokerClient
  readonly #calls: CallWatch
  readonly #parts: ConnectionParts
  readonly #incredible: UnreadableFrames
  readonly #strangeUpdates: UnreadableFrames

  constructor(plugin: BrokerPlugin, session: BrokerSession, parts: ConnectionParts) {
    const { manifest } = plugin
    this.broker = manifest.id
    this.session = session
    this.#parts = parts
    this.#incredible = new UnreadableFrames(parts.clock, parts.log, 'broker.incredible_tick')
    this.#strangeUpdates = new UnreadableFrames(parts.clock, parts.log, 'broker.incredible_update')
    this.#calls = new CallWatch(manifest.displayName, parts.clock, parts.counts, this.#ofCurrent())
    this.client = this.#calls.watched(
      plugin.connect(
        session,
        parts.context(() => void this.prove()),
      ),
    )
  }

  /** Resolves when the client can be used. Closes a client that cannot. */
  async ready(): Promise<void> {
    await this.client.ready?.().catch(async (error: unknown) => {
      await this.client.close().catch(() => undefined)
      throw error
    })
  }

  /** The last call that the broker did not serve; undefined if none has failed. */
  get failedCall(): FailedCall | undefined {
    return this.#calls.failed
  }

  /** Opens the feeds, and tells the listeners. A feed that fails is opened again in the background. */
  async openFeeds(): Promise<void> {
    await this.#openFeed(async () =>
      this.client.orderEvents?.open(
        (order) => this.tell(order),
        () => this.#noteLost(),
      ),
    )
    await this.#openFeed(() => this.#openTicks())
    this.#announce()
  }

  /** Passes on an update of the order feed, or an order that was read because the broker posted one. */
  tell(order: BrokerOrder): void {
    if (!this.#tells(order)) return
    const { listeners } = this.#parts
    const fault = faultOfUpdate(order)
    if (fault === undefined) {
      listeners?.onOrderUpdate(this.broker, order)
      return
    }
    this.#strangeUpdates.note(`${fault} of order ${order.orderId} cannot be true`)
    this.#noteLost()
  }

  #noteLost(): void {
    this.#parts.listeners?.onUpdateLost?.()
  }

  /**
   * Reconnects the silent price feed and moves the price subscriptions to it.
   * @throws the plugin's error
   */
  async reopenTicks(): Promise<void> {
    if (!this.client.ticks) return
    await this.#openTicks()
    this.#announce()
  }

  /**
   * Asks the broker whether it still accepts the session, because a socket refused it. A socket also refuses who has no
   * right to prices, and orders work without them. The refusal of a call ends the session.
   */
  async prove(): Promise<void> {
    if (this.#isCurrent) await this.client.orders.list('exit').catch(() => undefined)
  }

  /** Takes note that another connection, or none, is in use from now on. */
  retire(): void {
    this.#calls.orders.keep()
  }

  /** Returns whether this connection hears of the orders of its account. */
  get hearsOrders(): boolean {
    return this.client.orderEvents?.state().connected ?? false
  }

  /** Returns whether a call waits for its answer. */
  get isBusy(): boolean {
    return this.#calls.isBusy
  }

  /** Resolves once no call waits for its answer. */
  idle(): Promise<void> {
    return this.#calls.idle()
  }

  async close(): Promise<void> {
    await this.client
      .close()
      .catch((error: unknown) => this.#parts.log.warn('broker_close_failed', { error: messageOf(error) }))
  }

  /** Opens the price feed. Prices of a connection that only waits for its last answers are those of another session, or broker. */
  async #openTicks(): Promise<void> {
    await this.client.ticks?.open((tick) => {
      if (!this.#isCurrent) return
      const { fault, value } = credible(tick, this.#parts.clock.now())
      if (fault !== undefined)
        this.#incredible.note(`${fault} of ${tick.exchange}:${tick.symbol} at ${this.broker} cannot be true`)
      if (value) this.#parts.listeners?.onTick(value)
    })
  }

  /**
   * Returns whether to pass on an update. The orders of an account that is not in use any more are nobody's here, except those
   * whose answers are awaited. The connection in use tells those of its account itself.
   */
  #tells(order: BrokerOrder): boolean {
    if (this.#isCurrent) return true
    return this.#calls.orders.has(order) && !this.#parts.isReplaced(this)
  }

  get #isCurrent(): boolean {
    return this.#parts.isCurrent(this)
  }

  #announce(): void {
    if (this.#isCurrent) this.#parts.listeners?.onConnected(this.client)
  }

  /** Passes on what answers say while this connection is in use: a late answer says nothing of the next session. */
  #ofCurrent(): CallListener {
    const { listener } = this.#parts
    return {
      onRefused: (error) => {
        if (this.#isCurrent) listener.onRefused?.(error)
      },
      onAddressRefused: (error) => {
        if (this.#isCurrent) listener.onAddressRefused?.(error)
      },
      onOrderServed: () => {
        if (this.#isCurrent) listener.onOrderServed?.()
      },
    }
  }

  /**
   * Opens a feed. If that fails, it retries in the background with growing delays, because orders work
   * without it. A feed with a refused token is not retried until the next log-in.
   */
  async #openFeed(open: () => Promise<void>, attempt = 0): Promise<void> {
    const { clock, log } = this.#parts
    try {
      await open()
      if (attempt > 0) this.#announce()
    } catch (error) {
      log.warn('broker.feed_failed', { broker: this.broker, attempt, error: messageOf(error) })
      if (isSessionRefusal(error)) await this.prove()
      if (error instanceof BrokerError && (error.kind === 'auth' || error.kind === 'permission')) return
      const delay = FEED_RETRY_DELAYS_MS[Math.min(attempt, FEED_RETRY_DELAYS_MS.length - 1)] ?? 0
      clock.setTimeout(() => {
        if (this.#isCurrent) void this.#openFeed(open, attempt + 1)
      }, delay)
    }
  }
}
