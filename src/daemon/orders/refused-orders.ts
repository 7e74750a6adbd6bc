import { newOrderRef, type RefusedOrder } from '../../core/orders/index.js'
import type { AnsweredRequest } from '../../core/telemetry/index.js'
import type { Clock } from '../../core/time/index.js'
import { errorStatusOf } from '../http/response/error-status.js'

/** The method of a refusal that the order path recorded: it is no answer to a request over HTTP. */
export const BY_ORDER_PATH = 'ORDER'

/** Returns a refusal of the order path as the trail of requests keeps it. The last part of its path is the operation. */
export function refusedRow(order: RefusedOrder, clock: Clock): AnsweredRequest {
  const { approvalId, code, message, mode, operation, orderRef, request, requestId, rule, source } = order
  return {
    requestId: requestId ?? orderRef ?? newOrderRef(clock),
    method: BY_ORDER_PATH,
    path: `/${source}/${operation}`,
    statusCode: errorStatusOf({ code }),
    code,
    rule,
    message,
    userId: order.userId,
    clientIp: '',
    mode,
    approvalId,
    request,
  }
}
