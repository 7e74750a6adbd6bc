import type { RiskGate, RiskRefusal } from '../../risk/index.js'
import type { TradingMode } from '../../trading/index.js'
import type { PlaceContext } from '../ports.js'
import type { UnplacedResult } from '../result.js'
import type { OrderRequest } from '../schema.js'

/** Rules for new orders only: a change of an existing order is not a new order. */
const ABOUT_NEW_ORDERS: ReadonlySet<RiskRefusal['rule']> = new Set(['max_orders_per_day', 'max_day_loss'])

/** Returns whether a rule of the risk gate also applies to the change of an order. */
export function isAboutChanges(rule: RiskRefusal['rule']): boolean {
  return !ABOUT_NEW_ORDERS.has(rule)
}

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
  return refusal && isAboutChanges(refusal.rule) ? refusal : undefined
}

/** Whether a modification may be sent. `lowers`: only because it lowers risk. */
export interface Verdict {
  refused?: UnplacedResult
  lowers?: true
}

/** What a signed-in person may still do with the order. */
const STILL_ALLOWED =
  'Still allowed: less quantity, a limit price or a trigger farther from the market, and a cancel.'

/** Lets a modification that would be refused pass when a signed-in person lowers risk by it. */
export async function verdictOf(
  refused: UnplacedResult | undefined,
  { signedIn }: Pick<PlaceContext, 'signedIn'>,
  lowers: () => Promise<boolean>,
): Promise<Verdict> {
  if (!refused) return {}
  if (!signedIn) return { refused }
  if (await lowers()) return { lowers: true }
  return { refused: { ...refused, message: `${refused.message.replace(/\.?$/, '.')} ${STILL_ALLOWED}` } }
}
