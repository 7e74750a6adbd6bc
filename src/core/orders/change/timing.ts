import type { BrokerTimer } from '../broker-time.js'
import type { BlockedOperation } from '../operations/order-operations.js'
import { isVeto } from '../place/timing.js'
import { type PlaceContext, SANDBOX, type TimedOrder } from '../ports.js'
import { codeOf, messageOfResult, type OrderResult } from '../result.js'

interface TimedChange {
  operation: BlockedOperation
  context: Pick<PlaceContext, 'userId' | 'source'>
  broker: string
  exchange: BrokerTimer
}

/** Returns the timing of a change, or undefined when nothing reached the broker or the sandbox. */
export function changeTiming(
  { broker, context: { source, userId }, exchange, operation }: TimedChange,
  payload: object,
  result: OrderResult,
): TimedOrder | undefined {
  const code = codeOf(result)
  if (!exchange.reached || isVeto(code) || isEmpty(result)) return undefined
  const orderId =
    ('orderId' in result ? result.orderId : undefined) ??
    member(payload, 'orderid') ??
    member(payload, 'trigger_id')
  const symbol = member(payload, 'symbol')
  return {
    operation,
    userId,
    source,
    broker: result.mode === 'analyze' ? SANDBOX : broker,
    ...exchange.durations(),
    ...(orderId !== undefined && { orderId }),
    ...(symbol !== undefined && { symbol }),
    ...(code !== 'ok' && { error: messageOfResult(result) }),
  }
}

/** Returns whether there was no order to cancel. */
function isEmpty(result: OrderResult): boolean {
  return result.outcome === 'all_cancelled' && result.cancelled.length + result.failed.length === 0
}

function member(payload: object, name: string): string | undefined {
  const value: unknown = Object.entries(payload).find(([one]) => one === name)?.[1]
  return typeof value === 'string' && value !== '' ? value : undefined
}
