import { type ErrorCode, factsOf, publicMessageOf, ServiceError } from '../errors/index.js'
import { orderOperation } from '../orders/operations/order-operations.js'
import type { ApprovalOutcome, ApprovalResult, BrokerStatus, ExecutionRef, FailedPart } from './schema.js'
import type { Bookkeeping } from './store.js'

/** Width of the broker_order_id column. */
const MAX_BROKER_ORDER_ID = 255

/** Turns an accepted result without any order id into a failure. The text depends on the kind of request. */
export function checkedResult(operation: string, result: ApprovalResult): ApprovalResult {
  if (result.outcome !== 'placed' || result.orders.length > 0) return result
  const message =
    operation === 'placegttorder'
      ? 'GTT placement succeeded without a trigger ID'
      : 'No child orders were submitted successfully'
  const detail = result.failed?.length ? partsText(result.failed) : undefined
  return {
    outcome: 'failed',
    code: 'broker_protocol',
    message,
    ...(detail !== undefined && { detail }),
  }
}

/**
 * Error codes that prove that nothing was placed. Other errors (a full disk, an overloaded writer, a fault of
 * this service) can also occur after the order was sent.
 */
const CERTAIN_REFUSALS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'validation',
  'refused',
  'risk_refused',
  'kill_switch',
  'price_stale',
  'unauthenticated',
  'forbidden',
  'invalid_key',
  'not_found',
  'broker_missing',
  'broker_rejected',
  'rate_limited',
  'unsupported',
])

/**
 * Returns the result of an execution that threw. An error that does not prove that nothing was placed leaves
 * the order in doubt: if the answer said "rejected", the user might place the order a second time.
 */
export function resultOfThrown(error: unknown): ApprovalResult {
  if (error instanceof ServiceError && CERTAIN_REFUSALS.has(error.code)) {
    return { outcome: 'failed', message: error.message, ...factsOf(error) }
  }
  return { outcome: 'unknown', message: `Order execution failed: ${publicMessageOf(error)}` }
}

/** Returns the values to store on the row for a result. */
export function bookkeepingOf(result: ApprovalResult): Bookkeeping {
  const nothing = { brokerOrderId: null, brokerStatus: null, error: null }
  switch (result.outcome) {
    case 'placed':
      return {
        execution: result.failed?.length ? 'partial' : 'done',
        brokerOrderId: joinIds(result.orders.map((order) => order.orderId)),
        // The status of what is at the broker: the orders that failed never came there.
        brokerStatus: brokerStatusOf(result.orders.map((order) => order.orderStatus)),
        error: partialFailure(result),
      }
    case 'nothing_to_do':
      return { ...nothing, execution: 'done' }
    case 'failed':
      return { ...nothing, execution: 'failed', brokerStatus: 'rejected', error: failureText(result) }
    case 'unknown':
      return { ...nothing, execution: 'in_doubt', error: result.message }
  }
}

/** Returns the outcome for the caller that approved. */
export function outcomeOf(result: ApprovalResult, executionRef: ExecutionRef | null): ApprovalOutcome {
  switch (result.outcome) {
    case 'placed':
    case 'nothing_to_do':
      return executed(bookkeepingOf(result))
    case 'failed':
      return {
        outcome: 'failed',
        ...factsOf(result),
        error: result.message || 'Unknown error',
        executionError: failureText(result),
      }
    case 'unknown':
      return { outcome: 'unknown', error: result.message, executionRef }
  }
}

function executed({ brokerOrderId, error }: Bookkeeping): ApprovalOutcome {
  return { outcome: 'executed', brokerOrderId, executionError: error }
}

/** Names the orders of a request that failed while others were placed; null when none failed. */
function partialFailure({
  orders,
  failed = [],
}: Extract<ApprovalResult, { outcome: 'placed' }>): string | null {
  if (failed.length === 0) return null
  return `${failed.length} of ${orders.length + failed.length} orders failed: ${partsText(failed)}`
}

function failureText({ message, detail }: Extract<ApprovalResult, { outcome: 'failed' }>): string {
  const text = message || 'Unknown error'
  return detail === undefined ? text : `${text}: ${detail}`
}

/** Returns each reason once, after the orders that it is about: a crash gives every later order the same. */
function partsText(failed: readonly FailedPart[]): string {
  const counts = new Map<string, Map<string, number>>()
  for (const { name, message } of failed) {
    const names = counts.get(message) ?? new Map<string, number>()
    counts.set(message, names.set(name, (names.get(name) ?? 0) + 1))
  }
  const named = ([name, count]: readonly [string, number]) =>
    count === 1 ? name : `${name} (${count} orders)`
  return Array.from(counts, ([message, names]) => `${Array.from(names, named).join(', ')}: ${message}`).join(
    '; ',
  )
}

function joinIds(ids: readonly string[]): string {
  const joined = ids.join(',')
  return joined.length <= MAX_BROKER_ORDER_ID ? joined : `${ids[0]} (+${ids.length - 1} more)`
}

function brokerStatusOf(statuses: readonly (string | undefined)[]): BrokerStatus {
  const [first, ...others] = statuses.map((status): BrokerStatus => {
    if (status === 'complete') return 'complete'
    return status === 'rejected' || status === 'cancelled' ? 'rejected' : 'open'
  })
  return first !== undefined && others.every((status) => status === first) ? first : 'open'
}

/**
 * Returns whether a request waits for approval: the user's mode is `semi_auto` and the operation is queueable
 * (names are compared case-insensitively). When the mode cannot be read, the request is executed at once.
 */
export function shouldQueue(orderMode: () => string | undefined, operation: string): boolean {
  if (!orderOperation(operation)?.queueable) return false
  try {
    return orderMode() === 'semi_auto'
  } catch {
    return false
  }
}
