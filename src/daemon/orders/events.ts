import type { BrokerOrder } from '../../core/brokers/index.js'
import type { EventBus } from '../../core/events/index.js'
import {
  type GttEnd,
  gttRefusal,
  liveOrderRow,
  notSent,
  type OrderEvent,
  type OutcomeEvent,
  type OutcomeTopic,
  publishFailure,
} from '../../core/orders/index.js'
import type { SandboxEvent } from '../../core/sandbox/index.js'
import type { TradingMode } from '../../core/trading/index.js'
import { errorStatusOf } from '../http/response/error-status.js'
import { faultOf } from '../http/response/errors.js'
import { bodyOf, rowsOf } from './answer.js'

const GTT_EXPIRED = 'GTT expired without firing'

/**
 * Publishes an event of the order path under its bus topic, with its answer as clients see it. Publishing is
 * paced, because thousands of orders may be answered in one turn of the event loop.
 */
export function publishOrderEvent(bus: EventBus, event: OrderEvent): void {
  if (event.topic === 'order.in_doubt') publishInDoubt(bus, event)
  else if (event.topic === 'order.placed') publishPlaced(bus, event)
  else publishOutcome(bus, event)
}

function publishPlaced(bus: EventBus, { facts, result }: OutcomeEvent<'order.placed'>): void {
  // Field by field: an object that grows by spreading costs ten times one that is written out.
  bus.publishPaced('order.placed', {
    mode: facts.mode,
    api_type: facts.api_type,
    user_id: facts.user_id,
    request_data: facts.request_data,
    response_data: bodyOf(result),
    strategy: facts.strategy,
    symbol: facts.symbol,
    exchange: facts.exchange,
    action: facts.action,
    quantity: facts.quantity,
    pricetype: facts.pricetype,
    product: facts.product,
    orderid: facts.orderid,
  })
}

/** Each topic has its own case, so that the types check its members. */
function publishOutcome(bus: EventBus, event: OutcomeEvent<Exclude<OutcomeTopic, 'order.placed'>>): void {
  const { result, topic } = event
  const answered = { response_data: bodyOf(result) }
  switch (topic) {
    case 'order.failed':
    case 'analyzer.error':
      bus.publishPaced(topic, { ...event.facts, ...answered })
      return
    case 'order.no_action':
      bus.publishPaced(topic, { ...event.facts, ...answered })
      return
    case 'order.modified':
      bus.publishPaced(topic, { ...event.facts, ...answered })
      return
    case 'order.modify_failed':
      bus.publishPaced(topic, { ...event.facts, ...answered })
      return
    case 'order.cancelled':
      bus.publishPaced(topic, { ...event.facts, ...answered })
      return
    case 'order.cancel_failed':
      bus.publishPaced(topic, { ...event.facts, ...answered })
      return
    case 'orders.all_cancelled':
      bus.publishPaced(topic, { ...event.facts, ...answered })
      return
    case 'position.closed':
      bus.publishPaced(topic, { ...event.facts, ...answered })
      return
    case 'basket.completed':
      bus.publishPaced(topic, { ...event.facts, ...answered, results: rowsOf(result) })
      return
    case 'split.completed':
      bus.publishPaced(topic, { ...event.facts, ...answered, results: rowsOf(result) })
      return
    case 'options.completed':
      bus.publishPaced(topic, { ...event.facts, ...answered, results: rowsOf(result) })
      return
    case 'multiorder.completed':
      bus.publishPaced(topic, { ...event.facts, ...answered, results: rowsOf(result) })
      return
    case 'gtt.placed':
    case 'gtt.modified':
    case 'gtt.cancelled':
      bus.publishPaced(topic, { ...event.facts, ...answered })
      return
    case 'gtt.failed':
    case 'gtt.modify_failed':
    case 'gtt.cancel_failed':
      bus.publishPaced(topic, { ...event.facts, ...answered })
  }
}

/**
 * Publishes an exception as the failure of its request, with the message of its answer. Skips a refusal that
 * the caller can correct: it is not a failed order.
 */
export function publishFault(
  publish: (event: OrderEvent) => void,
  mode: TradingMode,
  { operation, userId, request }: { operation: string; userId: string; request: object },
  thrown: unknown,
): void {
  const fault = faultOf(`/api/v1/${operation}`, thrown)
  if (errorStatusOf(fault) < 500 && fault.code !== 'broker_missing') return
  const outcome = { mode, userId, operation, request: { ...request } }
  publishFailure({ publish }, { ...outcome, result: notSent(fault.code, fault.message) })
}

function publishInDoubt(
  bus: EventBus,
  { order, message }: Extract<OrderEvent, { topic: 'order.in_doubt' }>,
): void {
  const settled = order.state !== 'unknown'
  const id = order.triggerId ?? order.orderId
  bus.publishPaced('order.in_doubt', {
    user_id: order.userId,
    reference: order.orderRef,
    state: settled ? 'settled' : 'unknown',
    ...(settled && { outcome: order.state === 'rejected' ? 'rejected' : 'accepted' }),
    ...(id !== null && { orderid: id }),
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
  bus.publishPaced('order.update', { mode: 'live', broker, ...liveOrderRow(order) })
}

/** Publishes that a live GTT has fired or expired at the broker. */
export function publishGttEnd(bus: EventBus, { gtt, row, topic }: GttEnd): void {
  const { exchange, strategy, symbol, userId } = row
  const { triggerId: trigger_id, triggerPrices: trigger_prices, triggeredOrderId = '' } = gtt
  const named = { trigger_id, symbol, exchange, strategy, trigger_prices }
  const event = {
    ...named,
    mode: 'live' as const,
    user_id: userId,
    request_data: named,
    trigger_type: gtt.type === 'two-leg' ? 'OCO' : 'SINGLE',
  }
  if (topic === 'gtt.failed') {
    const error_message = gttRefusal(gtt.rejectionReason)
    const response_data = { status: 'error', trigger_id, message: error_message }
    bus.publishPaced(topic, { ...event, api_type: 'gtttriggered', response_data, error_message })
    return
  }
  const answer = { status: 'success', trigger_id }
  if (topic === 'gtt.expired') {
    const response_data = { ...answer, message: GTT_EXPIRED }
    bus.publishPaced(topic, { ...event, api_type: 'gttexpired', response_data })
    return
  }
  const response_data = { ...answer, orderid: triggeredOrderId }
  bus.publishPaced(topic, {
    ...event,
    api_type: 'gtttriggered',
    response_data,
    triggered_order_id: triggeredOrderId,
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
      const message = GTT_EXPIRED
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
