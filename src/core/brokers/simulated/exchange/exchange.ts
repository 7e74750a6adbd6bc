import { messageOf } from '../../../errors/index.js'
import type { Logger } from '../../../logging/index.js'
import { type Money, toRupees } from '../../../money/index.js'
import { type GttRequest, gttExpiryProblem, type OrderRequest } from '../../../orders/schema.js'
import { type Database, lostFileMessage } from '../../../storage/index.js'
import type { Clock } from '../../../time/index.js'
import { sessionStart, wholeSeconds } from '../../../time/index.js'
import {
  BrokerError,
  type BrokerFunds,
  type BrokerGtt,
  type BrokerHolding,
  type BrokerMargin,
  type BrokerOrder,
  type BrokerPosition,
  type BrokerTrade,
} from '../../broker.js'
import type { Ticker } from '../feeds/ticker.js'
import type { SimulatedMarket } from '../market/simulated-market.js'
import { ExchangeAccount } from './account.js'
import { type ExchangeGtt, GttBook, toBrokerGtt } from './exchange-gtt.js'
import { type ExchangeOrder, pricesOf, toBrokerOrder, waitsForTrigger } from './exchange-order.js'
import { ExchangeStore, type LedgerEntry } from './exchange-store.js'
import type { SeedHolding } from './ledger.js'
import { requiredMargin } from './margin.js'
import { changesOf, type ExchangeChanges, noChanges, OrderBooks } from './order-books.js'
import { refused } from './order-checks.js'
import { OrderMatcher } from './order-matcher.js'

interface ExchangeOptions {
  /** The directory of its database file. */
  directory: string
  clock: Clock
  ticker: Ticker
  market: SimulatedMarket
  startingCash: Money
  holdings: readonly SeedHolding[]
  /** Called for every change of an order, in order, after the change is on disk. */
  onUpdate(order: BrokerOrder): void
  log: Logger
}

const CLOSED = 'The exchange is closed'

/**
 * A complete exchange in the process. It checks, matches and stores orders and answers queries like any
 * broker. Decisions are made in memory, immediately and in order. A response or an update is sent only after
 * its content is on disk, so after a crash the exchange knows every order it acknowledged.
 */
export class Exchange {
  readonly #options: ExchangeOptions
  readonly #store: ExchangeStore
  readonly #books: OrderBooks
  readonly #account: ExchangeAccount
  readonly #gtts: GttBook
  readonly #matcher: OrderMatcher
  /** Resolves when no save is in progress, whether the saves succeeded or failed. */
  #saved: Promise<void> = Promise.resolve()
  #failure: string | undefined
  #closing: Promise<void> | undefined
  readonly #onSecond = (): void => this.#matchAll()

  private constructor(options: ExchangeOptions, store: ExchangeStore, gtts: GttBook) {
    this.#options = options
    this.#store = store
    this.#gtts = gtts
    this.#books = new OrderBooks(options.market, options.holdings)
    this.#account = new ExchangeAccount(options.startingCash, this.#books.ledger, options.market)
    this.#matcher = new OrderMatcher(options.market, this.#books, gtts, this.#account)
  }

  /** Opens the exchange with its stored orders, trades and triggers. */
  static async open(options: ExchangeOptions): Promise<Exchange> {
    return Exchange.#start(options, await ExchangeStore.open(options.directory))
  }

