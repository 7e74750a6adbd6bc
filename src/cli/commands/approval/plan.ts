import {
  type ApprovalPlan,
  LEG_COLUMNS,
  notesOf,
  type ShownLeg,
  shownLegs,
} from '../../../views/approvals/plan.js'
import { countText } from '../../../views/text/count.js'
import type { Context } from '../../framework/context.js'
import type { OrderDestination } from '../../framework/live/guard.js'
import type { Look } from '../../io/confirm.js'

/** Reads what the approval of some waiting orders would send now; of all without ids. */
export async function readPlan(context: Context, ids?: readonly number[]): Promise<ApprovalPlan> {
  const body = { details: ids === undefined ? 20 : Math.min(100, ids.length), ...(ids && { ids }) }
  return (await context.change('POST /action-center/plan', { body })).body.data
}

/** Returns what a person sees before orders are approved: every leg, and the value of all of them. */
export function lookOf(plan: ApprovalPlan, destination: OrderDestination): Look<ShownLeg> {
  const { orders, totals } = plan
  const rows = shownLegs(plan)
  const hidden = totals.orders - orders.length
  return {
    destination,
    facts: [
      countText(totals.orders, 'waiting order'),
      `${countText(rows.length, 'order')} to send${hidden > 0 ? `, and those of ${hidden} more` : ''}`,
      ...(totals.unknown > 0 ? [`${totals.unknown} of unknown value`] : []),
      ...orders.flatMap((order) => notesOf(order).map((note) => `approval ${order.id}: ${note}`)),
    ],
    value: totals.value,
    list: { rows, columns: LEG_COLUMNS },
  }
}
