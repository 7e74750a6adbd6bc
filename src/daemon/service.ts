import { join } from 'node:path'
import { Approvals } from '../core/approvals/index.js'
import { BrokerService, DEFAULT_BROKER } from '../core/brokers/index.js'
import {
  type SimulatedOptions,
  type SimulatedPlugin,
  simulatedPlugin,
} from '../core/brokers/simulated/index.js'
import { zerodha } from '../core/brokers/zerodha/index.js'
import type { Config } from '../core/config/index.js'
import { messageOf } from '../core/errors/index.js'
import { EventBus, EventStream } from '../core/events/index.js'
import { Identity } from '../core/identity/index.js'
import { Instruments } from '../core/instruments/index.js'
import type { Logger } from '../core/logging/index.js'
import { MarketData, type SymbolRef, TickHub } from '../core/market/index.js'
import {
  Books,
  Idempotency,
  LiveSender,
  OrderDesk,
  OrderJournal,
  OrderUpdates,
  QueuedOrderExecutor,
  Reconciler,
  resultOf,
} from '../core/orders/index.js'
import { RiskGate } from '../core/risk/index.js'
import { Sandbox } from '../core/sandbox/index.js'
import { SecretBox } from '../core/secrets/index.js'
import { Settings } from '../core/settings/index.js'
import { Database } from '../core/storage/index.js'
import {
  LatencyRecorder,
  OrderAlerts,
  OrderLogs,
  silentNotifier,
  wireSubscribers,
} from '../core/telemetry/index.js'
import type { Clock } from '../core/time/index.js'
import { publishOrderEvent, publishOrderUpdate, publishSandboxEvent } from './order-events.js'
import { accountPorts, simulatedBooks, simulatedExecution } from './ports.js'
import { simulatedOptions } from './simulated-options.js'

export interface ServiceOptions {
  home: string
  config: Config
  clock: Clock
  log: Logger
  /** Over the settings of the embedded broker. */
  simulated?: Partial<SimulatedOptions>
}

/** Every part of the running service, put together in one place. The daemon's routes and loops work on these. */
export type Service = Awaited<ReturnType<typeof openService>>

/**
 * Opens the databases, builds the parts and connects them: the one place that knows them all. Nothing is
 * accepted yet: see {@link recover}.
 */
