import { fromColumn, timesQuantity } from '../../money/index.js'
import type { FillLog } from '../../orders/index.js'
import { ACTIONS, PRODUCTS } from '../../orders/schema.js'
import { SQUARE_OFF_STRATEGY } from '../clock/jobs.js'

/** The trades of the sandbox, as the fills of strategies. Its own closes count for every strategy. */
export const SANDBOX_FILLS: FillLog = {
  table: 'sandbox_trades',
  sql: `select * from sandbox_trades where id > ? and id <= ? order by id`,
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
      closesOnly: strategy === SQUARE_OFF_STRATEGY,
    }
  },
}
