import type { EventStream, EventTopics, OrderEventBase, OrderUpdate, Topic } from '../events/index.js'
import { maskText } from '../logging/index.js'
import { publicData } from './public-data.js'

/**
 * An event as clients see it: its public name and payload. The payload is built when the first client is sent
 * it, because most events are never sent.
 */
interface Announcement {
  event: string
  data: () => object
}

type Relay<T extends Topic> = (payload: EventTopics[T]) => Announcement | undefined

/** Fields that mark an event for all orders of a request. */
const WHOLE_BATCH = { batch_order: true, is_last_order: true } as const

/**
 * The client-facing event of each topic. Fields are listed by name or pass the redactor, so internal data
 * such as the API key never reaches a client.
 */
const RELAYS: { readonly [T in Topic]: Relay<T> } = {
  'order.placed': live('order_event', (placed) => ({
    symbol: placed.symbol,
    action: placed.action,
    orderid: placed.orderid,
    exchange: placed.exchange,
    price_type: placed.pricetype,
    product_type: placed.product,
    mode: placed.mode,
  })),
  'order.failed': live('order_failed', orderFailure),
  'order.no_action': live('order_notification', (event) => ({
    symbol: event.symbol,
    status: 'info',
    message: event.message,
  })),
  'order.modified': live('modify_order_event', (event) => ({
    status: 'success',
    orderid: event.orderid,
    mode: event.mode,
  })),
  'order.modify_failed': live('order_failed', orderFailure),
  'order.cancelled': live('cancel_order_event', ({ status, orderid, mode }) => ({ status, orderid, mode })),
  'order.cancel_failed': live('order_failed', orderFailure),
  'orders.all_cancelled': live('cancel_order_event', ({ canceled_count, failed_count, mode }) => ({
    status: 'success',
    orderid: `${canceled_count} orders canceled`,
    mode,
    ...WHOLE_BATCH,
    canceled_count,
    failed_count,
  })),
  'position.closed': live('close_position_event', ({ message, mode }) => ({
    status: 'success',
    message,
    mode,
  })),
  'basket.completed': live('order_event', ({ strategy, successful, total, mode }) => ({
    symbol: strategy || 'Basket',
    action: `${successful}/${total} orders`,
    orderid: `basket_${successful}`,
    exchange: 'MULTI',
    price_type: 'BASKET',
    product_type: 'BASKET',
    mode,
    ...WHOLE_BATCH,
  })),
  'split.completed': live('order_event', severalOrders),
  'options.completed': live('order_event', severalOrders),
  'multiorder.completed': live('order_event', (event) => ({
    symbol: event.underlying,
    action: event.strategy || 'Multi-Order',
    orderid: `${event.successful_legs}/${event.total} legs`,
    exchange: event.exchange,
    price_type: 'MULTI',
    product_type: 'OPTIONS',
    mode: event.mode,
    ...WHOLE_BATCH,
    multiorder_summary: true,
    successful_legs: event.successful_legs,
    failed_legs: event.failed_legs,
  })),
  'gtt.placed': live('gtt_event', (event) => gttFacts('placed', event)),
  'gtt.modified': live('gtt_event', (event) => gttFacts('modified', event)),
  'gtt.cancelled': live('gtt_event', (event) => gttFacts('cancelled', event)),
  'gtt.triggered': live('gtt_event', (event) => gttFacts('triggered', event, event.triggered_order_id)),
  'gtt.expired': live('gtt_event', (event) => gttFacts('expired', event)),
  'gtt.failed': live('gtt_event', (event) => gttFailure('failed', event)),
  'gtt.modify_failed': live('gtt_event', (event) => gttFailure('modify_failed', event)),
  'gtt.cancel_failed': live('gtt_event', (event) => gttFailure('cancel_failed', event)),
  'analyzer.error': analyzerUpdate,
  'order.update': (update) => ({ event: 'order_update', data: () => withoutUser(update) }),
  'order.in_doubt': (event) => unchanged('order_in_doubt', event),
  'sandbox.order_filled': (event) => engineUpdate('sandbox.order_filled', event),
  'sandbox.auto_squareoff': (event) => engineUpdate('sandbox.auto_squareoff', event),
  'sandbox.t1_settlement': (event) => engineUpdate('sandbox.t1_settlement', event),
  pending_order_created: (event) => unchanged('pending_order_created', event),
  pending_order_updated: (event) => unchanged('pending_order_updated', event),
  kill_switch: (event) => unchanged('kill_switch', event),
  app_mode_changed: ({ analyze_mode }) => ({ event: 'app_mode_changed', data: () => ({ analyze_mode }) }),
  active_sessions_update: ({ count, sessions }) => ({
    event: 'active_sessions_update',
    data: () => ({ count, sessions }),
  }),
  master_contract_download: (event) => unchanged('master_contract_download', event),
  backup_failed: (event) => unchanged('backup_failed', event),
  broker_session: (event) => unchanged('broker_session', event),
  broker_drift: (event) => unchanged('broker_drift', event),
  strategy_event: ({ user_id: _, ...event }) => unchanged('strategy_event', event),
  strategy_order_update: ({ user_id: _, ...update }) => unchanged('strategy_order_update', update),
  strategy_run_update: ({ user_id: _, ...update }) => unchanged('strategy_run_update', update),
  flow_execution: ({ user_id: _, ...run }) => ({ event: 'flow_execution', data: () => run }),
}

