import { messageOf, ServiceError } from '../../core/errors/index.js'
import type { CallResult, OrdersPort } from '../../core/flows/index.js'
import type { Logger } from '../../core/logging/index.js'
import { type OrderResult, type OrderServices, openRequest } from '../../core/orders/index.js'
import { parseWith } from '../../core/validation/index.js'
import { failedCall, orderCallResult } from './call-result.js'

/**
 * Returns the port for orders of flows. An order takes the same path as one of the API: risk gate, approval
 * queue, journal and events. Its idempotency key is that of the node visit. Failures are results, not
 * exceptions.
 */
export function flowOrders({
  orders,
  log,
}: {
  orders: OrderServices
  log: Pick<Logger, 'error'>
}): OrdersPort {
  return {
    send: (call, body, context) =>
      asCallResult(log, call, async () => {
        const { run } = openRequest(call, (schema) => parseWith(schema, body))
        return withReference(await run(orders, { ...context, source: 'flow' }))
      }),
  }
}

/**
 * Runs `work` and turns an exception into a result. An unexpected one is logged in full; its result has a
 * general message.
 */
export async function asCallResult(
  log: Pick<Logger, 'error'>,
  call: string,
  work: () => Promise<CallResult>,
): Promise<CallResult> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ServiceError) return failedCall(error)
    const stack = error instanceof Error ? error.stack : undefined
    log.error('flow.order_failed', { call, error: messageOf(error), stack })
    return failedCall(new ServiceError('internal', 'An unexpected error occurred'))
  }
}

/** Returns the result with its `order_ref` in the output, by which a workflow can look up an order in doubt. */
function withReference(result: OrderResult): CallResult {
  const { orderRef } = result
  return orderCallResult(result, orderRef === undefined ? {} : { order_ref: orderRef })
}
