import { costAt, exactQuantity, type Money } from '../../money/index.js'
import type { Fill } from '../journal/journal.js'
import { CLOSE } from '../journal/statements.js'
import { ACTIONS, PRODUCTS } from '../schema.js'
import type { FillLog } from './totals.js'

/**
 * The fills of the journal, each with the largest earlier fill of the same order. A fill without a price is
 * skipped: the journal stores it again, with a new id, when the broker reports the price.
 */
export const LIVE_FILLS: FillLog = {
  table: 'order_fills',
  version: 1,
  sql: `select f.id, f.quantity, f.price, f.at, j.user_id, j.strategy, j.symbol, j.exchange, j.product, j.action,
      j.mode, j.api_type = '${CLOSE}' as closes, b.quantity as quantity_before, b.price as price_before
    from order_fills f join order_journal j on j.order_ref = f.order_ref
    left join order_fills b on b.id = (
      select id from order_fills where order_ref = f.order_ref and id < f.id and price > 0 order by quantity desc limit 1)
    where f.id > ? and f.id <= ? and f.price > 0 order by f.id`,
  toFill(row) {
    const product = PRODUCTS.find((one) => one === row.product)
    const action = ACTIONS.find((one) => one === row.action)
    const before =
      row.quantity_before === null
        ? undefined
        : { quantity: Number(row.quantity_before), price: Number(row.price_before) }
    const added = addedFill(before, { quantity: Number(row.quantity), price: Number(row.price) })
    if (!product || !action || !added || row.mode !== 'live') return undefined
    return {
      id: Number(row.id),
      userId: String(row.user_id),
      strategy: String(row.strategy),
      symbol: String(row.symbol),
      exchange: String(row.exchange),
      product,
      action,
      ...added,
      at: Number(row.at),
      closesOnly: row.closes === 1,
    }
  },
}

/**
 * Returns the quantity, and its value, by which a report exceeds the previous one. A report that is not
 * larger adds nothing, because it is a repeat or stale.
 */
export function addedFill(
  before: Fill | undefined,
  now: Fill,
): { quantity: number; value: Money } | undefined {
  if (!(now.quantity > (before?.quantity ?? 0))) return undefined
  const value = costAt(now.price, now.quantity)
  if (!before) return { quantity: now.quantity, value }
  return {
    quantity: exactQuantity(now.quantity - before.quantity),
    value: value - costAt(before.price, before.quantity),
  }
}
