import type { OrderRecord } from '../../../client/answers/records.js'
import { decimalsOf } from '../../../core/money/index.js'
import { WAITING } from '../../../core/orders/vocabulary.js'
import type { Quote } from '../../live/prices/quote.js'
import { standingPrice } from '../../orders/form/draft.js'

/** One price of the ladder, with what the book and the own orders have there. */
export interface Rung {
  /** The price as a number of ticks: equal prices are equal numbers. */
  ticks: number
  /** Rupees. */
  price: number
  /** The quantities of the book. */
  bid: number
  ask: number
  /** The quantities of the own orders that still wait. */
  buys: number
  sells: number
  /** True for the last traded price. */
  isLast: boolean
  /** True for the average price of the position. */
  isAverage: boolean
}

/** What the ladder shows. */
export interface LadderFacts {
  /** Rupees. */
  tick: number
  quote: Pick<Quote, 'ltp' | 'depth'>
  /** The own orders of the symbol. */
  orders: readonly OrderRecord[]
  /** The average price of the position; 0 without one. */
  average: number
}

export const ticksAt = (price: number, tick: number): number => Math.round(price / tick)

/** Returns a price without the error of floating point: 16251 ticks of 0.05 are 812.55. */
export const priceAt = (ticks: number, tick: number): number =>
  Number((ticks * tick).toFixed(decimalsOf(tick)))

/** Returns the price, in ticks, at which an own order waits. Undefined for one that does not wait. */
export function ticksOfOrder(order: OrderRecord, tick: number): number | undefined {
  if (!WAITING.has(order.order_status)) return undefined
  const price = standingPrice(order)
  return price > 0 ? ticksAt(price, tick) : undefined
}

/** Returns the own orders that wait at a price, newest first as the order book has them. */
export const ordersAt = (
  orders: readonly OrderRecord[],
  ticks: number,
  tick: number,
): readonly OrderRecord[] => orders.filter((order) => ticksOfOrder(order, tick) === ticks)

/** Returns the next price below at which an own order waits, in ticks; below the last one comes the first. Undefined without any. */
export function nextOrderBelow(
  orders: readonly OrderRecord[],
  ticks: number,
  tick: number,
): number | undefined {
  const levels = orders
    .flatMap((order) => ticksOfOrder(order, tick) ?? [])
    .toSorted((one, other) => other - one)
  return levels.find((level) => level < ticks) ?? levels[0]
}

/** Returns the rungs from a price downwards. Prices end above zero. */
export function rungsFrom(top: number, height: number, facts: LadderFacts): readonly Rung[] {
  const { average, orders, quote, tick } = facts
  const { buy = [], sell = [] } = quote.depth ?? {}
  const [bids, asks] = [buy, sell].map((levels) =>
    summed(levels.map((one) => [ticksAt(one.price, tick), one.quantity])),
  )
  const own = (side: string) =>
    summed(
      orders
        .filter(({ action }) => action === side)
        .map((order) => [ticksOfOrder(order, tick) ?? 0, order.pending_quantity]),
    )
  const [buys, sells] = [own('BUY'), own('SELL')]
  const [last, middle] = [ticksAt(quote.ltp, tick), average > 0 ? ticksAt(average, tick) : 0]
  return Array.from({ length: Math.max(0, Math.min(height, top)) }, (_, row) => {
    const ticks = top - row
    return {
      ...{ ticks, price: priceAt(ticks, tick), isLast: ticks === last, isAverage: ticks === middle },
      ...{ bid: bids?.get(ticks) ?? 0, ask: asks?.get(ticks) ?? 0 },
      ...{ buys: buys.get(ticks) ?? 0, sells: sells.get(ticks) ?? 0 },
    }
  })
}

function summed(parts: readonly (readonly [number, number])[]): ReadonlyMap<number, number> {
  const sums = new Map<number, number>()
  for (const [at, quantity] of parts) sums.set(at, (sums.get(at) ?? 0) + quantity)
  return sums
}

/** Returns the top of the window: where it was if the cursor is in it, as little moved as possible if not. */
export function topFor(at: number, height: number, before: number | undefined): number {
  if (before === undefined) return Math.max(height, at + Math.floor(height / 2))
  return Math.max(Math.min(height, before), at, Math.min(before, at + height - 1))
}

/** Whether a new limit order at a price would fill at once: `BUY`, `SELL`, or neither. */
export function crossingAt(
  ticks: number,
  { quote: { depth }, tick }: LadderFacts,
): 'BUY' | 'SELL' | undefined {
  const best = (levels: readonly { price: number; quantity: number }[] = []) => {
    const price = levels.find((one) => one.price > 0 && one.quantity > 0)?.price
    return price === undefined ? undefined : ticksAt(price, tick)
  }
  const [bid, ask] = [best(depth?.buy), best(depth?.sell)]
  if (ask !== undefined && ticks >= ask) return 'BUY'
  return bid !== undefined && ticks <= bid ? 'SELL' : undefined
}
