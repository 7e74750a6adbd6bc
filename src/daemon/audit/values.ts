import type { Approvals } from '../../core/approvals/index.js'
import type { RiskGate } from '../../core/risk/index.js'

/* The values that acts change, as the audit trail shows them, for acts of routes and of chats. */

export function killSwitchValues({ killSwitch: { on, reason } }: Pick<RiskGate, 'killSwitch'>) {
  return { on, reason }
}

/** Returns the state of a queued order; undefined if there is none. */
export async function pendingOrderValues(approvals: Pick<Approvals, 'view'>, username: string, id: number) {
  const order = await approvals.view(username, id).catch(() => undefined)
  if (!order) return undefined
  const { api_type, broker_order_id, execution, order_ref, rejected_reason, status } = order
  return { api_type, status, execution, broker_order_id, order_ref, rejected_reason }
}
