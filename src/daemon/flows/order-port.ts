import { messageOf, ServiceError } from '../../core/errors/index.js'
import type { CallAnswer, OrdersPort } from '../../core/flows/index.js'
import type { Logger } from '../../core/logging/index.js'
import { EXECUTABLE, type OrderResult, type OrderServices } from '../../core/orders/index.js'
import { parseWith } from '../../core/validation/index.js'

export interface FlowOrdersParts {
  orders: OrderServices
  log: Pick<Logger, 'error'>
}

/**
 * The order path as flows see it: every order takes the way of the API, past the same gate, queue, journal and events,
 * under the key of its visit. Whatever happens is an answer.
 */
export function flowOrders({ orders, log }: FlowOrdersParts): OrdersPort {
  return {
    send: (call, body, { userId, idempotencyKey }) =>
      answering(log, call, async () => {
        const { run } = EXECUTABLE[call].openInside((schema) => parseWith(schema, body))
        return answerOf(await run(orders, { userId, source: 'flow', idempotencyKey }))
      }),
  }
}

/** A failure of the service as an answer; a fault of ours is logged in full and told in brief. */
export async function answering(
  log: Pick<Logger, 'error'>,
  call: string,
  work: () => Promise<CallAnswer>,
): Promise<CallAnswer> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ServiceError) return refusalOf(error)
    const stack = error instanceof Error ? error.stack : undefined
    log.error('flow.order_failed', { call, error: messageOf(error), stack })
    return refusalOf(new ServiceError('internal', 'An unexpected error occurred'))
  }
}

/** The answer with its reference, which leads to an order whose outcome is not known. */
function answerOf({ status, body, orderRef }: OrderResult): CallAnswer {
  return { httpStatus: status, body: orderRef === undefined ? body : { ...body, order_ref: orderRef } }
}

function refusalOf({ message, errors, extra, httpStatus, retryAfterSeconds }: ServiceError): CallAnswer {
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
