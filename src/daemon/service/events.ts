import { EventBus, EventNumberStore, EventStream } from '../../core/events/index.js'
import type { Identity } from '../../core/identity/index.js'
import type { Logger } from '../../core/logging/index.js'
import type { Database } from '../../core/storage/index.js'
import {
  LatencyRecorder,
  OrderLogs,
  RequestTrail,
  TrafficLog,
  wireSubscribers,
} from '../../core/telemetry/index.js'
import type { Clock } from '../../core/time/index.js'
import { OrderCounts } from '../orders/order-counts.js'

interface EventsOptions {
  svc: Database
  logs: Database
  clock: Clock
  log: Logger
}

export type EventServices = Awaited<ReturnType<typeof openEvents>>

/** Opens the event bus with its subscribers (order logs, event stream), and the recorders. */
export async function openEvents({ svc, logs, clock, log }: EventsOptions) {
  const bus = new EventBus(log)
  const stream = await EventStream.open(clock, log, new EventNumberStore(svc))
  const orderLogs = new OrderLogs({ db: logs, clock, log })
  const latency = new LatencyRecorder({ db: logs, clock, log })
  const traffic = new TrafficLog({ db: logs, clock, log })
  const requests = new RequestTrail({ db: logs, clock, log })
  wireSubscribers(bus, { orderLogs, stream })
  const orderCounts = new OrderCounts()
  return { bus, stream, orderLogs, latency, traffic, requests, orderCounts }
}

/** Sends a user's clients the list of the user's sessions whenever a session begins or ends. */
export function announceSessions(identity: Identity, bus: EventBus): void {
  identity.onSessionsChanged((username) => {
    const sessions = identity.sessions.list(username)
    bus.publish('active_sessions_update', { user_id: username, count: sessions.length, sessions })
  })
}
