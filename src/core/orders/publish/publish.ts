import type { TradingMode } from '../../trading/index.js'
import type { OrderPorts } from '../ports.js'
import { codeOf, isPlaced, messageOfResult, type OrderResult } from '../result.js'
import { type OrderPayload, sideOf } from '../schema.js'

/** A request to the order path and its result. */
export interface Outcome {
  mode: TradingMode
  userId: string
  /** The name of the operation in events and logs. */
  operation: string
  request: Readonly<Record<string, unknown>>
  result: OrderResult
}

type Publish = Pick<OrderPorts, 'publish'>

/** Returns the members that every order event has. */
export function baseOf({ mode, userId, operation, request }: Outcome) {
  return { mode, api_type: operation, user_id: userId, request_data: request }
}

/** Publishes a request that failed as a whole: `order.failed` live, `analyzer.error` in Analyzer mode. */
export function publishFailed(ports: Publish, outcome: Outcome): void {
  const { mode, request, result } = outcome
  const { symbol, exchange } = request
  const facts = {
    ...baseOf(outcome),
    symbol: typeof symbol === 'string' ? symbol : '',
    exchange: typeof exchange === 'string' ? exchange : '',
    error_message: messageOfResult(result),
  }
  if (mode === 'analyze') ports.publish({ topic: 'analyzer.error', result, facts })
  else ports.publish({ topic: 'order.failed', result, facts })
}

/**
 * Publishes how a single order ended. An order that the sandbox refused is published as placed, with the
 * refusal in its answer: the public API does the same.
 */
export function publishPlaced(ports: Publish, outcome: Outcome, order: OrderPayload): void {
  const { mode, operation, request, result, userId } = outcome
  const code = codeOf(result)
  if (code !== 'ok' && !(mode === 'analyze' && code === 'refused')) {
    publishFailed(ports, outcome)
    return
  }
  const { strategy, symbol, exchange, action, quantity, pricetype, product } = order
  // Every order passes here. The members are written out because a spread costs ten times as much.
  ports.publish({
    topic: 'order.placed',
    result,
    facts: {
      mode,
      api_type: operation,
      user_id: userId,
      request_data: request,
      strategy,
      symbol,
      exchange,
      action: sideOf(action),
      quantity,
      pricetype,
      product,
      orderid: 'orderId' in result ? (result.orderId ?? '') : '',
    },
  })
}

/** Returns how many legs of a request were placed, and how many there are. */
export function countsOf(result: OrderResult): { successful: number; total: number } {
  const legs = result.outcome === 'executed' ? result.legs : []
  return { successful: legs.filter(isPlaced).length, total: legs.length }
}
