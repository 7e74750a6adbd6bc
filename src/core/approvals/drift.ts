import { formatMoney, fromColumn, MAX_MONEY, type Money, toColumn, toMoney } from '../money/index.js'
import { instrumentOf } from './payload.js'
import type { LastPrice, QueuedOrder, Refusal } from './schema.js'

/** A price for its column; null when there is none that could be compared with later. */
export function priceColumn(rupees: number | undefined): number | null {
  if (rupees === undefined || !Number.isFinite(rupees) || rupees <= 0) return null
  const price = toMoney(rupees)
  return price <= MAX_MONEY ? toColumn(price) : null
}

/**
 * Refuses an order of one instrument whose price has moved more than `maxPercent` since it was queued, or whose
 * move cannot be told: a check that passes when a price is missing protects nobody. Orders of several
 * instruments have no single price and are not checked.
 */
export async function driftRefusal(
  order: QueuedOrder,
  createdLtp: number | null,
  maxPercent: number,
  lastPrice: LastPrice,
): Promise<Refusal | undefined> {
  const instrument = instrumentOf(order.payload)
  if (maxPercent <= 0 || !instrument) return undefined
  const name = `${instrument.exchange}:${instrument.symbol}`
  if (createdLtp === null) {
    return refusal(`the price of ${name} when it was queued is not known, so its move cannot be checked`)
  }
  const now = priceColumn(await lastPrice(instrument))
  if (now === null) return refusal(`there is no price of ${name} to check its move against`)
  const before = fromColumn(createdLtp)
  const current = fromColumn(now)
  if (!movedMoreThan(before, current, maxPercent)) return undefined
  return refusal(
    `${name} moved from ${formatMoney(before)} when it was queued to ${formatMoney(current)} now, ` +
      `more than ${maxPercent} percent`,
  )
}

function movedMoreThan(before: Money, current: Money, maxPercent: number): boolean {
  const move = current > before ? current - before : before - current
  // move / before > maxPercent / 100, in whole numbers; toMoney carries the percentage exactly.
  return move * 100n * toMoney(1) > before * toMoney(maxPercent)
}

function refusal(why: string): Refusal {
  return { code: 'refused', message: `Not approved: ${why}. The order stays pending.` }
}
