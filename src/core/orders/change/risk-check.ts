import type { RiskGate, RiskRefusal, TradingMode } from '../../risk/index.js'
import type { OrderRequest } from '../schema.js'

/** Rules about new orders: a change of one that is there is not another. */
const ABOUT_NEW_ORDERS: ReadonlySet<RiskRefusal['rule']> = new Set(['max_orders_per_day', 'max_day_loss'])

/**
 * What the gate says of an order as it would be after a change. Without it a small order could be made a large
 * one past every limit.
 */
export async function changeRefusal(
  risk: RiskGate,
  userId: string,
  mode: TradingMode,
  order: OrderRequest,
): Promise<RiskRefusal | undefined> {
  const refusal = await risk.examine(userId, mode, order)
  return refusal && !ABOUT_NEW_ORDERS.has(refusal.rule) ? refusal : undefined
}
