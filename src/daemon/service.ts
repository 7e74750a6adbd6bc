import { join, resolve } from 'node:path'
import { SERVICE } from '../core/audit/schema.js'
import type { SimulatedOptions } from '../core/brokers/simulated/index.js'
import { ChartPreferences } from '../core/chart/index.js'
import { type Config, secretValues } from '../core/config/index.js'
import { ErrorLog } from '../core/diagnostics/index.js'
import { PasswordMails } from '../core/identity/index.js'
import type { Logger } from '../core/logging/index.js'
import { SmtpMailer } from '../core/mail/index.js'
import { Mcp } from '../core/mcp/index.js'
import type { SecretBox } from '../core/secrets/index.js'
import { completeLocks, openStrategies, openWebhook } from '../core/strategies/index.js'
import { type Clock, within } from '../core/time/index.js'
import { openBackups } from './backup/open.js'
import { type FlowRehearsal, openFlows } from './flows/open.js'
import { strategyBook } from './flows/strategy-book.js'
import { openAudit, recordServiceActs, stopAudit } from './service/audit.js'
import { announceSessions, openEvents } from './service/events.js'
import { openFoundation } from './service/foundation.js'
import { openMarket } from './service/market.js'
import { openMessages } from './service/messages.js'
import { ModeSwitch } from './service/mode.js'
import { pnlTracker } from './service/pnl.js'
import { openStores, type Stores } from './service/stores.js'
import { openStrategyRuns, strategyNews } from './service/strategy-runs.js'
import { openTrading } from './service/trading.js'

interface ServiceOptions {
  home: string
  config: Config
  clock: Clock
  log: Logger
  /** Opened before, by a start that loads the program meanwhile. */
  stores?: Stores
  /** Derived before from the keys of the configuration, by a caller that opens several services in turn. */
  secrets?: SecretBox
  /** Overrides the settings of the embedded broker. */
  simulated?: Partial<SimulatedOptions>
  /** A certificate that the mail server may have, besides those that Node trusts; for tests. */
  mailCa?: string
  /** Replaces the host of the WhatsApp Cloud API, for tests. */
  whatsappApi?: string
  /** The environment from which flows may read their own variables. */
  env?: Readonly<Record<string, string | undefined>>
  /** The hooks of a rehearsal, for flow scenarios. */
  rehearsal?: FlowRehearsal
}

/** All parts of the running service. The daemon's routes and loops work on them. */
export type Service = Awaited<ReturnType<typeof openService>>

/**
 * Opens the databases, then builds and connects the parts, each group on the groups before it. The service
 * accepts no orders yet: see {@link recover}.
 */
export async function openService({ home, config, clock, log, ...options }: ServiceOptions) {
  const { secrets, stores = await openStores({ home, config, clock, log, secrets }) } = options
  const { databases } = stores
  const events = await openEvents({ svc: databases.svc, logs: databases.logs, clock, log })
  const foundation = await openFoundation(stores, { config, clock, log })
  announceSessions(foundation.identity, events.bus)
  const audit = await openAudit(stores, { clock, log })
  recordServiceActs(audit.audit, events.bus, foundation.security)
  const mailer = new SmtpMailer({ settings: foundation.settings, clock, ca: options.mailCa })
  const passwordMails = new PasswordMails({
    passwords: foundation.identity.passwords,
    mailer,
    configured: () => Boolean(foundation.settings.get().smtpServer),
    clock,
    log,
  })
  const { logs, svc } = databases
  const { settings } = foundation
  const mcp = await Mcp.open({
    svc,
    logs,
    settings,
    secretBox: stores.secrets,
    clock,
    log,
    config,
    onTheft: (what, clientId, family) =>
      audit.audit.appendLater(
        { act: 'mcp.end_stolen', actor: SERVICE, target: clientId },
        { after: { reused: what, family } },
      ),
  })
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
  const modeSwitch = new ModeSwitch({ ...events, ...foundation, ...trading, log })
  const opened = { clock, config, log, databases, modeSwitch, mcp, ...audit, ...events }
  const base = { ...opened, ...foundation, ...market, ...trading }
  const reservedRuns = () => strategyParts.strategyRuns.reserved()
  const messages = await openMessages({ ...base, box: stores.secrets, mailer, reservedRuns, ...options })
  const attachmentRoots = config.WHATSAPP_ATTACHMENT_ROOTS ?? [join(home, 'attachments')]
  const parts = { ...base, messages, attachmentRoots }
  const strategies = strategyBook(parts)
  const pnl = pnlTracker(parts)
  const strategyParts = {
    ...(await openStrategies({
      db: databases.svc,
      clock,
      directory: foundation.instruments.directory,
      publish: (event) => strategyNews(events.bus).event(event.userId, event),
    })),
    strategyRuns: openStrategyRuns(parts),
  }
  const flows = await openFlows({
    ...parts,
    db: databases.svc,
    box: stores.secrets,
    strategies,
    env: options.env ?? {},
    rehearsal: options.rehearsal,
  })
  const strategyWebhook = await openWebhook({
    clock,
    log,
    db: databases.svc,
    directory: foundation.instruments.directory,
    events: strategyParts.strategyWebhookEvents,
    history: strategyParts.strategyHistory,
    runs: strategyParts.strategyRuns,
  })
  const { executor, reconciler } = trading.orders
  const backups = openBackups({ home, ...parts })
  const chart = new ChartPreferences(databases.svc, clock)
  const errorLog = new ErrorLog({ dir: resolve(home, config.LOG_DIR), clock, secrets: secretValues(config) })
  return {
    ...parts,
    mailer,
    passwordMails,
    strategies,
    strategyWebhook,
    ...strategyParts,
    pnl,
    flows,
    executor,
    reconciler,
    chart,
    errorLog,
    stop,
    backups,
  }
}

