import type { OrderEnd } from '../end.js'
import type { OrderPorts, PlaceContext, RefusedOrder } from '../ports.js'
import type { OrderResult } from '../result.js'
import type { ClaimedOrder } from './claimed-order.js'

type Ports = Pick<OrderPorts, 'refused'>
/** A request without the reasons of its refusal. */
type Asked = Omit<RefusedOrder, 'code' | 'message' | 'rule'>

/*
 * Who asks for an order by a request with an id, as HTTP does, gets the refusal of the whole request as its answer, which is
 * kept by that id. Here is told what no such answer has: the requests of workflows, strategies, assistants and chats, and
 * the orders of a larger request. A live order that was stored before its refusal has its row in the journal.
 */

/** Tells of a request that was refused before anything was stored of it. */
export function noteRefusedRequest(
  ports: Ports,
  { requestId }: Pick<PlaceContext, 'requestId'>,
  asked: Asked,
  result: OrderResult | OrderEnd,
): void {
  if (requestId !== undefined || (result.outcome !== 'refused' && result.outcome !== 'not_sent')) return
  tell(ports, asked, result)
}

/** Tells of a simulated order that was refused and has no place in the sandbox's book. */
export function noteRefusedOrder(ports: Ports, { caller, entry }: ClaimedOrder, end: OrderEnd): void {
  const { approvalId, batchRef, mode, operation, orderRef, payload, source, userId } = entry
  if (mode !== 'analyze' || end.outcome !== 'refused' || end.orderId !== undefined) return
  const requestId = caller?.requestId
  if (requestId !== undefined && batchRef === undefined) return
  const asked = {
    operation,
    orderRef,
    source,
    userId,
    mode,
    request: payload,
    ...(requestId !== undefined && { requestId }),
    ...(approvalId !== undefined && { approvalId }),
  }
  tell(ports, asked, end)
}

function tell(
  ports: Ports,
  asked: Asked,
  { code, message, rule }: Pick<RefusedOrder, 'code' | 'message' | 'rule'>,
): void {
  ports.refused({ ...asked, code, message, ...(rule !== undefined && { rule }) })
}
