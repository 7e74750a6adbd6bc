import type { GttRequest, OrderRequest } from '../../../orders/schema.js'
import { SECOND_MS, wholeSeconds } from '../../../time/index.js'
import type { SimulatedMarket } from '../market/simulated-market.js'
import type { ExchangeAccount } from './account.js'
import { type GttBook, hasExpired, legReached, orderOfLeg } from './exchange-gtt.js'
import {
  type ExchangeOrder,
  isActive,
  isOver,
  newOrder,
  protectedPrice,
  remaining,
} from './exchange-order.js'
import { Liquidity, matchOrder } from './matching.js'
import type { ExchangeChanges, OrderBooks } from './order-books.js'
import { type CheckContext, type ExchangeRefusal, gttRefusalOf, refusalOf, refused } from './order-checks.js'

/**
 * Checks orders and matches them against the order books of the market. It knows how much of each book this exchange has
 * taken in a second, and adds what it changes to the changes of the operation.
 */
export class OrderMatcher {
  readonly #market: SimulatedMarket
  readonly #books: OrderBooks
  readonly #gtts: GttBook
  readonly #account: ExchangeAccount
  readonly #liquidity = new Liquidity()

  constructor(market: SimulatedMarket, books: OrderBooks, gtts: GttBook, account: ExchangeAccount) {
    this.#market = market
    this.#books = books
    this.#gtts = gtts
    this.#account = account
  }

  /** Fires triggers and matches the waiting orders once, oldest first, against the order books of this second. */
  matchAll(now: number, changes: ExchangeChanges): void {
    this.#liquidity.forgetBefore(wholeSeconds(now))
    this.#fireGtts(now, changes)
    for (const order of this.#books.active) {
      if (isOver(order, now)) this.#end(order, 'TTL order: its minutes are over', now, changes)
      else this.match(order, now, changes)
    }
  }

  /** @throws BrokerError rejected when the order of a leg could never be placed */
  requirePlaceable(request: GttRequest, now: number): void {
    for (const leg of request.legs) {
      const order = { ...newOrder(orderOfLeg({ request }, leg), '', '', now), triggerPrice: leg.triggerPrice }
      const refusal = gttRefusalOf(order, this.#checkContext([], now))
      if (refusal) throw refused(refusal)
    }
  }

  /** Checks an order, adds it to the book, and matches it unless it is refused. */
  enter(
    request: OrderRequest,
    tag: string,
    now: number,
    changes: ExchangeChanges,
  ): { order: ExchangeOrder; refusal: ExchangeRefusal | undefined } {
    const order = newOrder(request, tag, this.#books.newOrderId(), now)
    order.opensAt = this.#openingOf(order, now)
    const refusal = this.refusal(order, now)
    if (refusal) {
      order.status = 'rejected'
      order.rejectionReason = refusal.message
    }
    this.#books.add(order)
    changes.orders.add(order)
    if (refusal) return { order, refusal }
    this.match(order, now, changes)
    if (order.instructions?.validity === 'IOC' && isActive(order)) {
      this.#end(order, 'IOC order: the rest was not filled at once', now, changes)
    }
    return { order, refusal }
  }

  /** Returns the opening that an order waits for; null if it trades at once. */
  #openingOf(order: ExchangeOrder, now: number): number | null {
    const market = this.#market
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
    const market = this.#market
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
        const { order } = this.enter(orderOfLeg(gtt, leg), '', now, changes)
        changes.gtts.add(this.#gtts.fire(gtt, order.orderId, now))
      }
    }
  }

  /** Matches an order against the order book of this second. */
  match(order: ExchangeOrder, now: number, changes: ExchangeChanges): void {
    const market = this.#market
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

  /** Returns why an order is refused; undefined if it is not. */
  refusal(order: ExchangeOrder, now: number): ExchangeRefusal | undefined {
    const waiting = this.#books.active.filter((other) => other.orderId !== order.orderId)
    return refusalOf(order, this.#checkContext(waiting, now))
  }

  #checkContext(waiting: readonly ExchangeOrder[], now: number): CheckContext {
    const market = this.#market
    return { market, account: this.#account, waiting, second: wholeSeconds(now) }
  }
}
