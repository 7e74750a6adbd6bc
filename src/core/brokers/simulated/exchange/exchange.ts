import { messageOf } from '../../../errors/index.js'
import type { Logger } from '../../../logging/index.js'
import { type Money, timesQuantity, toMoney, toRupees, unitsIn } from '../../../money/index.js'
import { type GttRequest, gttExpiryProblem, type OrderRequest } from '../../../orders/schema.js'
import { type Database, lostFileMessage } from '../../../storage/index.js'
import type { Clock } from '../../../time/index.js'
import { SECOND_MS, sessionStart, wholeSeconds } from '../../../time/index.js'
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
import { type ExchangeGtt, GttBook, hasExpired, legReached, orderOfLeg, toBrokerGtt } from './exchange-gtt.js'
import {
  type ExchangeOrder,
  isActive,
  isOver,
  newOrder,
  pricesOf,
  protectedPrice,
  remaining,
  toBrokerOrder,
  waitsForTrigger,
} from './exchange-order.js'
import { ExchangeStore, type LedgerEntry } from './exchange-store.js'
import type { SeedHolding } from './ledger.js'
import { marginOf, marginPrice } from './margin.js'
import { Liquidity, matchOrder } from './matching.js'
import { changesOf, type ExchangeChanges, noChanges, OrderBooks } from './order-books.js'
import { type CheckContext, type ExchangeRefusal, gttRefusalOf, refusalOf } from './order-checks.js'

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
  readonly #liquidity = new Liquidity()
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
    const { order, refusal } = this.#enter(request, tag, now, changes)
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
    const order = this.#waiting(orderId, 'modify')
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
    const refusal = this.#refusal(changed, now)
    if (refusal) throw refused(refusal)
    Object.assign(order, changed)
    const changes = changesOf(order)
    this.#match(order, now, changes)
    this.#watch()
    await this.#commit(changes)
    return { orderId }
  }

  /** @throws BrokerError not_found, or rejected if the order is no longer waiting */
  async cancel(orderId: string): Promise<{ orderId: string }> {
    const now = this.#beginChange()
    const order = this.#waiting(orderId, 'cancel')
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
    this.#requirePlaceable(request, now)
    const late = gttExpiryProblem(request.expiresAt, now)
    if (late) throw refused({ code: 'EXPIRY', message: late })
    const gtt = this.#gtts.add(request, details.tag, details.lastPrice, now)
    return this.#storeGtt(gtt)
  }

  async modifyGtt(triggerId: string, request: GttRequest, lastPrice: number): Promise<{ triggerId: string }> {
    const now = this.#beginChange()
    this.#requirePlaceable(request, now)
    return this.#storeGtt(this.#gtts.change(triggerId, request, lastPrice, now))
  }

  /** @throws BrokerError rejected when the order of a leg could never be placed */
  #requirePlaceable(request: GttRequest, now: number): void {
    for (const leg of request.legs) {
      const order = { ...newOrder(orderOfLeg({ request }, leg), '', '', now), triggerPrice: leg.triggerPrice }
      const refusal = gttRefusalOf(order, this.#checkContext([], now))
      if (refusal) throw refused(refusal)
    }
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
      const total = requests.reduce((sum, request) => sum + this.#marginOf(request, second), 0n)
      return { total: toRupees(total), span: 0, exposure: toRupees(total) }
    })
  }

  #marginOf(request: OrderRequest, second: number): Money {
    const { market } = this.#options
    const contract = market.contract(request)
    if (!contract) {
      const message = `Symbol ${request.symbol} not found on ${request.exchange}`
      throw new BrokerError('not_found', message, { brokerStatus: 404, sent: 'yes' })
    }
    const price = marginPrice(request, market.lastPrice(contract, second))
    const value = timesQuantity(toMoney(price), unitsIn(request.quantity, contract.multiplier))
    return marginOf(value, contract.kind, request.product, request.action === 'SELL')
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

  /** Checks an order, adds it to the book, and matches it unless it is refused. */
  #enter(
    request: OrderRequest,
    tag: string,
    now: number,
    changes: ExchangeChanges,
  ): { order: ExchangeOrder; refusal: ExchangeRefusal | undefined } {
    const order = newOrder(request, tag, this.#books.newOrderId(), now)
    order.opensAt = this.#openingOf(order, now)
    const refusal = this.#refusal(order, now)
    if (refusal) {
      order.status = 'rejected'
      order.rejectionReason = refusal.message
    }
    this.#books.add(order)
    changes.orders.add(order)
    if (refusal) return { order, refusal }
    this.#match(order, now, changes)
    if (order.instructions?.validity === 'IOC' && isActive(order)) {
      this.#end(order, 'IOC order: the rest was not filled at once', now, changes)
    }
    return { order, refusal }
  }

  /** Returns the opening that an order waits for; null if it trades at once. */
  #openingOf(order: ExchangeOrder, now: number): number | null {
    const { market } = this.#options
    const contract = order.instructions?.amo === true ? market.contract(order) : undefined
    const open = contract && market.nextOpen(contract, wholeSeconds(now))
    return open === undefined ? null : open * SECOND_MS
  }

  #end(order: ExchangeOrder, reason: string, now: number, changes: ExchangeChanges): void {
    order.rejectionReason = reason
    this.#books.end(order, 'cancelled', now)
    changes.orders.add(order)
  }

  /**
   * Fires the triggers whose price is reached: each sends its order and ends. The other leg of an OCO ends
   * with it.
   */
  #fireGtts(now: number, changes: ExchangeChanges): void {
    const { market } = this.#options
    const second = wholeSeconds(now)
    for (const gtt of this.#gtts.active) {
      const contract = market.contract(gtt.request)
      if (hasExpired(gtt, now)) {
        changes.gtts.add(this.#gtts.end(gtt, 'expired', now))
      } else if (contract && market.isOpen(contract, second)) {
        const leg = legReached(gtt, market.lastPrice(contract, second))
        if (!leg) continue
        // It ends first: an error in its order must not let it fire again.
        this.#gtts.end(gtt, 'triggered', now)
        const { order } = this.#enter(orderOfLeg(gtt, leg), '', now, changes)
        changes.gtts.add(this.#gtts.fire(gtt, order.orderId, now))
      }
    }
  }

  /** Matches the waiting orders once, oldest first, against the order books of this second. */
  #matchAll(): void {
    // A fill that cannot be stored must not happen.
    if (this.missingFile() !== undefined) return
    try {
      const now = this.#begin()
      this.#liquidity.forgetBefore(wholeSeconds(now))
      const changes = noChanges()
      this.#fireGtts(now, changes)
      for (const order of this.#books.active) {
        if (isOver(order, now)) this.#end(order, 'TTL order: its minutes are over', now, changes)
        else this.#match(order, now, changes)
      }
      this.#watch()
      this.#commitLater(changes)
    } catch (error) {
      this.#options.log.error('exchange.match_failed', { reason: messageOf(error) })
    }
  }

  #match(order: ExchangeOrder, now: number, changes: ExchangeChanges): void {
    const { market } = this.#options
    const contract = market.contract(order)
    const second = wholeSeconds(now)
    if (!contract || !market.isOpen(contract, second) || now < (order.opensAt ?? 0)) return
    if (order.instructions?.marketProtection !== undefined && order.reference === null) {
      order.reference = market.lastPrice(contract, second)
      changes.orders.add(order)
    }
    const book = this.#liquidity.book(contract.key, second, () => market.depth(contract, second))
    const triggered = order.status === 'open'
    const matchable = { ...order, remaining: remaining(order), triggered, worst: protectedPrice(order) }
    const result = matchOrder(matchable, market.lastPrice(contract, second), book)
    if (result.triggered === triggered && result.fills.length === 0) return
    this.#liquidity.take(book, order.action, result.fills)
    order.status = 'open'
    order.updatedAt = now
    for (const fill of result.fills) changes.trades.push(this.#books.fill(order, contract, fill, now))
    changes.orders.add(order)
  }

  #refusal(order: ExchangeOrder, now: number): ExchangeRefusal | undefined {
    const waiting = this.#books.active.filter((other) => other.orderId !== order.orderId)
    return refusalOf(order, this.#checkContext(waiting, now))
  }

  #checkContext(waiting: readonly ExchangeOrder[], now: number): CheckContext {
    const { market } = this.#options
    return { market, account: this.#account, waiting, second: wholeSeconds(now) }
  }

  #waiting(orderId: string, verb: string): ExchangeOrder {
    const order = this.#books.order(orderId)
    if (!order) {
      throw new BrokerError('not_found', `Order ${orderId} not found`, { brokerStatus: 404, sent: 'yes' })
    }
    if (!isActive(order)) {
      throw refused({ code: 'ORDER_STATUS', message: `Cannot ${verb} order in ${order.status} status` })
    }
    return order
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

function refused({ code, message }: ExchangeRefusal): BrokerError {
  return new BrokerError('rejected', message, { brokerStatus: 400, brokerCode: code, sent: 'yes' })
}

function unavailable(message: string, sent: 'never' | 'maybe', cause?: unknown): BrokerError {
  return new BrokerError('unavailable', message, { brokerStatus: 503, sent, cause })
}
