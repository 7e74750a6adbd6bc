import { type SymbolRef, symbolKey } from '../market/schema.js'
import { fromColumn, MAX_MONEY, type Money, toColumn, toMoney } from '../money/index.js'
import type { PendingOrderRow } from './store.js'

/** The prices that a row stored when it was queued. */
export type QueuedPrices = Pick<PendingOrderRow, 'createdLtp' | 'createdPrices'>

/** Returns a price as its column stores it; null when there is no price that a later check can use. */
export function priceColumn(rupees: number | undefined): number | null {
  if (rupees === undefined || !Number.isFinite(rupees) || rupees <= 0) return null
  const price = toMoney(rupees)
  return price <= MAX_MONEY ? toColumn(price) : null
}

/**
 * Returns the prices of several instruments as their column stores them; null when a later check can use
 * none.
 */
export function pricesColumn(rupees: ReadonlyMap<string, number> | undefined): string | null {
  const known = [...(rupees ?? [])].flatMap(([key, price]) => {
    const column = priceColumn(price)
    return column === null ? [] : [[key, column] as const]
  })
  return known.length === 0 ? null : JSON.stringify(Object.fromEntries(known))
}

/** Returns the price of an instrument at the time the request was queued; undefined when it is not known. */
export function priceWhenQueued(
  { createdLtp, createdPrices }: QueuedPrices,
  ref: SymbolRef,
): Money | undefined {
  const column = createdPrices === null ? createdLtp : columnOf(createdPrices, symbolKey(ref))
  return column === null ? undefined : fromColumn(column)
}

function columnOf(createdPrices: string, key: string): number | null {
  const prices: unknown = JSON.parse(createdPrices)
  const found = new Map(Object.entries(Object(prices))).get(key)
  return typeof found === 'number' ? found : null
}
