import type { TradingMode } from '../trading/index.js'
import type { OrderPorts } from './ports.js'
import type { OrderResult } from './result.js'
import { type PlaceOrderPayload, sideOf } from './schema.js'

/** A request and how it was answered. */
export interface Outcome {
  mode: TradingMode
  userId: string
  /** The API that was called, as events and logs name it. */
  operation: string
  request: Readonly<Record<string, unknown>>
  answer: OrderResult
}

type Emit = Pick<OrderPorts, 'emit'>

/** Members of every order event. */
export function baseOf({ mode, userId, operation, request, answer }: Outcome) {
  return {
    mode,
    api_type: operation,
    user_id: userId,
    request_data: request,
    response_data: answer.body,
  }
}

export function messageOfAnswer({ body }: OrderResult): string {
  return typeof body.message === 'string' ? body.message : ''
}

/** Publishes a request that failed as a whole: `order.failed` live, `analyzer.error` in Analyzer mode. */
export function publishFailed(ports: Emit, outcome: Outcome): void {
  const { symbol, exchange } = outcome.request
  const topic = outcome.mode === 'analyze' ? 'analyzer.error' : 'order.failed'
  ports.emit(topic, {
    ...baseOf(outcome),
    symbol: typeof symbol === 'string' ? symbol : '',
    exchange: typeof exchange === 'string' ? exchange : '',
    error_message: messageOfAnswer(outcome.answer),
  })
}

/**
 * Publishes how a single order ended. An order that the sandbox refused is published as placed, with the
 * refusal in its answer: the public API does the same.
 */
export function publishPlaced(ports: Emit, outcome: Outcome, order: PlaceOrderPayload): void {
  const { answer, mode } = outcome
  if (answer.code !== 'ok' && !(mode === 'analyze' && answer.code === 'refused')) {
    publishFailed(ports, outcome)
    return
  }
  const { strategy, symbol, exchange, action, quantity, pricetype, product } = order
  ports.emit('order.placed', {
    ...baseOf(outcome),
    strategy,
    symbol,
    exchange,
    action: sideOf(action),
    quantity,
    pricetype,
    product,
    orderid: typeof answer.body.orderid === 'string' ? answer.body.orderid : '',
  })
}

/** Returns the results of an answer to several orders, in the form that events carry. */
export function resultsIn(answer: OrderResult): { results: Record<string, unknown>[]; successful: number } {
  const listed = Array.isArray(answer.body.results) ? answer.body.results : []
  const results = listed.map((entry: unknown) => ({ ...Object(entry) }))
  return { results, successful: results.filter((entry) => entry.status === 'success').length }
}
