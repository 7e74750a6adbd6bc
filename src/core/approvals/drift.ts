import type { Refusal } from '../errors/index.js'
import { type SymbolRef, symbolKey } from '../market/schema.js'
import { formatMoney, fromColumn, type Money, toMoney } from '../money/index.js'
import { instrumentsOf } from './payload.js'
import { priceColumn, priceWhenQueued, type QueuedPrices } from './prices.js'
import type { LastPrice, QueuedOrder } from './schema.js'

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
