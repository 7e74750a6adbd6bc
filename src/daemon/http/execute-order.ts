import type { Context } from 'hono'
import type { ServiceError } from '../../core/errors/index.js'
import { ORDER_OPERATIONS, type OrderOperationName } from '../../core/operations/index.js'
import { exchangeMs, type OrderResult } from '../../core/orders/index.js'
import type { LatencySample } from '../../core/telemetry/index.js'
import type { AppEnv } from '../env.js'
import { refusalFor } from './errors.js'
import { sendAnswer } from './reply.js'

/** An order request whose fields and key are in order. */
export interface OrderCall {
  operation: OrderOperationName
  userId: string
  /** The request without its credential. */
  payload: object
  /** When it came, by {@link ExecuteOrderParts.monotonic}. */
  startedAt: number
}

/** An order request that ended in an exception, and what its caller is told. */
export interface OrderFault extends Pick<OrderCall, 'operation' | 'userId' | 'payload'> {
  refusal: ServiceError
}

export interface ExecuteOrderParts {
  /** Takes note of how long it took; never awaited, never fails. */
  recordLatency(sample: LatencySample): void
  /** Whom orders go to now. */
  brokerId(): string
  /** Tells whoever follows orders; never fails. */
  publishFailure(fault: OrderFault): void
  /** A reading in milliseconds, for durations. */
  monotonic(): number
}

/** How a request ended, as far as its caller's answer tells. */
interface OrderEnd {
  orderId?: string | undefined
  rttMs?: number | undefined
  httpStatus: number | undefined
  error: unknown
}

/**
 * Executes an order request: the same for every endpoint. How it ended is timed and sent; an exception is told as
 * the failure it is before the error handler answers and logs it. What may
 * have been sent never ends in an exception: the order path answers that its outcome is not known.
 */
export async function executeOrder(
  c: Context<AppEnv>,
  parts: ExecuteOrderParts,
  call: OrderCall,
  execute: () => Promise<OrderResult>,
): Promise<Response> {
  const beganAt = parts.monotonic()
  const timed = (end: OrderEnd) => {
    const now = parts.monotonic()
    const { operation, payload, startedAt } = call
    // Member by member: a spread would cost more here than all the rest of it.
    parts.recordLatency({
      orderType: ORDER_OPERATIONS[operation].latencyKind,
      orderId: end.orderId,
      broker: parts.brokerId(),
      symbol: 'symbol' in payload && typeof payload.symbol === 'string' ? payload.symbol : undefined,
      rttMs: end.rttMs,
      httpStatus: end.httpStatus,
      error: end.error,
      validationMs: beganAt - startedAt,
      stageMs: now - beganAt,
      totalMs: now - startedAt,
    })
  }
  const answer = await execute().catch((thrown: unknown) => {
    const refusal = refusalFor(c, thrown)
    const httpStatus = refusal.code === 'internal' ? undefined : refusal.httpStatus
    timed({ httpStatus, error: refusal.message })
    if (isOurs(refusal)) parts.publishFailure({ ...call, refusal })
    throw thrown
  })
  const { orderid, trigger_id, message } = answer.body
  const orderId = orderid ?? trigger_id
  timed({
    orderId: orderId === undefined ? answer.orderRef : String(orderId),
    rttMs: exchangeMs(answer),
    httpStatus: answer.status,
    error: answer.code === 'ok' ? undefined : message,
  })
  return sendAnswer(c, answer)
}

/** Not the caller's own to mend. */
function isOurs({ code, httpStatus }: ServiceError): boolean {
  return httpStatus >= 500 || code === 'broker_missing'
}
