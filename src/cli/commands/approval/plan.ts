import type { Approval } from '../../../views/approvals/approval.js'
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
import { ordersOf } from '../order/names.js'

/** The most orders of which one plan has the legs. */
export const MOST_PLANNED = 100

/** Reads what the approval of some waiting orders would send now; of all without ids. */
export async function readPlan(context: Context, ids?: readonly number[]): Promise<ApprovalPlan> {
  const body = { details: ids === undefined ? 20 : Math.min(MOST_PLANNED, ids.length), ...(ids && { ids }) }
  return (await context.read('POST /action-center/plan', { body })).body.data
}

/** Returns what a person sees before orders are approved: every leg, and the value of all of them. */
export function lookOf(plan: ApprovalPlan, place: OrderDestination): Look<ShownLeg> {
  const { broker, mode, orders, totals } = plan
  const rows = shownLegs(plan)
  const hidden = totals.orders - orders.length
  return {
    // The plan is what an approval is compared with later.
    destination: { ...place, broker, mode },
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

/** Returns the next step for an approval that was sent; undefined for one that sent nothing or is not decided. */
export function nextStep(row: Approval): string | undefined {
  if (row.execution === 'failed')
    return 'Nothing is at the broker. If you still want the order, place it again.'
  if (row.execution === 'in_doubt') return `Do not send it again. Follow it: svc approval show ${row.id}`
  const { ids } = ordersOf(row)
  if (ids.length === 0) return undefined
  const look =
    ids.length === 1
      ? `See its order: svc order status ${ids[0]}`
      : `See its orders: svc order status approval/${row.id}`
  return row.execution === 'partial' ? `${look}. Place again only the orders that failed.` : look
}
