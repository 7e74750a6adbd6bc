export {
  BUS_CAPACITY,
  BUS_WORKERS,
  type BusStats,
  EventBus,
  type EventHandler,
  PACED_CAPACITY,
  PACED_LIMIT,
  type SubscriptionOptions,
} from './bus.js'
export { EventNumberStore } from './store.js'
export { type EventNumbers, EventStream, type Replay, STREAM_CAPACITY, StreamFrame } from './stream.js'
export type * from './topics.js'
