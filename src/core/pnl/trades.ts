import { type Money, quantityUnits, toMoney, unitsFor, unitsIn } from '../money/index.js'
import type { Action } from '../orders/schema.js'
import { addDays, istInstant } from '../time/index.js'
import { LONGEST_BREAK_DAYS, type Trade, type TradeRow } from './schema.js'
import { parseTradeTime } from './trade-time.js'

const ACTIONS: Readonly<Record<string, Action>> = { BUY: 'BUY', SELL: 'SELL' }

/**
 * Returns the trade of a row; undefined if its time or its quantity cannot be read. `contractValue` is the
 * number of units of the underlying in one contract.
 */
export function readTrade(row: TradeRow, today: string, contractValue: number): Trade | undefined {
  const action = ACTIONS[row.action.toUpperCase()]
  const at = [row.timestamp, row.fill_timestamp, row.fill_time]
    .map((time) => parseTradeTime(time, today))
    .find((time) => time !== undefined && isOfLastSession(time, today))
  if (action === undefined || at === undefined || !(row.average_price > 0)) return undefined
  const price = toMoney(row.average_price)
  const units = unitsOf(row, price, contractValue)
  return units > 0n ? { action, units, price, at } : undefined
}

/**
 * Returns whether a trade book of `today` can have a trade of this time. Some brokers send `0001-01-01 00:00:00` for a
 * missing time; the bars since then would be millions.
 */
function isOfLastSession(time: number, today: string): boolean {
  return time >= istInstant(addDays(today, -LONGEST_BREAK_DAYS)) && time < istInstant(addDays(today, 2))
}

/** Returns the units of a trade. Some books have only its value and price. */
function unitsOf(
  { quantity, trade_value: value = 0 }: TradeRow,
  price: Money,
  contractValue: number,
): bigint {
  if (quantity > 0) return quantityUnits(unitsIn(quantity, contractValue))
  return value > 0 && price > 0n ? unitsFor(toMoney(value), price) : 0n
}
