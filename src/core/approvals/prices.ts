import { type SymbolRef, symbolKey } from '../market/schema.js'
import { fromColumn, MAX_MONEY, type Money, toColumn, toMoney } from '../money/index.js'
import type { PendingOrderRow } from './store.js'

/** What a row knows of the prices when it was queued. */
export type QueuedPrices = Pick<PendingOrderRow, 'createdLtp' | 'createdPrices'>

/** A price for its column; null when there is none that could be compared with later. */
export function priceColumn(rupees: number | undefined): number | null {
  if (rupees === undefined || !Number.isFinite(rupees) || rupees <= 0) return null
  const price = toMoney(rupees)
  return price <= MAX_MONEY ? toColumn(price) : null
}

/** The prices of several instruments for their column; null when none of them could be compared with later. */
export function pricesColumn(rupees: ReadonlyMap<string, number> | undefined): string | null {
  const known = [...(rupees ?? [])].flatMap(([key, price]) => {
    const column = priceColumn(price)
    return column === null ? [] : [[key, column] as const]
  })
  return known.length === 0 ? null : JSON.stringify(Object.fromEntries(known))
}

/** The price of an instrument when the request that names it was queued; undefined when it is not known. */
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
