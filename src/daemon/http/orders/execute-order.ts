import type { Context } from 'hono'
import { ORDER_OPERATIONS, type OrderOperationName } from '../../../core/operations/index.js'
import { type BrokerTimer, messageOfResult, type OrderResult } from '../../../core/orders/index.js'
import type { LatencySample, RequestEnd } from '../../../core/telemetry/index.js'
import { answerTo } from '../../orders/answer.js'
import type { AppEnv } from '../../process/env.js'
import { refusalFor } from '../errors.js'
import { sendAnswer } from '../reply.js'

/** An order request whose fields and key are valid. */
interface OrderCall {
  operation: OrderOperationName
  userId: string
  /** The request without its credential. */
  payload: object
  /** Measures how long the request waits for the broker. */
  brokerTimer: BrokerTimer
  /** The time at which the request was received, by {@link ExecuteOrderParts.monotonic}. */
  startedAt: number
}

export interface ExecuteOrderParts {
  /** Records how long the request took. It is never awaited and never fails. */
  recordLatency(sample: LatencySample): void
  /** Returns the broker that receives orders now. */
  brokerId(): string
  /** Returns the monotonic time in milliseconds, for durations. */
  monotonic(): number
}

/** The facts of a finished request that its latency row has. */
interface FinishedRequest {
  orderId?: string | undefined
  rttMs?: number | undefined
  end: RequestEnd
  error: unknown
}

/**
 * Executes an order request, the same way for every endpoint, and records how long it took. The order path
 * publishes the result, also when it throws. The error handler answers an exception.
 */
export async function executeOrder(
  c: Context<AppEnv>,
  parts: ExecuteOrderParts,
  call: OrderCall,
  execute: () => Promise<OrderResult>,
): Promise<Response> {
  const beganAt = parts.monotonic()
  const timed = (finished: FinishedRequest) => {
    const now = parts.monotonic()
    const { operation, payload, startedAt } = call
    // The members are written out because a spread would cost more than the rest of this function.
    parts.recordLatency({
      orderType: ORDER_OPERATIONS[operation].latencyKind,
      orderId: finished.orderId,
      broker: parts.brokerId(),
      symbol: 'symbol' in payload && typeof payload.symbol === 'string' ? payload.symbol : undefined,
      rttMs: finished.rttMs,
      end: finished.end,
      error: finished.error,
      validationMs: beganAt - startedAt,
      stageMs: now - beganAt,
      totalMs: now - startedAt,
    })
  }
  const result = await execute().catch((thrown: unknown) => {
    const refusal = refusalFor(c, thrown)
    timed({ end: refusal.code === 'internal' ? 'fault' : 'refused', error: refusal.message })
    throw thrown
  })
  const answer = answerTo(result)
  timed({
    orderId: ('orderId' in result ? result.orderId : undefined) ?? result.orderRef,
    rttMs: call.brokerTimer.elapsedMs,
    end: answer.code === 'ok' ? 'succeeded' : 'refused',
    error: answer.code === 'ok' ? undefined : messageOfResult(result),
  })
  return sendAnswer(c, answer)
}
