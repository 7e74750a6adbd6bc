import { ERROR_CODES, type ErrorCode } from '../errors/index.js'
import { type OrderEnd, UNKNOWN_OUTCOME } from './end.js'

/** The result of an order request: the status and body of the public API, and the code for scripts. */
export interface OrderResult {
  status: number
  code: 'ok' | ErrorCode
  body: Record<string, unknown>
  /** Our reference, when the order was journalled. */
  orderRef?: string
  /** The outcome of at least one order is not known yet. Another result will follow for the key. */
  inDoubt?: boolean
  /** A crash or a stop left some of several orders unsent. A retry in time sends them. */
  unfinished?: boolean
}

export function success(body: Record<string, unknown>, orderRef?: string): OrderResult {
  return { status: 200, code: 'ok', body: { status: 'success', ...body }, ...(orderRef ? { orderRef } : {}) }
}

export function failure(
  code: ErrorCode,
  status: number,
  message: string,
  extra: Record<string, unknown> = {},
  orderRef?: string,
): OrderResult {
  const body = { status: 'error', message, ...extra }
  return { status, code, body, ...(orderRef ? { orderRef } : {}) }
}

/**
 * Returns the result of a request of one order. @param id the member that holds the id of the placed order
 */
export function resultOfEnd(end: OrderEnd, id: 'orderid' | 'trigger_id' = 'orderid'): OrderResult {
  const { orderRef } = end
  if (end.outcome === 'placed') return success({ [id]: end.orderId }, orderRef)
  if (end.outcome === 'in_doubt') {
    const { http } = ERROR_CODES.outcome_unknown
    return failure('outcome_unknown', http, UNKNOWN_OUTCOME, { order_ref: orderRef }, orderRef)
  }
  const { code, message, rule, orderId, brokerStatus = ERROR_CODES[code].http } = end
  const extra = { ...(rule !== undefined && { rule }), ...(orderId !== undefined && { [id]: orderId }) }
  return failure(code, brokerStatus, message, extra, orderRef)
}
