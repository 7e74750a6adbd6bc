import type { Depth, DepthLevel } from '../../../market/schema.js'
import { exactQuantity } from '../../../money/index.js'
import { type Action, hasPrice, type PriceType } from '../../../orders/schema.js'

/** The fields of an order that matching uses. */
export interface MatchableOrder {
  action: Action
  priceType: PriceType
  price: number
  triggerPrice: number
  /** Quantity still to be filled. */
  remaining: number
  /** True if the trigger of a stop was reached at any time. */
  triggered: boolean
  /** The worst price of a protected MARKET or SL-M order. */
  worst?: number | undefined
}

export interface Fill {
  price: number
  quantity: number
}

interface MatchResult {
  /** True once a stop is triggered; always true for MARKET and LIMIT. */
  triggered: boolean
  fills: Fill[]
}

/**
 * Matches one order against the order book of a second. MARKET takes the opposite side level by level. LIMIT
 * takes only levels at its price or better, each at the level's price. SL and SL-M do the same once the last
 * price reaches the trigger (at or above it for a BUY, at or below for a SELL). The unfilled quantity keeps
 * waiting.
 */
export function matchOrder(order: MatchableOrder, ltp: number, depth: Depth): MatchResult {
  if (!order.triggered && !triggers(order, ltp)) return { triggered: false, fills: [] }
  const fills: Fill[] = []
  let unfilled = order.remaining
  for (const level of order.action === 'BUY' ? depth.sell : depth.buy) {
    if (unfilled <= 0 || !accepts(order, level.price)) break
    const quantity = Math.min(unfilled, level.quantity)
    if (quantity <= 0) continue
    fills.push({ price: level.price, quantity })
    unfilled = exactQuantity(unfilled - quantity)
  }
  return { triggered: true, fills }
}

function triggers(order: MatchableOrder, ltp: number): boolean {
  if (!hasPrice(order.priceType, 'trigger')) return true
  return order.action === 'BUY' ? ltp >= order.triggerPrice : ltp <= order.triggerPrice
}

function accepts(order: MatchableOrder, price: number): boolean {
  const limit = hasPrice(order.priceType, 'price') ? order.price : order.worst
  if (limit === undefined) return true
  return order.action === 'BUY' ? price <= limit : price >= limit
}

type RemainingLevel = Omit<DepthLevel, 'quantity'> & { quantity: number }

/** An order book whose quantities shrink as orders fill; it can be read as a {@link Depth}. */
interface RemainingBook {
  buy: RemainingLevel[]
  sell: RemainingLevel[]
}

/** The order books of one second. Quantity taken by one order is not available to the next. */
export class Liquidity {
  readonly #books = new Map<string, { second: number; book: RemainingBook }>()

  /**
   * Returns the remaining order book of a contract at a second. `fresh` creates it when a new second starts.
   */
  book(key: string, second: number, fresh: () => Depth): RemainingBook {
    const known = this.#books.get(key)
    if (known?.second === second) return known.book
    const depth = fresh()
    const book = {
      buy: depth.buy.map((level) => ({ ...level })),
      sell: depth.sell.map((level) => ({ ...level })),
    }
    this.#books.set(key, { second, book })
    return book
  }

  /** Subtracts fills from the side of the book they came from. */
  take(book: RemainingBook, action: Action, fills: readonly Fill[]): void {
    const levels = action === 'BUY' ? book.sell : book.buy
    for (const fill of fills) {
      const level = levels.find((candidate) => candidate.price === fill.price)
      if (level) level.quantity = exactQuantity(level.quantity - fill.quantity)
    }
  }

  /** Removes the books of earlier seconds. */
  forgetBefore(second: number): void {
    for (const [key, book] of this.#books) if (book.second < second) this.#books.delete(key)
  }
}
