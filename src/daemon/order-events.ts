import type { BrokerOrder } from '../core/brokers/index.js'
import type { EventBus, EventTopics, Topic } from '../core/events/index.js'
import { failure, type OrderEvent, publishFailure } from '../core/orders/index.js'
import type { SandboxEvent } from '../core/sandbox/index.js'
import type { TradingMode } from '../core/trading/index.js'
import { faultOf } from './http/errors.js'

/**
 * Publishes an event of the order path under its bus topic. Publishing is paced, because thousands of orders
 * may be answered in one turn of the event loop.
 */
export function publishOrderEvent(bus: EventBus, event: OrderEvent): void {
  if (event.topic === 'order.in_doubt') {
    publishInDoubt(bus, event)
    return
  }
  const { mode, operation, userId, payload, response } = event
  if (event.topic === 'order.failed') {
    const topic = mode === 'analyze' ? 'analyzer.error' : 'order.failed'
    const { symbol, exchange } = payload
    bus.publishPaced(topic, {
      mode,
      api_type: operation,
      user_id: userId,
      request_data: payload,
      response_data: response,
      symbol: String(symbol ?? ''),
      exchange: String(exchange ?? ''),
      error_message: event.message,
    })
    return
  }
  const { strategy, symbol, exchange, action, quantity, pricetype, product } = event.payload
  // Field by field: an object that grows by spreading costs ten times one that is written out.
  bus.publishPaced('order.placed', {
    mode,
    api_type: operation,
    user_id: userId,
    request_data: payload,
    response_data: response,
    strategy,
    symbol,
    exchange,
    action: action.toUpperCase(),
    quantity,
    pricetype,
    product,
    orderid: event.orderid,
  })
}

/**
 * Publishes an exception as the failure of its request, with the message of its answer. Skips a refusal that
 * the caller can correct: it is not a failed order.
 */
export function publishFault(
  bus: EventBus,
  mode: TradingMode,
  { operation, userId, request }: { operation: string; userId: string; request: object },
  thrown: unknown,
): void {
  const { code, httpStatus, message } = faultOf(`/api/v1/${operation}`, thrown)
  if (httpStatus < 500 && code !== 'broker_missing') return
  const ports = {
    emit: <T extends Topic>(topic: T, payload: EventTopics[T]) => bus.publishPaced(topic, payload),
  }
  const answer = failure(code, httpStatus, message)
  publishFailure(ports, { mode, userId, operation, request: { ...request }, answer })
}

function publishInDoubt(
  bus: EventBus,
  { order, message }: Extract<OrderEvent, { topic: 'order.in_doubt' }>,
): void {
  const settled = order.state !== 'unknown'
  bus.publishPaced('order.in_doubt', {
    user_id: order.userId,
    reference: order.orderRef,
    state: settled ? 'settled' : 'unknown',
    ...(settled && { outcome: order.state === 'rejected' ? 'rejected' : 'accepted' }),
    ...(order.orderId !== null && { orderid: order.orderId }),
    broker: order.broker,
    symbol: order.symbol,
    exchange: order.exchange,
    action: order.action,
    quantity: Number(order.quantity),
    message,
  })
}

/**
 * Publishes a broker's order update to all who follow orders. Publishing is paced, because updates come in
 * bursts.
 */
export function publishOrderUpdate(bus: EventBus, broker: string, order: BrokerOrder): void {
  bus.publishPaced('order.update', {
    mode: 'live',
    broker,
    orderid: order.orderId,
    symbol: order.symbol,
    exchange: order.exchange,
    action: order.action,
    quantity: order.quantity,
    price: order.price,
    trigger_price: order.triggerPrice,
    pricetype: order.priceType,
    product: order.product,
    order_status: order.status,
    filled_quantity: order.filledQuantity,
    pending_quantity: order.pendingQuantity,
    average_price: order.averagePrice,
    rejection_reason: order.rejectionReason,
  })
}

/**
 * Publishes an event of the sandbox, once it is durable. One request or tick may cause events of thousands of
 * orders.
 */
export function publishSandboxEvent(bus: EventBus, event: SandboxEvent): void {
  switch (event.topic) {
    case 'order.update':
      bus.publishPaced(event.topic, event.data)
      return
    case 'sandbox.order_filled':
      bus.publishPaced(event.topic, event.data)
      return
    case 'sandbox.auto_squareoff':
      bus.publishPaced(event.topic, { ...event.data, user_id: event.userId })
      return
    case 'sandbox.t1_settlement':
      bus.publishPaced(event.topic, event.data)
      return
    case 'gtt.triggered': {
      const { triggered_order_id: orderid } = event.data
      bus.publishPaced(event.topic, { ...event.data, ...gttBase(event, 'gtttriggered', { orderid }) })
      return
    }
    case 'gtt.expired': {
      const message = 'GTT expired without firing'
      bus.publishPaced(event.topic, { ...event.data, ...gttBase(event, 'gttexpired', { message }) })
      return
    }
    case 'gtt.failed': {
      const { error_message: message } = event.data
      bus.publishPaced(event.topic, {
        ...event.data,
        ...gttBase(event, 'gtttriggered', { status: 'error', message }),
      })
    }
  }
}

/**
 * Returns the common fields of a GTT event: an action of the engine itself, in the form of a request and its
 * answer.
 */
function gttBase(
  { userId, data }: Extract<SandboxEvent, { topic: `gtt.${string}` }>,
  operation: string,
  answer: Readonly<Record<string, unknown>>,
) {
  const { trigger_id, symbol, exchange, strategy, trigger_prices } = data
  return {
    mode: 'analyze' as const,
    api_type: operation,
    user_id: userId,
    request_data: { trigger_id, symbol, exchange, strategy, trigger_prices },
    response_data: { status: 'success', mode: 'analyze', trigger_id, ...answer },
  }
}
