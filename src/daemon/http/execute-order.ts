import type { Context } from 'hono'
import { ORDER_OPERATIONS, type OrderOperationName } from '../../core/operations/index.js'
import type { BrokerTimer, OrderResult } from '../../core/orders/index.js'
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
  /** Measures what it waits for its broker. */
  brokerTimer: BrokerTimer
  /** When it came, by {@link ExecuteOrderParts.monotonic}. */
  startedAt: number
}

export interface ExecuteOrderParts {
  /** Takes note of how long it took; never awaited, never fails. */
  recordLatency(sample: LatencySample): void
  /** Whom orders go to now. */
  brokerId(): string
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
 * Executes an order request, the same way for every endpoint, and notes how long it took. The order path publishes how it
 * ended, exceptions included; the error handler answers these.
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
    throw thrown
  })
  const { orderid, trigger_id, message } = answer.body
  const orderId = orderid ?? trigger_id
  timed({
    orderId: orderId === undefined ? answer.orderRef : String(orderId),
    rttMs: call.brokerTimer.elapsedMs,
    httpStatus: answer.status,
    error: answer.code === 'ok' ? undefined : message,
  })
  return sendAnswer(c, answer)
}
