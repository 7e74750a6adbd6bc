import type { EventStream, EventTopics, OrderEventBase, Topic } from '../events/index.js'
import { publicData } from './public-data.js'

/** An event as clients see it: its public name and payload. */
export interface ClientEvent {
  event: string
  data: unknown
}

/** Its payload is made when the first client is sent it: most events are never looked at. */
interface Announcement {
  event: string
  data: () => object
}

type Relay<T extends Topic> = (payload: EventTopics[T]) => Announcement | undefined

const SENT_AS_ORDER_UPDATE = [
  'mode',
  'broker',
  'orderid',
  'symbol',
  'exchange',
  'action',
  'quantity',
  'price',
  'trigger_price',
  'pricetype',
  'product',
  'order_status',
  'filled_quantity',
  'pending_quantity',
  'average_price',
  'rejection_reason',
] as const satisfies readonly (keyof EventTopics['order.update'])[]

/**
 * What clients are told of each topic (contract, events section 2). Members are named, or go through
 * the redactor, so that nothing meant for the inside, the API key first of all, can reach a client. Live failures emit nothing.
 */
const RELAYS: { readonly [T in Topic]: Relay<T> } = {
  'order.placed': (placed) =>
    placed.mode === 'analyze'
      ? analyzerUpdate(placed)
      : {
          event: 'order_event',
          data: () => ({
            symbol: placed.symbol,
            action: placed.action,
            orderid: placed.orderid,
            exchange: placed.exchange,
            price_type: placed.pricetype,
            product_type: placed.product,
            mode: placed.mode,
          }),
        },
  'order.failed': analyzeOnly,
  'order.no_action': (event) =>
    event.mode === 'analyze'
      ? analyzerUpdate(event)
      : {
          event: 'order_notification',
          data: () => ({ symbol: event.symbol, status: 'info', message: event.message }),
        },
  'analyzer.error': analyzerUpdate,
  'order.update': (update) => ({ event: 'order_update', data: () => pick(update, SENT_AS_ORDER_UPDATE) }),
  'order.in_doubt': (event) => asItIs('order_in_doubt', event),
  'sandbox.order_filled': (event) => engineUpdate('sandbox.order_filled', event),
  'sandbox.auto_squareoff': (event) => engineUpdate('sandbox.auto_squareoff', event),
  'sandbox.t1_settlement': (event) => engineUpdate('sandbox.t1_settlement', event),
  pending_order_created: (event) => asItIs('pending_order_created', event),
  pending_order_updated: (event) => asItIs('pending_order_updated', event),
  kill_switch: (event) => asItIs('kill_switch', event),
  app_mode_changed: ({ analyze_mode }) => ({ event: 'app_mode_changed', data: () => ({ analyze_mode }) }),
  force_logout: ({ message }) => ({ event: 'force_logout', data: () => ({ message }) }),
  active_sessions_update: ({ count, sessions }) => ({
    event: 'active_sessions_update',
    data: () => ({ count, sessions }),
  }),
  master_contract_download: (event) => asItIs('master_contract_download', event),
}

/** The event clients get for an event of the bus, if any. */
export function clientEvent<T extends Topic>(topic: T, payload: EventTopics[T]): ClientEvent | undefined {
  const sent = announcementOf(topic, payload)
  return sent && { event: sent.event, data: sent.data() }
}

function announcementOf<T extends Topic>(topic: T, payload: EventTopics[T]): Announcement | undefined {
  const relay: Relay<T> = RELAYS[topic]
  return relay(payload)
}

/** Puts an event of the bus on the stream, for the user it belongs to. */
export function relayTo(stream: EventStream): <T extends Topic>(payload: EventTopics[T], topic: T) => void {
  return (payload, topic) => {
    const sent = announcementOf(topic, payload)
    if (sent) stream.publish(sent.event, sent.data, 'user_id' in payload ? payload.user_id : undefined)
  }
}

function analyzeOnly(event: OrderEventBase): Announcement | undefined {
  return event.mode === 'analyze' ? analyzerUpdate(event) : undefined
}

/** A plain placeorder goes without its `api_type`, the others name theirs in the request. */
function analyzerUpdate({ api_type, request_data, response_data }: OrderEventBase): Announcement {
  const data = () => {
    const sent = publicData(request_data)
    const request = api_type === 'placeorder' ? sent : { ...Object(sent), api_type }
    return { request, response: publicData(response_data) }
  }
  return { event: 'analyzer_update', data }
}

/** Something the sandbox did by itself: there was no request, and the answer is what it did. */
function engineUpdate(event: Topic, payload: object): Announcement {
  const data = () => ({ request: {}, response: publicData({ event, mode: 'analyze', ...payload }) })
  return { event: 'analyzer_update', data }
}

function asItIs(event: string, payload: object): Announcement {
  return { event, data: () => publicData(payload) }
}

function pick<T extends object, K extends keyof T>(source: T, names: readonly K[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, source[name]]))
}
