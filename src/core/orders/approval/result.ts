import type { ApprovalResult, FailedPart } from '../../approvals/schema.js'
import { type ErrorFacts, factsOf } from '../../errors/index.js'
import { type OrderEnd, UNKNOWN_OUTCOME } from '../end.js'
import type { JournalRow } from '../journal/journal.js'
import { idOf } from '../journal/result.js'
import type { OrderState } from '../journal/states.js'
import type { BatchResult } from '../multi/plans/batches.js'
import type { PlannedLeg } from '../multi/plans/plan.js'
import type { OrderResult } from '../result.js'
import type { OrderStatus } from '../schema.js'

/** Returns the status of a placed order by its id; undefined when it is not known now. */
export type StatusOf = (orderId: string) => OrderStatus | undefined

/**
 * The status in a broker's book for each state of an order. Undefined for an order that may still trade, and for
 * a lapsed one: nobody knows how it ended.
 */
const STATUS_OF_STATE: Readonly<Record<OrderState, OrderStatus | undefined>> = {
  claimed: undefined,
  sending: undefined,
  unknown: undefined,
  accepted: undefined,
  triggered: undefined,
  partial: undefined,
  filled: 'complete',
  cancelled: 'cancelled',
  rejected: 'rejected',
  lapsed: undefined,
}

const UNKNOWN_STATUS: StatusOf = () => undefined

/** Returns the statuses of orders from the journal. */
export function statusIn(rows: readonly JournalRow[]): StatusOf {
  const statuses = new Map(rows.map((row) => [idOf(row), STATUS_OF_STATE[row.state]]))
  return (orderId) => statuses.get(orderId)
}

/** Returns the result of an approved request of one order. */
export function approvalOfEnd(end: OrderEnd, statusOf: StatusOf = UNKNOWN_STATUS): ApprovalResult {
  switch (end.outcome) {
    case 'placed':
      return { outcome: 'placed', orders: [placedAs(end.orderId, statusOf)] }
    case 'in_doubt':
      return { outcome: 'unknown', message: UNKNOWN_OUTCOME }
    default:
      return failed(end)
  }
}

/**
 * The result of an approved GTT: it waits for its trigger, whatever else is known. A trigger without an id is
 * none.
 */
export function approvalOfGtt(end: OrderEnd, statusOf: StatusOf = UNKNOWN_STATUS): ApprovalResult {
  if (end.outcome !== 'placed') return approvalOfEnd(end)
  const { orderId } = end
  const orders = orderId === '' ? [] : [{ orderId, orderStatus: statusOf(orderId) ?? 'open' }]
  return { outcome: 'placed', orders }
}

/** Returns the result of an approved request that needed no order. */
export function approvalWithoutOrder(result: OrderResult): ApprovalResult {
  switch (result.outcome) {
    case 'refused':
    case 'not_sent':
      return failed(result)
    case 'in_doubt':
      return { outcome: 'unknown', message: result.message }
    default:
      return { outcome: 'nothing_to_do' }
  }
}

/**
 * Returns the result of an approved request of several orders. One order in doubt puts the whole in doubt.
 */
export function approvalOfBatch(
  { ends, plan }: Pick<BatchResult, 'ends' | 'plan'>,
  statusOf: StatusOf = UNKNOWN_STATUS,
): ApprovalResult {
  const [only, ...others] = ends
  if (plan.shape === 'single' && only && others.length === 0) return approvalOfEnd(only, statusOf)
  const parts = partsOf(plan.legs, ends)
  const inDoubt = ends.filter(({ outcome }) => outcome === 'in_doubt').length
  if (inDoubt > 0) {
    return { outcome: 'unknown', message: `The outcome of ${inDoubt} of ${parts.length} orders is not known` }
  }
  return {
    outcome: 'placed',
    orders: ends.flatMap((end) => (end.outcome === 'placed' ? [placedAs(end.orderId, statusOf)] : [])),
    failed: parts.flatMap(({ failure }) => (failure ? [failure] : [])),
  }
}

/** Returns each order of a request and each leg without an order, with the reason if it was not placed. */
function partsOf(
  legs: readonly PlannedLeg[],
  ends: readonly OrderEnd[],
): { failure: FailedPart | undefined }[] {
  let next = 0
  return legs.flatMap((leg, place) => {
    const name = leg.name ?? `order ${place + 1}`
    if (leg.problem !== undefined) return [{ failure: { name, message: leg.problem } }]
    return leg.orders.map(() => {
      const end = ends[next++]
      const message = end && 'message' in end ? end.message || 'no reason given' : undefined
      return { failure: message === undefined ? undefined : { name, message } }
    })
  })
}

function failed(failure: ErrorFacts & { message: string }): ApprovalResult {
  return { outcome: 'failed', message: failure.message, ...factsOf(failure) }
}

function placedAs(orderId: string, statusOf: StatusOf) {
  const orderStatus = statusOf(orderId)
  return { orderId, ...(orderStatus && { orderStatus }) }
}
