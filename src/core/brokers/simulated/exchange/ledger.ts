import { exactQuantity, type Money, shareOf, timesQuantity, toMoney, unitsIn } from '../../../money/index.js'
import type { OrderProduct } from '../../../orders/schema.js'
import type { ExchangeTrade } from './exchange-order.js'

export interface LedgerPosition {
  symbol: string
  exchange: string
  product: OrderProduct
  /** Signed. */
  quantity: number
  multiplier: number
  /** The total price at which the open quantity was bought or sold; never negative. */
  cost: Money
  /** Profit realised in this session. */
  realized: Money
  /** The position at the start of this session. */
  carried: { quantity: number; cost: Money }
}

interface LedgerHolding {
  symbol: string
  exchange: string
  quantity: number
  cost: Money
}

/** A holding that the account starts with. Its cost is not taken from the starting cash. */
export interface SeedHolding {
  symbol: string
  exchange: string
  quantity: number
  averagePrice: number
}

/**
 * Positions, holdings and cash of the account, computed only from its trades: replaying all trades gives the
 * same result. Costs are stored as sums, not averages, so that no rounding error accumulates. Shares bought
 * for delivery become holdings when the next session starts (T+1).
 */
export class Ledger {
  readonly #positions = new Map<string, LedgerPosition>()
  readonly #holdings = new Map<string, LedgerHolding>()
  #realizedEver: Money = 0n
  /** The cost of the shares moved to holdings, which has left the cash. */
  #settledCost: Money = 0n

  constructor(seeds: readonly SeedHolding[] = []) {
    for (const { symbol, exchange, quantity, averagePrice } of seeds) {
      const cost = timesQuantity(toMoney(averagePrice), quantity)
      this.#holdings.set(`${exchange}:${symbol}`, { symbol, exchange, quantity, cost })
    }
  }

  get positions(): readonly LedgerPosition[] {
    return [...this.#positions.values()]
  }

  get holdings(): readonly LedgerHolding[] {
    return [...this.#holdings.values()]
  }

  /** Profit realised since the account was opened. */
  get realizedEver(): Money {
    return this.#realizedEver
  }

  get settledCost(): Money {
    return this.#settledCost
  }

  position(symbol: string, exchange: string, product: OrderProduct): LedgerPosition | undefined {
    return this.#positions.get(positionKey(symbol, exchange, product))
  }

  holding(symbol: string, exchange: string): LedgerHolding | undefined {
    return this.#holdings.get(`${exchange}:${symbol}`)
  }

  apply(trade: ExchangeTrade): void {
    const position = this.#open(trade)
    const signed = trade.action === 'BUY' ? trade.quantity : -trade.quantity
    const value = timesQuantity(toMoney(trade.price), unitsIn(trade.quantity, trade.multiplier))
    if (position.quantity === 0 || position.quantity > 0 === signed > 0) {
      position.quantity = exactQuantity(position.quantity + signed)
      position.cost += value
      return
    }
    const openQuantity = Math.abs(position.quantity)
    const closed = Math.min(openQuantity, trade.quantity)
    const costClosed = shareOf(position.cost, closed, openQuantity)
    const valueClosed = shareOf(value, closed, trade.quantity)
    const profit = position.quantity > 0 ? valueClosed - costClosed : costClosed - valueClosed
    this.#book(position, profit)
    const reverses = trade.quantity > openQuantity
    position.quantity = exactQuantity(position.quantity + signed)
    position.cost = reverses ? value - valueClosed : position.cost - costClosed
  }

  /**
   * Starts a new session: delivery positions settle, realised profit is reset to zero, and closed positions
   * are removed.
   */
  startSession(): void {
    for (const [key, position] of this.#positions) {
      if (position.product === 'CNC' && position.quantity !== 0) this.#settle(position)
      position.realized = 0n
      position.carried = { quantity: position.quantity, cost: position.cost }
      if (position.quantity === 0) this.#positions.delete(key)
    }
  }

  #open(trade: ExchangeTrade): LedgerPosition {
    const key = positionKey(trade.symbol, trade.exchange, trade.product)
    const known = this.#positions.get(key)
    if (known) return known
    const { symbol, exchange, product, multiplier } = trade
    const carried = { quantity: 0, cost: 0n }
    const position = { symbol, exchange, product, quantity: 0, multiplier, cost: 0n, realized: 0n, carried }
    this.#positions.set(key, position)
    return position
  }

  #book(position: LedgerPosition, profit: Money): void {
    position.realized += profit
    this.#realizedEver += profit
  }

  #settle(position: LedgerPosition): void {
    const { symbol, exchange } = position
    const key = `${exchange}:${symbol}`
    const holding = this.#holdings.get(key) ?? { symbol, exchange, quantity: 0, cost: 0n }
    if (position.quantity > 0) {
      holding.cost += position.cost
      this.#settledCost += position.cost
    } else {
      const sold = Math.min(-position.quantity, holding.quantity)
      const costSold = sold === 0 ? 0n : shareOf(holding.cost, sold, holding.quantity)
      holding.cost -= costSold
      this.#settledCost -= costSold
      this.#realizedEver += position.cost - costSold
    }
    holding.quantity = exactQuantity(holding.quantity + position.quantity)
    if (holding.quantity > 0) this.#holdings.set(key, holding)
    else this.#holdings.delete(key)
    position.quantity = 0
    position.cost = 0n
  }
}

function positionKey(symbol: string, exchange: string, product: OrderProduct): string {
  return `${exchange}:${symbol}:${product}`
}