export async function openService({ home, config, clock, log, ...options }: ServiceOptions) {
  const [db, sandboxDb, logsDb, secrets] = await Promise.all([
    Database.open({ file: join(home, 'svc.db'), schema: 'svc' }),
    Database.open({ file: join(home, 'sandbox.db'), schema: 'sandbox' }),
    Database.open({ file: join(home, 'logs.db'), schema: 'logs' }),
    SecretBox.derive({ appKey: config.APP_KEY, salt: config.FERNET_SALT }),
  ])
  const bus = new EventBus(log)
  const stream = new EventStream(clock, log)
  const orderLogs = new OrderLogs({ db: logsDb, clock, log })
  const latency = new LatencyRecorder({ db: logsDb, clock, log })
  const alerts = (channel: 'telegram' | 'whatsapp') =>
    new OrderAlerts({ channel, notifier: silentNotifier, clock, log })
  wireSubscribers(bus, { orderLogs, stream, telegram: alerts('telegram'), whatsapp: alerts('whatsapp') })

  const identityConfig = {
    pepper: config.API_KEY_PEPPER,
    sessionExpiryTime: config.SESSION_EXPIRY_TIME,
    disableSessionExpiry: config.DISABLE_SESSION_EXPIRY,
  }
  const instruments = new Instruments({ db, clock, log })
  const [settings, identity] = await Promise.all([
    Settings.open({ db, secretBox: secrets, log }),
    Identity.open({ db, clock, config: identityConfig, secretBox: secrets, log }),
    instruments.load(),
  ])
  const mode = () => (settings.get().analyzeMode ? ('analyze' as const) : ('live' as const))

  const hub = new TickHub({
    clock,
    onListenerError: (error, tick) =>
      log.error('tick.listener_failed', { symbol: tick.symbol, error: messageOf(error) }),
  })
  const journal = new OrderJournal(db, clock)
  const plainLog = (
    level: 'debug' | 'info' | 'warn' | 'error',
    event: string,
    fields?: Record<string, unknown>,
  ) => log[level](event, fields)
  const simulated: SimulatedPlugin = simulatedPlugin({
    ...simulatedOptions(config),
    ...options.simulated,
  })
  const brokers = await BrokerService.open({
    db,
    clock,
    secrets,
    plugins: [simulated, zerodha],
    stateDir: join(home, 'brokers'),
    endpoints: endpointsByBroker(config.BROKER_ENDPOINTS ?? {}),
    instruments: () => instruments.directory,
    log: plainLog,
  })
  const market = new MarketData({
    hub,
    broker: () => ({ client: brokers.client(), manifest: brokers.manifest() }),
  })
  const lastPrice = (ref: SymbolRef) => hub.last(ref)?.ltp
  const quote = async (ref: SymbolRef) => (await market.quote(ref).catch(() => undefined))?.ltp

  const sandbox = await Sandbox.open({
    db: sandboxDb,
    clock,
    instruments: { find: (symbol, exchange) => instruments.directory.find(symbol, exchange) },
    market: {
      quote: (ref) => market.quote(ref).catch(() => undefined),
      watch: (ref, listener) => hub.subscribe([ref], 2, listener),
      alwaysOpen: () => brokers.brokerId === DEFAULT_BROKER && config.SIM_SESSIONS === 'always',
    },
    publish: (event) => publishSandboxEvent(bus, event),
    log: plainLog,
  })
  const accounts = accountPorts({ brokers, journal, sandbox, clock })
  const risk = await RiskGate.open(db, { clock, lastPrice, quote, ...accounts })

  const ports = {
    mode,
    publish: (event: Parameters<typeof publishOrderEvent>[1]) => publishOrderEvent(bus, event),
    queuePrice: (ref: SymbolRef) =>
      lastPrice(ref) ?? (config.APPROVAL_MAX_DRIFT_PERCENT > 0 ? quote(ref) : undefined),
    quote,
    log: plainLog,
  }
  const idempotency = new Idempotency(db, clock)
  const approvals = await Approvals.open({
    database: db,
    clock,
    settings: {
      expirySeconds: config.APPROVAL_EXPIRY_SECONDS,
      maxDriftPercent: config.APPROVAL_MAX_DRIFT_PERCENT,
    },
    events: bus,
    log,
    lastPrice: quote,
    orderMode: (userId) => identity.apiKeys.orderMode(userId),
  })
  const reconciler = new Reconciler(
    journal,
    brokers,
    idempotency,
    {
      ...ports,
      settleApproval: async (id, answer) => {
        await approvals.settle(id, resultOf(answer, undefined))
      },
    },
    clock,
  )
  const updates = new OrderUpdates(journal, plainLog, (orderRef) => reconciler.settled(orderRef))
  await brokers.start({
    onTick: (tick) => hub.publish(tick),
    onConnected: (client) => hub.attach(client.ticks),
    onOrderUpdate: (broker, order) => {
      updates.apply(order)
      publishOrderUpdate(bus, broker, order)
    },
  })
  const sender = new LiveSender(journal, brokers, ports, risk, (orderRef) => reconciler.watch(orderRef))
  const execution = simulatedExecution(sandbox)
  const desk = new OrderDesk({
    clock,
    journal,
    idempotency,
    risk,
    sandbox: execution,
    broker: brokers,
    sender,
    ports,
  })
  desk.queueThrough(approvals)
  const executor = new QueuedOrderExecutor({
    clock,
    desk,
    journal,
    risk,
    sandbox: execution,
    broker: brokers,
    ports,
  })
  const books = new Books({ mode, broker: brokers, sandbox: simulatedBooks(sandbox), journal })

  return {
    databases: { svc: db, sandbox: sandboxDb, logs: logsDb },
    approvals,
    books,
    brokers,
    bus,
    clock,
    config,
    desk,
    executor,
    hub,
    identity,
    instruments,
    journal,
    latency,
    log,
    market,
    mode,
    orderLogs,
    reconciler,
    risk,
    sandbox,
    settings,
    simulated,
    stream,
    updates,
  }
}

/** `zerodha.api=http://…` as the base URLs of each plugin. */
function endpointsByBroker(flat: Readonly<Record<string, string>>): Record<string, Record<string, string>> {
  const nested: Record<string, Record<string, string>> = {}
  for (const [name, url] of Object.entries(flat)) {
    const [broker = '', endpoint = ''] = name.split('.')
    nested[broker] = { ...nested[broker], [endpoint]: url }
  }
  return nested
}

/**
 * Brings everything to where it may accept orders: first what is in doubt is searched for, then approvals cut
 * short are settled, then the sandbox follows the market again. A crash and a clean start take the same way.
 */
export async function recover(service: Service): Promise<{ inDoubt: number }> {
  await service.reconciler.recover()
  await service.approvals.start(service.executor)
  if (service.mode() === 'analyze') await service.sandbox.start()
  return { inDoubt: (await service.journal.inState('unknown')).length }
}

/**
 * Stops in the opposite order: what is in flight first, then the writers behind it, the databases last. An order
 * that still waits for its broker is given up with the connection, which leaves it in doubt and on record.
 */
export async function closeService(service: Service): Promise<void> {
  service.reconciler.stop()
  await service.sandbox.stop()
  await service.brokers.close()
  await service.approvals.close()
  await service.updates.drained()
  await service.bus.idle()
  await Promise.all([service.orderLogs.flush(), service.latency.flush(), service.identity.close()])
  await Promise.all(Object.values(service.databases).map((database) => database.close()))
}
