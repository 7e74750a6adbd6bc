import { sumOfRupees } from '../../../core/money/index.js'
import type { Approval } from '../../../views/approvals/approval.js'
import {
  type ApprovalPlan,
  LEG_COLUMNS,
  notesOf,
  type PlannedOrder,
  planInPages,
  type ShownLeg,
  shownLegs,
} from '../../../views/approvals/plan.js'
import { countText } from '../../../views/text/count.js'
import type { Context } from '../../framework/context.js'
import type { OrderDestination } from '../../framework/live/guard.js'
import type { Look } from '../../io/confirm.js'
import { ordersOf } from '../order/names.js'

/** The most orders of which one plan has the legs. */
const MOST_PLANNED = 100

/** Reads what the approval of some waiting orders would send now, in the order in which approve-all sends them; of all without ids. */
export async function readPlan(context: Context, ids?: readonly number[]): Promise<ApprovalPlan> {
  const body = { details: Math.min(MOST_PLANNED, ids?.length ?? MOST_PLANNED), ...(ids && { ids }) }
  return (await context.read('POST /action-center/plan', { body })).body.data
}

/** Reads the plan of any number of waiting orders, as {@link planInPages} does, with the totals of all of them. */
export async function readWholePlan(
  context: Context,
  ids: readonly number[],
  mostLegs?: number,
): Promise<ApprovalPlan | undefined> {
  const plan = await planInPages(ids, (page) => readPlan(context, page), mostLegs)
  return plan && withOrders(plan, plan.orders)
}

/** Returns a plan of some orders only, with their totals. */
export function withOrders(plan: ApprovalPlan, orders: readonly PlannedOrder[]): ApprovalPlan {
  const known = orders.flatMap(({ value }) => value ?? [])
  const totals = {
    orders: orders.length,
    value: sumOfRupees(known),
    unknown: orders.length - known.length,
    newest_id: orders.length === 0 ? null : Math.max(...orders.map(({ id }) => id)),
  }
  return { ...plan, orders: [...orders], totals }
}

/** Returns what a person sees before orders are approved: every leg, and the value of all of them. */
export function lookOf(plan: ApprovalPlan, place: OrderDestination): Look<ShownLeg> {
  const { broker, mode, orders, totals } = plan
  const rows = shownLegs(plan)
  return {
    // The plan is what the daemon compares the approval with.
    destination: { ...place, broker, mode },
    facts: [
      countText(totals.orders, 'waiting order'),
      `${countText(rows.length, 'order')} to send`,
      ...(totals.unknown > 0 ? [`${totals.unknown} of unknown value`] : []),
      ...orders.flatMap((order) => notesOf(order).map((note) => `approval ${order.id}: ${note}`)),
    ],
    value: totals.value,
    list: { rows, columns: LEG_COLUMNS },
    // Nobody approves what was not shown.
    showsAll: true,
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
