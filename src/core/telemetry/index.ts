export { alertText, type Channel, type Notifier, OrderAlerts, silentNotifier } from './alerts.js'
export {
  type BrokerLatency,
  LatencyRecorder,
  type LatencySample,
  type LatencyStatistics,
  type RequestEnd,
} from './latency.js'
export { ORDER_TYPES } from './latency-store.js'
export type { OrderLogFilter, OrderLogPage, OrderLogRow } from './order-log-store.js'
export { OrderLogs } from './order-logs.js'
export { percentile } from './percentile.js'
export { purgeLogs } from './retention.js'
export { type Subscribers, wireSubscribers } from './subscribers.js'
