import type { Refusal } from '../../errors/index.js'
import { type SymbolRef, symbolKey } from '../../market/schema.js'
import { formatMoney, fromColumn, MAX_MONEY, type Money, toColumn, toMoney } from '../../money/index.js'
import { instrumentsOf } from '../payload.js'
import type { LastPrice, QueuedOrder } from '../schema.js'
import type { PendingOrderRow } from '../store.js'

/** The prices that a row stored when it was queued. */
type QueuedPrices = Pick<PendingOrderRow, 'createdLtp' | 'createdPrices'>

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

/**
 * Refuses a request when the price of an instrument it names has moved more than `maxPercent` since it was
 * queued. Also refuses it when a price is missing: a check that passes without a price protects nobody.
 * Option orders are not checked: they name only an underlying, and their contract is chosen at execution, at
 * the prices of that time.
 */
export async function driftRefusal(
  order: QueuedOrder,
  then: QueuedPrices,
  maxPercent: number,
  lastPrice: LastPrice,
): Promise<Refusal | undefined> {
  if (maxPercent <= 0) return undefined
  const refs = instrumentsOf(order.payload)
  const problems = await Promise.all(refs.map((ref) => problemWith(ref, then, maxPercent, lastPrice)))
  const problem = problems.find((each) => each !== undefined)
  return problem === undefined
    ? undefined
    : { code: 'refused', message: `Not approved: ${problem}. The order stays pending.` }
}

/** Returns why the price of this instrument forbids approval now. */
async function problemWith(
  ref: SymbolRef,
  then: QueuedPrices,
  maxPercent: number,
  lastPrice: LastPrice,
): Promise<string | undefined> {
  const name = symbolKey(ref)
  const before = priceWhenQueued(then, ref)
  if (before === undefined) {
    return `the price of ${name} when it was queued is not known, so its move cannot be checked`
  }
  const now = priceColumn(await lastPrice(ref))
  if (now === null) return `there is no price of ${name} to check its move against`
  const current = fromColumn(now)
  if (!movedMoreThan(before, current, maxPercent)) return undefined
  return (
    `${name} moved from ${formatMoney(before)} when it was queued to ${formatMoney(current)} now, ` +
    `more than ${maxPercent} percent`
  )
}

function movedMoreThan(before: Money, current: Money, maxPercent: number): boolean {
  const move = current > before ? current - before : before - current
  // move / before > maxPercent / 100, in whole numbers; toMoney represents the percentage exactly.
  return move * 100n * toMoney(1) > before * toMoney(maxPercent)
}
