import type { EventBus, EventStream, Topic } from '../events/index.js'
import type { OrderAlerts } from './alerts.js'
import { relayTo, reportLossTo } from './event-relay.js'
import type { OrderLogs } from './order-logs.js'

interface Subscribers {
  orderLogs: OrderLogs
  stream: EventStream
}

/** The sender of alerts of each channel. */
type AlertChannels = Readonly<Record<'telegram' | 'whatsapp' | 'email', OrderAlerts>>

/** Requests that succeeded, and orders of Analyzer mode that the sandbox refused. */
const DONE = [
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
/** Requests that failed as a whole. */
const FAILED = [
  'order.failed',
  'order.modify_failed',
  'order.cancel_failed',
  'gtt.failed',
  'gtt.modify_failed',
  'gtt.cancel_failed',
  'analyzer.error',
] as const satisfies readonly Topic[]

/**
 * Subscribes logs and event stream to the bus. A second call changes nothing, because a name subscribes once
 * per topic. Even if the bus is full, log rows are written, and clients get a `gap` event.
 */
export function wireSubscribers(bus: EventBus, { orderLogs, stream }: Subscribers): void {
  for (const topic of [...DONE, ...FAILED])
    bus.subscribe(topic, 'logs', (event) => orderLogs.record(event), { vital: true })
  bus.subscribe('*', 'stream', relayTo(stream), { onDropped: reportLossTo(stream) })
}

/** Subscribes the order alerts of the channels to the bus. */
export function wireOrderAlerts(bus: EventBus, { email, telegram, whatsapp }: AlertChannels): void {
  for (const [channel, alerts] of Object.entries({ telegram, whatsapp, email })) {
    for (const topic of DONE) bus.subscribe(topic, channel, (event) => alerts.send(event))
    for (const topic of FAILED) bus.subscribe(topic, channel, (event) => alerts.sendFailure(event))
  }
}