/**
 * Prepares the service to accept orders. First it searches for orders in doubt and compares open orders with
 * the broker's book. Then it settles interrupted approvals. Then the sandbox follows the market again. A
 * start after a crash and a clean start run the same steps.
 */
export async function recover(service: Service): Promise<{ inDoubt: number }> {
  await service.reconciler.recover()
  await service.openOrders.compareIfDue()
  await service.approvals.start(service.executor)
  if (service.mode() === 'analyze') await service.sandbox.start()
  await service.strategyRuns.open()
  await completeLocks(service.strategyCatalog, service.strategyRuns)
  await service.flows.start()
  service.messages.start()
  await service.brokers.announceSession()
  return { inDoubt: (await service.journal.inState('unknown')).length }
}

/** The time that {@link closeService} waits for approvals in progress, for which no client waits any more. */
const APPROVALS_LIMIT_MS = 2_000

/** The time that {@link closeService} waits for a backup that gives up. Its disk may hang; the next start removes its files. */
const BACKUP_LIMIT_MS = 2_000

/**
 * The time that {@link closeService} waits for the orders of runs. An exit that waits for its turn at the broker was
 * not sent, and the next start sends it.
 */
const RUNS_LIMIT_MS = 3_000

/** The time that {@link closeService} waits for an instrument master that is given up. Its download may hang. */
const MASTER_LIMIT_MS = 1_000

/**
 * Begins the stop: no queued order is approved any more, and requests in progress send no further order that
 * can be sent later. The daemon calls it as soon as a stop is requested, before it waits for requests in
 * flight.
 */
export function beginStop(service: Service): void {
  service.stop.abort()
}

/**
 * Closes the parts in reverse order: first the work in flight, then its writers, the databases last. An order
 * that still waits for its broker is abandoned with the connection. It stays in the journal, in doubt.
 */
export async function closeService(service: Service): Promise<void> {
  beginStop(service)
  const master = service.instruments.close()
  await within(service.clock, BACKUP_LIMIT_MS, service.backups.close())
  await within(service.clock, RUNS_LIMIT_MS, service.strategyRuns.close())
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
  await within(service.clock, MASTER_LIMIT_MS, master)
  await service.updates.drained()
  await service.bus.idle()
  await service.messages.close()
  service.mailer.close()
  await service.passwordMails.settled()
  await service.strategies.close()
  await service.mcp.close()
  await stopAudit(service)
  const { identity, latency, orderLogs, requests, security, traffic } = service
  await Promise.all([orderLogs, latency, requests, traffic].map((log) => log.flush()))
  await Promise.all([identity.close(), security.close()])
  await Promise.all(Object.values(service.databases).map((database) => database.close()))
}
