import { fromMoney, toMoney } from '../../money/index.js'
import type { Contract, RunOrder } from '../engine/index.js'
import type { ReplayTick } from './recorded/ticks.js'

/** The distance by which every fill is worse than the price: rupees a unit, or percent of the price. */
export interface Slippage {
  unit: 'points' | 'percent'
  value: number
}

export const NO_SLIPPAGE: Slippage = { unit: 'points', value: 0 }
/** A sale never fills below the smallest price. */
const SMALLEST_PRICE = 0.01

export interface Fill {
  order: RunOrder
  price: number
}

/** Fills market orders in full at the first price that follows them. */
export class PaperMarket {
  readonly #waiting = new Map<string, RunOrder[]>()

  constructor(private readonly slippage: Slippage) {}

  add(order: RunOrder): void {
    const key = keyOf(order)
    const orders = this.#waiting.get(key)
    if (orders) orders.push(order)
    else this.#waiting.set(key, [order])
  }

  /** Drops an order. Returns whether it still waited. */
  cancel(orderId: string): boolean {
    for (const orders of this.#waiting.values()) {
      const at = orders.findIndex(({ id }) => id === orderId)
      if (at >= 0) return orders.splice(at, 1).length > 0
    }
    return false
  }

  /** Returns the orders that a tick fills. They were placed before it. */
  fillsAt({ key, price }: Pick<ReplayTick, 'key' | 'price'>): Fill[] {
    if (this.#waiting.size === 0) return []
    const orders = this.#waiting.get(key)
    if (!orders) return []
    this.#waiting.delete(key)
    return orders.map((order) => ({ order, price: this.#priceOf(order, price) }))
  }

  #priceOf({ action }: RunOrder, price: number): number {
    const { unit, value } = this.slippage
    const distance = unit === 'points' ? value : (price * value) / 100
    const filled = action === 'BUY' ? price + distance : Math.max(price - distance, SMALLEST_PRICE)
    return fromMoney(toMoney(filled))
  }
}

/** `EXCHANGE:SYMBOL`. */
export const keyOf = ({ exchange, symbol }: Contract): string => `${exchange}:${symbol}`
