import { fromColumn, timesQuantity } from '../../money/index.js'
import type { FillLog } from '../../orders/index.js'
import { ACTIONS, PRODUCTS } from '../../orders/schema.js'
import { OWN_STRATEGIES } from '../own-strategies.js'

/**
 * The trades of the sandbox since the last reset of each account, as the fills of strategies. Its own closes count for every
 * strategy.
 */
export const SANDBOX_FILLS: FillLog = {
  table: 'sandbox_trades',
  version: 2,
  sql: `select t.* from sandbox_trades t left join sandbox_funds f on f.user_id = t.user_id and f.reset_count > 0
    where t.id > ? and t.id <= ? and t.traded_at >= coalesce(f.last_reset_at, 0) order by t.id`,
  toFill(row) {
    const product = PRODUCTS.find((one) => one === row.product)
    const action = ACTIONS.find((one) => one === row.action)
    if (!product || !action) return undefined
    const quantity = Number(row.quantity)
    const strategy = String(row.strategy)
    return {
      id: Number(row.id),
      userId: String(row.user_id),
      strategy,
      symbol: String(row.symbol),
      exchange: String(row.exchange),
      product,
      action,
      quantity,
      value: timesQuantity(fromColumn(Number(row.price)), quantity),
      at: Number(row.traded_at),
      closesOnly: OWN_STRATEGIES.includes(strategy),
    }
  },
}
