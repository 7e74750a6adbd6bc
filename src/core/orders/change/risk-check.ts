import type { RiskGate, RiskRefusal } from '../../risk/index.js'
import type { TradingMode } from '../../trading/index.js'
import type { OrderRequest } from '../schema.js'

/** Rules for new orders only: a change of an existing order is not a new order. */
const ABOUT_NEW_ORDERS: ReadonlySet<RiskRefusal['rule']> = new Set(['max_orders_per_day', 'max_day_loss'])

/**
 * Returns the risk gate's refusal for the order as it will be after a change. Without this check, a change
 * could make a small order larger than every limit.
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
