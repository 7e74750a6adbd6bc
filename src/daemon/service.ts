import type { SimulatedOptions } from '../core/brokers/simulated/index.js'
import { ChartPreferences } from '../core/chart/index.js'
import type { Config } from '../core/config/index.js'
import type { Logger } from '../core/logging/index.js'
import type { SecretBox } from '../core/secrets/index.js'
import type { Clock } from '../core/time/index.js'
import { type FlowRehearsal, openFlows } from './flows/open.js'
import { strategyBook } from './flows/strategy-book.js'
import { openEvents } from './service/events.js'
import { openFoundation } from './service/foundation.js'
import { openMarket } from './service/market.js'
import { openStores } from './service/stores.js'
import { openTrading } from './service/trading.js'
import { announceSessions } from './session-events.js'

export interface ServiceOptions {
  home: string
  config: Config
  clock: Clock
  log: Logger
  /** Derived before from the keys of the configuration, by whoever opens one service after another. */
  secrets?: SecretBox
  /** Over the settings of the embedded broker. */
  simulated?: Partial<SimulatedOptions>
  /** Stands for the host of Telegram's Bot API, for tests. */
  telegramApi?: string
  /** The environment that workflows may read their own variables of. */
  env?: Readonly<Record<string, string | undefined>>
  /** For scenarios of workflows. */
  rehearsal?: FlowRehearsal
}

/** Every part of the running service, put together in one place. The daemon's routes and loops work on these. */
export type Service = Awaited<ReturnType<typeof openService>>

/**
 * Opens the databases, builds the parts and connects them, each group on those before it. Nothing is accepted
 * yet: see {@link recover}.
 */
export async function openService({ home, config, clock, log, ...options }: ServiceOptions) {
  const stores = await openStores({ home, config, clock, log, secrets: options.secrets })
  const { databases } = stores
  const events = openEvents({
    logs: databases.logs,
    config,
    clock,
    log,
    telegramApi: options.telegramApi,
  })
  const foundation = await openFoundation(stores, { config, clock, log })
  announceSessions(foundation.identity, events.bus)
  const market = await openMarket({
    home,
    config,
    clock,
    log,
    simulated: options.simulated,
    stores,
    foundation,
  })
  const stop = new AbortController()
  const shared = { config, clock, log, stopping: stop.signal }
  const trading = await openTrading({ ...shared, stores, foundation, events, market })
  const parts = { clock, config, log, ...events, ...foundation, ...market, ...trading }
  const flows = await openFlows({
    ...parts,
    db: databases.svc,
    box: stores.secrets,
    strategies: strategyBook(parts),
    env: options.env ?? {},
    rehearsal: options.rehearsal,
  })
  const { executor, reconciler } = trading.orders
  const chart = new ChartPreferences(databases.svc, clock)
  return { ...parts, databases, flows, executor, reconciler, chart, stop }
}

/**
 * Brings everything to where it may accept orders: first what is in doubt is searched for and open orders are compared
 * with the broker's book, then approvals cut short are settled, then the sandbox follows the market again. A crash and a clean start take the same way.
 */
export async function recover(service: Service): Promise<{ inDoubt: number }> {
  await service.reconciler.recover()
  await service.openOrders.compareIfDue()
  await service.approvals.start(service.executor)
  if (service.mode() === 'analyze') await service.sandbox.start()
  await service.flows.start()
  return { inDoubt: (await service.journal.inState('unknown')).length }
}

/** What approvals under way get to finish, when nobody waits for them any more. Within {@link closeService}. */
const APPROVALS_LIMIT_MS = 2_000

/**
 * From now on nothing queued is approved, and of requests under way no further order is sent that can be sent later.
 * Called as soon as a stop is asked for, before requests in flight are waited for.
 */
export function beginStop(service: Service): void {
  service.stop.abort()
}

/**
 * Stops in the opposite order: what is in flight first, then the writers behind it, the databases last. An order
 * that still waits for its broker is given up with the connection, which leaves it in doubt and on record.
 */
export async function closeService(service: Service): Promise<void> {
  beginStop(service)
  await service.flows.stop()
  service.reconciler.stop()
  service.openOrders.stop()
  await service.risk.close()
  service.feedWatch.stop()
  await service.sandbox.stop()
  const approvals = service.approvals.close()
  await within(service.clock, APPROVALS_LIMIT_MS, approvals)
  await service.brokers.close()
  await approvals
  await service.updates.drained()
  await service.bus.idle()
  // A message that waits for Telegram must not hold up the stop.
  await service.telegram.close()
  await Promise.all([service.orderLogs.flush(), service.latency.flush(), service.identity.close()])
  await Promise.all(Object.values(service.databases).map((database) => database.close()))
}

/** Waits for work, but not for longer than this. */
function within(clock: Clock, limitMs: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const limit = clock.setTimeout(resolve, limitMs)
    void work.finally(() => {
      clock.clear(limit)
      resolve()
    })
  })
}
