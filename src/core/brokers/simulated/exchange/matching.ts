import type { Depth, DepthLevel } from '../../../market/schema.js'
import { exactQuantity } from '../../../money/index.js'
import type { Action, PriceType } from '../../../orders/schema.js'

/** What matching looks at. */
export interface MatchableOrder {
  action: Action
  priceType: PriceType
  price: number
  triggerPrice: number
  /** Quantity still to fill. */
  remaining: number
  /** Has a stop's trigger been touched already (then it stays touched)? */
  triggered: boolean
}

export interface Fill {
  price: number
  quantity: number
}

export interface MatchResult {
  /** True once a stop has become an ordinary order; always true for MARKET and LIMIT. */
  triggered: boolean
  fills: Fill[]
}

/**
 * Matches one order against the book of a second. MARKET takes the opposite side level by level; LIMIT only levels
 * at its price or better, each at the level's own price; SL and SL-M do so from the moment the last price touches
 * the trigger (at or above it for a BUY, at or below for a SELL). What the book cannot fill stays for later.
 */
export function matchOrder(order: MatchableOrder, ltp: number, depth: Depth): MatchResult {
  if (!order.triggered && !triggers(order, ltp)) return { triggered: false, fills: [] }
  const fills: Fill[] = []
  let wanted = order.remaining
  for (const level of order.action === 'BUY' ? depth.sell : depth.buy) {
    if (wanted <= 0 || !accepts(order, level.price)) break
    const quantity = Math.min(wanted, level.quantity)
    if (quantity <= 0) continue
    fills.push({ price: level.price, quantity })
    wanted = exactQuantity(wanted - quantity)
  }
  return { triggered: true, fills }
}

function triggers(order: MatchableOrder, ltp: number): boolean {
  if (order.priceType === 'MARKET' || order.priceType === 'LIMIT') return true
  return order.action === 'BUY' ? ltp >= order.triggerPrice : ltp <= order.triggerPrice
}

function accepts(order: MatchableOrder, price: number): boolean {
  if (order.priceType === 'MARKET' || order.priceType === 'SL-M') return true
  return order.action === 'BUY' ? price <= order.price : price >= order.price
}

type LevelLeft = Omit<DepthLevel, 'quantity'> & { quantity: number }

/** A book that orders eat into; a {@link Depth} for whoever only looks. */
export interface BookLeft {
  buy: LevelLeft[]
  sell: LevelLeft[]
}

/** The book of one second as orders eat into it: what one order took is not there for the next. */
export class Liquidity {
  readonly #books = new Map<string, { second: number; book: BookLeft }>()

  /** The book that is left of a contract at a second. `fresh` gives it when the second is new. */
  book(key: string, second: number, fresh: () => Depth): BookLeft {
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

  /** Takes fills off the side of the book they came from. */
  take(book: BookLeft, action: Action, fills: readonly Fill[]): void {
    const levels = action === 'BUY' ? book.sell : book.buy
    for (const fill of fills) {
      const level = levels.find((candidate) => candidate.price === fill.price)
      if (level) level.quantity = exactQuantity(level.quantity - fill.quantity)
    }
  }

  /** Forgets the books of earlier seconds. */
  forgetBefore(second: number): void {
    for (const [key, book] of this.#books) if (book.second < second) this.#books.delete(key)
  }
}