function announcementOf<T extends Topic>(topic: T, payload: EventTopics[T]): Announcement | undefined {
  const relay: Relay<T> = RELAYS[topic]
  return relay(payload)
}

type OnEvent = <T extends Topic>(payload: EventTopics[T], topic: T) => void

/** Returns a handler that publishes bus events on the stream, each for its own user. */
export function relayTo(stream: EventStream): OnEvent {
  return (payload, topic) => {
    const sent = announcementOf(topic, payload)
    if (sent) stream.publish(sent.event, sent.data, userOf(payload))
  }
}

/** Returns a handler that reports a dropped event to its user as a `gap`. */
export function reportLossTo(stream: EventStream): OnEvent {
  return (payload, topic) => {
    if (announcementOf(topic, payload)) stream.reportLoss(userOf(payload))
  }
}

function userOf(payload: EventTopics[Topic]): string | undefined {
  return 'user_id' in payload ? payload.user_id : undefined
}

/**
 * In Analyzer mode every order event becomes an `analyzer_update`; in live mode it becomes the given event.
 */
function live<E extends OrderEventBase>(
  event: string,
  shown: (placed: E) => object,
): (placed: E) => Announcement {
  return (placed) =>
    placed.mode === 'analyze' ? analyzerUpdate(placed) : { event, data: () => shown(placed) }
}

function severalOrders(event: EventTopics['options.completed']): object {
  return {
    symbol: event.symbol,
    action: event.action,
    orderid: `${event.successful}/${event.total} orders`,
    exchange: event.exchange,
    price_type: event.pricetype,
    product_type: event.product,
    mode: event.mode,
    ...WHOLE_BATCH,
  }
}

function gttFacts(event: string, gtt: EventTopics['gtt.placed'], triggeredOrderId = ''): object {
  const { symbol, exchange, trigger_id, mode } = gtt
  return { event, symbol, exchange, trigger_id, triggered_order_id: triggeredOrderId, mode }
}

/** The failure of a live order, change or cancellation; the operation is in `api_type`. */
function orderFailure(
  event: EventTopics['order.failed' | 'order.modify_failed' | 'order.cancel_failed'],
): object {
  return {
    api_type: event.api_type,
    symbol: 'symbol' in event ? event.symbol : '',
    exchange: 'exchange' in event ? event.exchange : '',
    orderid: 'orderid' in event ? event.orderid : '',
    message: maskText(event.error_message),
    mode: event.mode,
  }
}

function gttFailure(event: string, gtt: EventTopics['gtt.failed']): object {
  const { symbol = '', exchange = '', trigger_id = '', error_message, mode } = gtt
  const message = maskText(error_message)
  return { event, symbol, exchange, trigger_id, triggered_order_id: '', message, mode }
}

/** Returns an update as its publisher wrote it, member by member. */
function withoutUser({ user_id: _, ...sent }: OrderUpdate): object {
  return sent
}

/** The request carries `api_type`, except for a plain placeorder. */
function analyzerUpdate({ api_type, request_data, response_data }: OrderEventBase): Announcement {
  const data = () => {
    const sent = publicData(request_data)
    const request = api_type === 'placeorder' ? sent : { ...Object(sent), api_type }
    return { request, response: publicData(response_data) }
  }
  return { event: 'analyzer_update', data }
}

/** Something the sandbox did on its own: there was no request, and the response describes the action. */
function engineUpdate(event: Topic, payload: object): Announcement {
  const data = () => ({ request: {}, response: publicData({ event, mode: 'analyze', ...payload }) })
  return { event: 'analyzer_update', data }
}

function unchanged(event: string, payload: object): Announcement {
  return { event, data: () => publicData(payload) }
}
