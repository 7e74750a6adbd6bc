import { type ErrorCode, publicMessageOf, ServiceError } from '../errors/index.js'
import type { ApprovalOutcome, ApprovalResult, BrokerStatus, ExecutionRef, FailedPart } from './schema.js'
import type { Bookkeeping } from './store.js'

/** Width of the broker_order_id column. */
const MAX_BROKER_ORDER_ID = 255

/** An accepted order without a single id was not placed; which text says so depends on the kind of request. */
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
    httpStatus: 502,
    message,
    ...(detail !== undefined && { detail }),
  }
}

/**
 * Codes that say for certain that nothing was placed. The others (a full disk, an overloaded writer, a fault of
 * ours) may as well come after the order went out.
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
 * The result of an execution that threw. What does not prove that nothing was placed leaves the order in doubt:
 * calling it "rejected" would invite the user to place it once more.
 */
export function resultOfThrown(error: unknown): ApprovalResult {
  if (error instanceof ServiceError && CERTAIN_REFUSALS.has(error.code)) {
    const { code, httpStatus, message } = error
    return { outcome: 'failed', code, httpStatus, message }
  }
  return { outcome: 'unknown', message: `Order execution failed: ${publicMessageOf(error)}` }
}

/** What a result leaves on the row (contract, api-orders 13.2). */
export function bookkeepingOf(result: ApprovalResult): Bookkeeping {
  const nothing = { brokerOrderId: null, brokerStatus: null, error: null }
  switch (result.outcome) {
    case 'placed':
      return {
        execution: 'done',
        brokerOrderId: joinIds(result.orders.map((order) => order.orderId)),
        brokerStatus: result.failed?.length
          ? 'open'
          : brokerStatusOf(result.orders.map((order) => order.orderStatus)),
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

/** What whoever approved is told. */
export function outcomeOf(result: ApprovalResult, executionRef: ExecutionRef | null): ApprovalOutcome {
  switch (result.outcome) {
    case 'placed':
    case 'nothing_to_do':
      return executed(bookkeepingOf(result))
    case 'failed':
      return {
        outcome: 'failed',
        code: result.code,
        httpStatus: result.httpStatus,
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

/** Which orders of a request failed while others were placed; null when none did. */
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

function partsText(failed: readonly FailedPart[]): string {
  return failed.map(({ name, message }) => `${name}: ${message}`).join('; ')
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
