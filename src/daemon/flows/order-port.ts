import { messageOf, ServiceError } from '../../core/errors/index.js'
import type { CallResult, OrdersPort } from '../../core/flows/index.js'
import type { Logger } from '../../core/logging/index.js'
import { EXECUTABLE, type OrderResult, type OrderServices } from '../../core/orders/index.js'
import { parseWith } from '../../core/validation/index.js'
import { answerTo } from '../orders/answer.js'

export interface FlowOrdersParts {
  orders: OrderServices
  log: Pick<Logger, 'error'>
}

/**
 * Returns the port for orders of flows. An order takes the same path as one of the API: risk gate, approval
 * queue, journal and events. Its idempotency key is that of the node visit. Failures are answers, not
 * exceptions.
 */
export function flowOrders({ orders, log }: FlowOrdersParts): OrdersPort {
  return {
    send: (call, body, { userId, idempotencyKey }) =>
      asCallResult(log, call, async () => {
        const { run } = EXECUTABLE[call].openInside((schema) => parseWith(schema, body))
        return answerOf(await run(orders, { userId, source: 'flow', idempotencyKey }))
      }),
  }
}

/**
 * Runs `work` and turns an exception into an answer. An unexpected one is logged in full and answered in
 * brief.
 */
export async function asCallResult(
  log: Pick<Logger, 'error'>,
  call: string,
  work: () => Promise<CallResult>,
): Promise<CallResult> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ServiceError) return refusalOf(error)
    const stack = error instanceof Error ? error.stack : undefined
    log.error('flow.order_failed', { call, error: messageOf(error), stack })
    return refusalOf(new ServiceError('internal', 'An unexpected error occurred'))
  }
}

/** Returns the answer with its `order_ref`, by which the caller can look up an order in doubt. */
function answerOf(result: OrderResult): CallResult {
  const { status, body, orderRef } = answerTo(result)
  return { httpStatus: status, body: orderRef === undefined ? body : { ...body, order_ref: orderRef } }
}

function refusalOf({ message, errors, extra, httpStatus, retryAfterSeconds }: ServiceError): CallResult {
  return {
    httpStatus,
    body: {
      status: 'error',
      message,
      ...(errors && { errors }),
      ...(retryAfterSeconds !== undefined && { retry_after: retryAfterSeconds }),
      ...extra,
    },
  }
}
