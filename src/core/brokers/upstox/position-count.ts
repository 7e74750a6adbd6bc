import type { UpstoxPosition } from './wire.js'

/** Rounded prices and charges may move a value so far from quantity × price. The smallest lot of more than one has two units. */
const TOLERANCE = 0.2

/**
 * Returns what the quantity of an open position counts. Upstox says that of orders only, so the money in the row must prove it:
 * the profit is in rupees, and the amounts of the day may be. Undefined if they prove neither, or contradict each other.
 * @param lot units of one lot
 */
export function countIn(row: UpstoxPosition, lot: number): 'lots' | 'units' | undefined {
  if (lot === 1 || row.quantity === 0) return 'lots'
  const profit = profitFactor(row)
  const amounts = amountFactors(row)
  const saysUnits = isAbout(profit, 1)
  const saysLots = amounts.length > 0 && amounts.every((factor) => isAbout(factor, lot))
  // Profits are multiplied by it, so a quantity with the multiplier of a lot counts lots.
  if (row.multiplier === lot) return saysUnits ? undefined : 'lots'
  // Amounts that fit units prove nothing alone: they may be prices of lots.
  if (saysLots && saysUnits) return undefined
  if (saysLots || isAbout(profit, lot)) return 'lots'
  return saysUnits ? 'units' : undefined
}

/** Returns the rupees of profit for each that the quantities as they are would have made. */
function profitFactor(row: UpstoxPosition): number | undefined {
  const { average_price, day_buy_price, day_buy_quantity, day_sell_price, day_sell_quantity } = row
  const { last_price, overnight_quantity, pnl, quantity } = row
  if (last_price <= 0) return undefined
  const isOfToday = overnight_quantity === 0
  if (!isOfToday && (day_buy_quantity !== 0 || day_sell_quantity !== 0)) return undefined
  const traded = day_sell_quantity * day_sell_price - day_buy_quantity * day_buy_price
  return factorOf(pnl, isOfToday ? traded + quantity * last_price : quantity * (last_price - average_price))
}

/** Returns how much each amount of the row is above quantity × price. */
function amountFactors(row: UpstoxPosition): number[] {
  const ofDay = [
    factorOf(row.day_buy_value, row.day_buy_quantity * row.day_buy_price),
    factorOf(row.day_sell_value, row.day_sell_quantity * row.day_sell_price),
  ].flatMap((factor) => factor ?? [])
  if (ofDay.length > 0) return ofDay
  return [factorOf(Math.abs(row.value), Math.abs(row.quantity) * row.average_price)].flatMap(
    (factor) => factor ?? [],
  )
}

function factorOf(amount: number, base: number): number | undefined {
  return amount === 0 || base === 0 ? undefined : amount / base
}

function isAbout(factor: number | undefined, expected: number): boolean {
  return factor !== undefined && Math.abs(factor / expected - 1) < TOLERANCE
}
