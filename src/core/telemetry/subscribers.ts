import type { EventBus, EventStream, Topic } from '../events/index.js'
import type { OrderAlerts } from './alerts.js'
import { lostTo, relayTo } from './event-relay.js'
import type { OrderLogs } from './order-logs.js'

export interface Subscribers {
  orderLogs: OrderLogs
  stream: EventStream
  telegram: OrderAlerts
  whatsapp: OrderAlerts
}

/** Ends of requests that went well: logged, and users are alerted of them. */
const ALERTED = [
  'order.placed',
  'order.no_action',
  'order.modified',
  'order.cancelled',
  'orders.all_cancelled',
  'position.closed',
  'basket.completed',
  'split.completed',
  'options.completed',
  'multiorder.completed',
  'gtt.placed',
  'gtt.modified',
  'gtt.cancelled',
  'gtt.triggered',
  'gtt.expired',
] as const satisfies readonly Topic[]
/** Topics with a row in the order log or the analyzer log. Failures are logged only. */
const LOGGED = [
  ...ALERTED,
  'order.failed',
  'order.modify_failed',
  'order.cancel_failed',
  'gtt.failed',
  'gtt.modify_failed',
  'gtt.cancel_failed',
  'analyzer.error',
] as const satisfies readonly Topic[]

/**
 * Connects the four subscribers of the bus: logs, event stream, Telegram and WhatsApp. A second call changes
 * nothing, since a name subscribes once. When the bus is full, the row of a request is written all the same, and
 * clients are told that events are missing.
 */
export function wireSubscribers(bus: EventBus, { orderLogs, stream, telegram, whatsapp }: Subscribers): void {
  for (const topic of LOGGED)
    bus.subscribe(topic, 'logs', (event) => orderLogs.record(event), { vital: true })
  bus.subscribe('*', 'stream', relayTo(stream), { onDropped: lostTo(stream) })
  for (const topic of ALERTED) {
    bus.subscribe(topic, 'telegram', (event) => telegram.send(event))
    bus.subscribe(topic, 'whatsapp', (event) => whatsapp.send(event))
  }
}