  static async #start(options: ExchangeOptions, store: ExchangeStore): Promise<Exchange> {
    const exchange = await Exchange.#load(options, store)
    exchange.#begin()
    exchange.#watch()
    return exchange
  }

  /** Loads the state on disk into a copy that neither matches nor stores anything. */
  static async #load(options: ExchangeOptions, store: ExchangeStore): Promise<Exchange> {
    const { active, lastId } = await store.gtts()
    const exchange = new Exchange(options, store, new GttBook(active, lastId))
    await exchange.#books.load(store, options.clock.now())
    return exchange
  }

  /** False after a failed write (memory is then ahead of the disk) or after a close. */
  get usable(): boolean {
    return this.#failure === undefined
  }

  get closed(): boolean {
    return this.#closing !== undefined
  }

  get database(): Database {
    return this.#store.database
  }

  /** Returns the path of its file if it was removed or replaced. The exchange then decides nothing. */
  missingFile(): string | undefined {
    return this.closed ? undefined : this.#store.missing()
  }

  /**
   * Replaces an exchange that failed to store a change by a new one with the state on disk. The file stays
   * open, because a full disk may not allow opening it again.
   */
  async restart(): Promise<Exchange> {
    this.#options.ticker.remove(this.#onSecond)
    await this.#saved
    try {
      return await Exchange.#start(this.#options, this.#store)
    } catch (error) {
      await this.#store.close()
      throw error
    }
  }

  /**
   * Accepts an order. Resolves when it is on disk; by then it may be partly or fully filled. A refused order
   * stays in the book as `rejected`.
   * @throws BrokerError rejected, with the reason
   */
  async place(request: OrderRequest, tag: string): Promise<{ orderId: string }> {
    const now = this.#beginChange()
    const changes = noChanges()
    const { order, refusal } = this.#matcher.enter(request, tag, now, changes)
    this.#watch()
    await this.#commit(changes)
    if (refusal) throw refused(refusal)
    return { orderId: order.orderId }
  }

  /**
   * Changes quantity, price type and prices of a waiting order. A triggered stop stays triggered.
   * @throws BrokerError not_found, or rejected with the reason; the order is then unchanged
   */
  async modify(orderId: string, request: OrderRequest): Promise<{ orderId: string }> {
    const now = this.#beginChange()
    const order = this.#books.waiting(orderId, 'modify')
    if (request.quantity <= order.filledQuantity) {
      const message = `Quantity must be more than the ${order.filledQuantity} already filled`
      throw refused({ code: 'QUANTITY', message })
    }
    const triggered = waitsForTrigger(order) && order.status === 'open'
    const changed: ExchangeOrder = {
      ...order,
      ...pricesOf(request),
      quantity: request.quantity,
      updatedAt: now,
    }
    changed.status = waitsForTrigger(changed) && !triggered ? 'trigger pending' : 'open'
    const refusal = this.#matcher.refusal(changed, now)
    if (refusal) throw refused(refusal)
    Object.assign(order, changed)
    const changes = changesOf(order)
    this.#matcher.match(order, now, changes)
    this.#watch()
    await this.#commit(changes)
    return { orderId }
  }

  /** @throws BrokerError not_found, or rejected if the order is no longer waiting */
  async cancel(orderId: string): Promise<{ orderId: string }> {
    const now = this.#beginChange()
    const order = this.#books.waiting(orderId, 'cancel')
    this.#books.end(order, 'cancelled', now)
    this.#watch()
    await this.#commit(changesOf(order))
    return { orderId }
  }

  /** Returns the session's orders, oldest first. */
  orders(): Promise<BrokerOrder[]> {
    return this.#read((exchange) => [...exchange.#books.orders].map(toBrokerOrder))
  }

  /** Returns the session's trades, oldest first. */
  trades(): Promise<BrokerTrade[]> {
    return this.#read((exchange) => exchange.#books.trades.map(({ multiplier: _, ...trade }) => trade))
  }

  /**
   * Returns the order of each tag, or the order that the GTT with this tag sent, searching all orders ever. An
   * accepted order takes precedence over a refused one.
   */
  async findByTags(tags: readonly string[]): Promise<Map<string, BrokerOrder>> {
    await this.#allSaved()
    const found = new Map<string, BrokerOrder>()
    for (const tag of tags) {
      const orders = await this.#store.ordersByTag(tag)
      const order = orders.find((candidate) => candidate.status !== 'rejected') ?? orders[0]
      if (order) found.set(tag, toBrokerOrder(order))
    }
    return found
  }

  /** Returns an order of any session. */
  async order(orderId: string): Promise<BrokerOrder | undefined> {
    await this.#allSaved()
    const order = await this.#store.order(orderId)
    return order && toBrokerOrder(order)
  }

  positions(): Promise<BrokerPosition[]> {
    const start = wholeSeconds(sessionStart(this.#options.clock.now()))
    return this.#read((exchange, second) => exchange.#account.positions(second, start))
  }

  holdings(): Promise<BrokerHolding[]> {
    return this.#read((exchange, second) => exchange.#account.holdings(second))
  }

  funds(): Promise<BrokerFunds> {
    return this.#read((exchange, second) => exchange.#account.funds(exchange.#books.active, second))
  }

  /** Stores a trigger until it fires. @throws BrokerError rejected when its order could never be placed */
  async placeGtt(
    request: GttRequest,
    details: { tag: string; lastPrice: number },
  ): Promise<{ triggerId: string }> {
    const now = this.#beginChange()
    this.#matcher.requirePlaceable(request, now)
    const late = gttExpiryProblem(request.expiresAt, now)
    if (late) throw refused({ code: 'EXPIRY', message: late })
    const gtt = this.#gtts.add(request, details.tag, details.lastPrice, now)
    return this.#storeGtt(gtt)
  }

  async modifyGtt(triggerId: string, request: GttRequest, lastPrice: number): Promise<{ triggerId: string }> {
    const now = this.#beginChange()
    this.#matcher.requirePlaceable(request, now)
    return this.#storeGtt(this.#gtts.change(triggerId, request, lastPrice, now))
  }

  async cancelGtt(triggerId: string): Promise<{ triggerId: string }> {
    return this.#storeGtt(this.#gtts.cancel(triggerId, this.#beginChange()))
  }

  /** Returns the triggers that may still fire, newest first. */
  gtts(): Promise<BrokerGtt[]> {
    return this.#read((exchange) => exchange.#gtts.active.map(toBrokerGtt).reverse())
  }

  /** Returns the trigger with a tag, searching all triggers ever. */
  async findGttByTag(tag: string): Promise<BrokerGtt | undefined> {
    await this.#allSaved()
    const gtt = await this.#store.gttByTag(tag)
    return gtt && toBrokerGtt(gtt)
  }

  /**
   * Returns the combined margin of orders, ignoring open positions. @throws BrokerError not_found for an
   * unknown symbol
   */
  margin(requests: readonly OrderRequest[]): Promise<BrokerMargin> {
    return this.#read((_exchange, second) => {
      const total = requests.reduce(
        (sum, request) => sum + requiredMargin(request, this.#options.market, second),
        0n,
      )
      return { total: toRupees(total), span: 0, exposure: toRupees(total) }
    })
  }

  /** Returns every order it accepted or refused, for tests that count orders by tag. */
  async entries(): Promise<LedgerEntry[]> {
    await this.#allSaved()
    return this.#store.entries()
  }

  /** Finishes pending writes and closes the file. */
  close(): Promise<void> {
    this.#failure ??= CLOSED
    this.#closing ??= this.#shut()
    return this.#closing
  }

  async #shut(): Promise<void> {
    this.#options.ticker.remove(this.#onSecond)
    await this.#saved
    await this.#store.close()
  }

  /**
   * Runs at the start of every operation. Throws if the exchange is closed, rolls the books over to the
   * current session, and returns the time.
   */
  #begin(): number {
    if (this.#failure) throw unavailable(this.#failure, 'never')
    const now = this.#options.clock.now()
    this.#commitLater(this.#books.rollOver(now))
    return now
  }

  /**
   * Begins an operation that changes something. Throws while the file is gone, before memory changes: the
   * refusal is certain, and the exchange continues once the file is back.
   */
  #beginChange(): number {
    const missing = this.missingFile()
    if (missing !== undefined) throw unavailable(lostFileMessage(missing), 'never')
    return this.#begin()
  }

  /**
   * Computes a result now and returns it after everything it depends on is on disk. If a write fails, the
   * result is computed again from the disk, so that a failed order does not make reads fail.
   */
  async #read<T>(compute: (exchange: Exchange, second: number) => T): Promise<T> {
    if (this.usable) {
      const answer = compute(this, wholeSeconds(this.#begin()))
      await this.#saved
      if (this.usable) return answer
    }
    await this.#allSaved()
    const copy = await Exchange.#load(this.#options, this.#store)
    const now = this.#options.clock.now()
    copy.#books.rollOver(now)
    return compute(copy, wholeSeconds(now))
  }

  /** Resolves when every change so far is on disk or has failed, so that the file is complete. */
  async #allSaved(): Promise<void> {
    if (this.#closing) throw unavailable(CLOSED, 'never')
    await this.#saved
  }

  async #storeGtt(gtt: ExchangeGtt): Promise<{ triggerId: string }> {
    this.#watch()
    await this.#commit({ ...noChanges(), gtts: new Set([gtt]) })
    return { triggerId: gtt.triggerId }
  }

  /** Matches the waiting orders once, oldest first, against the order books of this second. */
  #matchAll(): void {
    // A fill that cannot be stored must not happen.
    if (this.missingFile() !== undefined) return
    try {
      const now = this.#begin()
      const changes = noChanges()
      this.#matcher.matchAll(now, changes)
      this.#watch()
      this.#commitLater(changes)
    } catch (error) {
      this.#options.log.error('exchange.match_failed', { reason: messageOf(error) })
    }
  }

  /** Runs the timer only while orders or triggers are waiting. */
  #watch(): void {
    if (this.#books.hasActive || this.#gtts.hasActive) this.#options.ticker.add(this.#onSecond)
    else this.#options.ticker.remove(this.#onSecond)
  }

  #commitLater(changes: ExchangeChanges): void {
    // The failure is already recorded and logged; the next caller gets it as an error.
    this.#commit(changes).catch(() => undefined)
  }

  /** Stores changes in the order of the decisions, then publishes them. */
  async #commit({ orders, trades, gtts }: ExchangeChanges): Promise<void> {
    if (orders.size === 0 && trades.length === 0 && gtts.size === 0) return
    const updates = [...orders].map(toBrokerOrder)
    const stored = this.#store.save([...orders], trades, [...gtts]).catch((error: unknown) => {
      this.#failure ??= `The exchange could not store an order: ${messageOf(error)}`
      this.#options.log.error('exchange.store_failed', { reason: messageOf(error) })
      throw unavailable(this.#failure, 'maybe', error)
    })
    this.#saved = Promise.allSettled([this.#saved, stored]).then(() => undefined)
    await stored
    for (const update of updates) this.#options.onUpdate(update)
  }
}

function unavailable(message: string, sent: 'never' | 'maybe', cause?: unknown): BrokerError {
  return new BrokerError('unavailable', message, { brokerStatus: 503, sent, cause })
}
