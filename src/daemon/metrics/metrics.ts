import process from 'node:process'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { SECOND_MS } from '../../core/time/index.js'
import type { Service } from '../service.js'
import { VERSION } from '../version.js'
import { counter, gauge } from './gauge.js'

/** Gauges of prom-client that Prometheus takes for counters by their names. The same values by type stay. */
const MISNAMED = ['handles', 'requests', 'resources'].map((what) => `nodejs_active_${what}_total`)

/** The state of the daemon's process, as far as metrics show it. */
interface DaemonState {
  ready(): boolean
  uptimeMs(): number
  eventClients(): number
  marketClients(): { open: number }
  health: { status: 'pass' | 'warn' | 'fail' }
}

const HEALTH = { pass: 0, warn: 1, fail: 2 } as const
const FEED_STATES = ['disconnected', 'idle', 'closed', 'live', 'lost'] as const

/**
 * The metrics of one service, in a registry of their own. Parts of the service count; everything else is read
 * when Prometheus asks. Labels are names from the program, never symbols, users or other input.
 */
export class Metrics {
  readonly #registry = new Registry()

  constructor(service: Service, daemon: DaemonState) {
    addState(this.#registry, service, daemon)
    addOrders(this.#registry, service)
    addQueues(this.#registry, service)
    addBroker(this.#registry, service)
    addFeed(this.#registry, service, daemon)
    for (const histogram of service.latency.durations.histograms) this.#registry.registerMetric(histogram)
  }

  /** Adds event-loop lag, garbage collection, memory and processor time. One daemon of a process may do so. */
  watchProcess(): void {
    collectDefaultMetrics({ register: this.#registry })
    for (const name of MISNAMED) this.#registry.removeSingleMetric(name)
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  /** Returns all metrics in Prometheus' text format. */
  text(): Promise<string> {
    return this.#registry.metrics()
  }
}

function addState(registry: Registry, { risk }: Service, daemon: DaemonState): void {
  gauge(registry, {
    name: 'svc_info',
    help: 'The version of the service and of Node; always 1.',
    labels: ['version', 'node'],
    read: () => [[{ version: VERSION, node: process.version }, 1]],
  })
  gauge(registry, {
    name: 'svc_ready',
    help: '1 while the service accepts orders.',
    labels: [],
    read: () => [[{}, Number(daemon.ready())]],
  })
  gauge(registry, {
    name: 'svc_uptime_seconds',
    help: 'Time since the start.',
    labels: [],
    read: () => [[{}, daemon.uptimeMs() / SECOND_MS]],
  })
  gauge(registry, {
    name: 'svc_health_status',
    help: 'The last health sample: 0 pass, 1 warn, 2 fail.',
    labels: [],
    read: () => [[{}, HEALTH[daemon.health.status]]],
  })
  gauge(registry, {
    name: 'svc_kill_switch',
    help: '1 while the kill switch stops orders.',
    labels: [],
    read: () => [[{}, Number(risk.killSwitch.on)]],
  })
}

function addOrders(registry: Registry, { approvals, journal, orderCounts }: Service): void {
  counter(registry, {
    name: 'svc_orders_total',
    help: 'Orders, and changes of orders, by outcome since the start.',
    labels: ['mode', 'act', 'outcome'],
    read: () => orderCounts.list().map(({ count, ...labels }) => [labels, count] as const),
  })
  gauge(registry, {
    name: 'svc_orders_in_doubt',
    help: 'Live orders whose outcome the broker has not confirmed.',
    labels: [],
    read: async () => [[{}, (await journal.inState('unknown')).length]],
  })
  gauge(registry, {
    name: 'svc_approvals_pending',
    help: 'Orders that wait for approval.',
    labels: [],
    read: () => [[{}, approvals.pending]],
  })
}

function addQueues(registry: Registry, service: Service): void {
  const { bus, databases, latency, messages, orderLogs, requests, traffic } = service
  const logs = Object.entries({ orders: orderLogs, latency, requests, traffic })
  gauge(registry, {
    name: 'svc_events_waiting',
    help: 'Callbacks of the event bus that are queued or running, and paced events that wait before it.',
    labels: ['queue'],
    read: () => [
      [{ queue: 'callbacks' }, bus.stats().pending],
      [{ queue: 'paced' }, bus.pacedWaiting],
    ],
  })
  counter(registry, {
    name: 'svc_events_dropped_total',
    help: 'Callbacks that the full event bus dropped since the start.',
    labels: [],
    read: () => [[{}, bus.stats().dropped]],
  })
  gauge(registry, {
    name: 'svc_writes_waiting',
    help: 'Writes that wait for the commit in progress.',
    labels: ['database'],
    read: () =>
      Object.entries(databases).map(([database, { waitingWrites }]) => [{ database }, waitingWrites]),
  })
  gauge(registry, {
    name: 'svc_log_rows_waiting',
    help: 'Rows of a log that wait to be written.',
    labels: ['log'],
    read: () => logs.map(([log, { waiting }]) => [{ log }, waiting]),
  })
  counter(registry, {
    name: 'svc_log_rows_dropped_total',
    help: 'Rows of a log that were lost since the start.',
    labels: ['log'],
    read: () => logs.map(([log, { dropped }]) => [{ log }, dropped]),
  })
  gauge(registry, {
    name: 'svc_messages',
    help: 'Messages to people in the queue, by channel and state.',
    labels: ['channel', 'state'],
    read: async () =>
      (await messages.queue.tallies()).map(({ channel, count, state }) => [{ channel, state }, count]),
  })
}

function addBroker(registry: Registry, { brokers }: Service): void {
  gauge(registry, {
    name: 'svc_broker_connected',
    help: '1 while the active broker is connected.',
    labels: [],
    read: () => [[{}, Number(brokers.connected())]],
  })
  counter(registry, {
    name: 'svc_broker_calls_total',
    help: 'Calls to the broker since the start, by call and end.',
    labels: ['call', 'end'],
    read: () => brokers.callCounts.list().map(({ call, count, end }) => [{ call, end }, count]),
  })
  gauge(registry, {
    name: 'svc_broker_budget_waiting',
    help: "Orders that wait for the broker's call limit now.",
    labels: ['broker'],
    read: () => brokers.orderBudgets().map(({ broker, waiting }) => [{ broker }, waiting]),
  })
  counter(registry, {
    name: 'svc_broker_budget_waits_total',
    help: "Orders that had to wait for the broker's call limit.",
    labels: ['broker'],
    read: () => brokers.orderBudgets().map(({ broker, waited }) => [{ broker }, waited]),
  })
  counter(registry, {
    name: 'svc_broker_budget_wait_seconds_total',
    help: "Time that orders waited for the broker's call limit.",
    labels: ['broker'],
    read: () => brokers.orderBudgets().map(({ broker, waitedMs }) => [{ broker }, waitedMs / SECOND_MS]),
  })
  counter(registry, {
    name: 'svc_broker_budget_refused_total',
    help: "Orders refused because they would have waited too long for the broker's call limit.",
    labels: ['broker'],
    read: () => brokers.orderBudgets().map(({ broker, refused }) => [{ broker }, refused]),
  })
}

function addFeed(registry: Registry, { feedWatch, hub }: Service, daemon: DaemonState): void {
  gauge(registry, {
    name: 'svc_feed_age_seconds',
    help: 'Time since the last tick of any followed symbol; absent while none is followed.',
    labels: [],
    read: () => {
      const { age_ms: age } = feedWatch.state()
      return age === null ? [] : [[{}, age / SECOND_MS]]
    },
  })
  gauge(registry, {
    name: 'svc_feed_state',
    help: '1 for the state of the price feed, 0 for the others.',
    labels: ['state'],
    read: () => {
      const { state: now } = feedWatch.state()
      return FEED_STATES.map((state) => [{ state }, Number(state === now)])
    },
  })
  counter(registry, {
    name: 'svc_feed_losses_total',
    help: 'How often the price feed was lost since the start.',
    labels: [],
    read: () => [[{}, feedWatch.state().losses]],
  })
  gauge(registry, {
    name: 'svc_feed_symbols',
    help: 'Symbols that are followed.',
    labels: [],
    read: () => [[{}, hub.symbols().length]],
  })
  gauge(registry, {
    name: 'svc_stream_clients',
    help: 'Clients of the streams.',
    labels: ['stream'],
    read: () => [
      [{ stream: 'events' }, daemon.eventClients()],
      [{ stream: 'market' }, daemon.marketClients().open],
    ],
  })
}
