import type { ServiceError } from '../../core/errors/index.js'
import type { Body, CallResult, PartResult } from '../../core/flows/index.js'
import { isPlaced, type LegResult, messageOfResult, type OrderResult } from '../../core/orders/index.js'
import { errorStatusOf } from '../http/response/error-status.js'
import { answerTo } from '../orders/answer.js'

/** Returns the result of a read from the body of its answer. */
export function readResult(body: Body): CallResult {
  return { ok: true, code: 'ok', message: '', output: body }
}

/**
 * Returns the result of an order call. `more` holds the members that the output shows beside those of the
 * endpoint's answer.
 */
export function orderCallResult(result: OrderResult, more: Body = {}): CallResult {
  const { body, code, status } = answerTo(result)
  const ok = code === 'ok'
  const message = messageOfResult(result)
  const parts = partsOf(result)
  const shown = { ...body, ...more }
  return {
    ok,
    code,
    message,
    ...(result.orderRef !== undefined && { orderRef: result.orderRef }),
    orderIds: orderIdsOf(result),
    ...(parts && { parts }),
    output: ok ? shown : failedOutput(shown, message, status),
  }
}

/** Returns the result of a call that ended with an error. */
export function failedCall(error: ServiceError): CallResult {
  const { code, errors, extra, message, retryAfterSeconds } = error
  const body = {
    status: 'error',
    message,
    ...(errors && { errors }),
    ...(retryAfterSeconds !== undefined && { retry_after: retryAfterSeconds }),
    ...extra,
  }
  return { ok: false, code, message, output: failedOutput(body, message, errorStatusOf(error)) }
}

/** Workflows read the message of a failure as `message` or `error`, and the status of its answer as `code`. */
function failedOutput(body: Body, message: string, status: number): Body {
  return { ...body, status: 'error', message, error: message, code: status }
}

function orderIdsOf(result: OrderResult): string[] {
  if (result.outcome === 'all_cancelled') return [...result.cancelled]
  if (result.outcome === 'closed') return [...result.orderIds]
  if ('legs' in result && result.legs) {
    return result.legs.flatMap(({ orders }) => orders.flatMap((order) => orderIdsOf(order.result)))
  }
  return 'orderId' in result && result.orderId !== undefined ? [result.orderId] : []
}

/** Returns the result of each part of a request, when the answer lists them. */
function partsOf(result: OrderResult): PartResult[] | undefined {
  // These have no parts that may fail alone: all of them are placed, or the request fails.
  if (result.outcome === 'sliced' || result.outcome === 'closed') return undefined
  return 'legs' in result ? result.legs?.map(partOf) : undefined
}

function partOf(leg: LegResult): PartResult {
  if (leg.problem !== undefined) return { ok: false, message: leg.problem }
  const [first] = leg.orders
  // Each order of a split leg has a message of its own, so the leg has none.
  if (leg.split || !first || !('message' in first.result)) return { ok: isPlaced(leg) }
  return { ok: isPlaced(leg), message: first.result.message }
}
