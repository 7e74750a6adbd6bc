import { join } from 'node:path'
import { Approvals } from '../core/approvals/index.js'
import { BrokerService, DEFAULT_BROKER } from '../core/brokers/index.js'
import {
  type SimulatedOptions,
  type SimulatedPlugin,
  simulatedPlugin,
} from '../core/brokers/simulated/index.js'
import { zerodha } from '../core/brokers/zerodha/index.js'
import { Calendar } from '../core/calendar/index.js'
import { ChartPreferences } from '../core/chart/index.js'
import type { Config } from '../core/config/index.js'
import { messageOf } from '../core/errors/index.js'
import { EventBus, EventStream, type EventTopics, type Topic } from '../core/events/index.js'
import { Identity } from '../core/identity/index.js'
import { Instruments } from '../core/instruments/index.js'
import type { Logger } from '../core/logging/index.js'
import { FeedWatch, ListedMarket, MarketData, type SymbolRef, TickHub } from '../core/market/index.js'
import { TelegramBot } from '../core/notifications/index.js'
import { OptionResolver, type OptionSources } from '../core/options/index.js'
import { Books, Margins, OrderJournal, OrderUpdates, openOrderPath, resultOf } from '../core/orders/index.js'
import { RiskGate } from '../core/risk/index.js'
import { Sandbox } from '../core/sandbox/index.js'
import { SecretBox } from '../core/secrets/index.js'
import { Settings } from '../core/settings/index.js'
import { Database, type SchemaName } from '../core/storage/index.js'
import {
  LatencyRecorder,
  OrderAlerts,
  OrderLogs,
  silentNotifier,
  wireSubscribers,
} from '../core/telemetry/index.js'
import type { Clock } from '../core/time/index.js'
import { type FlowRehearsal, openFlows } from './flows/open.js'
import { strategyBook } from './flows/strategy-book.js'
import { publishOrderEvent, publishOrderUpdate, publishSandboxEvent } from './order-events.js'
import { accountPorts, liveOrders, simulatedBooks, simulatedExecution } from './ports.js'
import { simulatedOptions } from './simulated-options.js'

export interface ServiceOptions {
  home: string
  config: Config
  clock: Clock
  log: Logger
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
 * Opens the databases, builds the parts and connects them: the one place that knows them all. Nothing is
 * accepted yet: see {@link recover}.
 */
export async function openService({ home, config, clock, log, ...options }: ServiceOptions) {
  const fileOf = <S extends SchemaName>(schema: S) => ({ file: join(home, `${schema}.db`), schema })
  const files = { svc: fileOf('svc'), sandbox: fileOf('sandbox'), logs: fileOf('logs') }
  await Database.refuseNewer(Object.values(files))
  const [db, sandboxDb, logsDb, secrets] = await Promise.all([
    Database.open(files.svc),
    Database.open(files.sandbox),
    Database.open(files.logs),
    SecretBox.derive({ appKey: config.APP_KEY, salt: config.FERNET_SALT }),
  ])
  const bus = new EventBus(log)
  const stream = new EventStream(clock, log)
  const orderLogs = new OrderLogs({ db: logsDb, clock, log })
  const latency = new LatencyRecorder({ db: logsDb, clock, log })
  const telegram = new TelegramBot({
    token: config.TELEGRAM_BOT_TOKEN,
    chats: config.TELEGRAM_CHATS ?? {},
    clock,
    log,
    ...(options.telegramApi !== undefined && { api: options.telegramApi }),
  })
  wireSubscribers(bus, {
    orderLogs,
    stream,
    telegram: new OrderAlerts({ channel: 'telegram', notifier: telegram, clock, log }),
    whatsapp: new OrderAlerts({ channel: 'whatsapp', notifier: silentNotifier, clock, log }),
  })

  const identityConfig = {
    pepper: config.API_KEY_PEPPER,
    sessionExpiryTime: config.SESSION_EXPIRY_TIME,
    disableSessionExpiry: config.DISABLE_SESSION_EXPIRY,
  }
  const instruments = new Instruments({ db, clock, log })
  const [calendar, settings, identity] = await Promise.all([
    Calendar.open({ db, clock }),
    Settings.open({ db, secretBox: secrets, log }),
    Identity.open({ db, clock, config: identityConfig, secretBox: secrets, log }),
    instruments.load(),
  ])
  const mode = () => (settings.get().analyzeMode ? ('analyze' as const) : ('live' as const))

  const hub = new TickHub({
    clock,
    onListenerError: (error, tick) =>
      log.error('tick.listener_failed', { symbol: tick.symbol, error: messageOf(error) }),
    onFeedRefusal: (error, { symbol, exchange }) =>
      log.warn('feed.symbol_refused', { symbol, exchange, error: messageOf(error) }),
  })
  const journal = new OrderJournal(db, clock)
  const plainLog = (
    level: 'debug' | 'info' | 'warn' | 'error',
    event: string,
    fields?: Record<string, unknown>,
  ) => log[level](event, fields)
  const simulated: SimulatedPlugin = simulatedPlugin({
    ...simulatedOptions(config, calendar),
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
  const alwaysOpen = () => brokers.brokerId === DEFAULT_BROKER && config.SIM_SESSIONS === 'always'
  const feedWatch = new FeedWatch({
    clock,
    hub,
    log,
    connected: () => brokers.connected(),
    trades: (exchange) => alwaysOpen() || calendar.isOpen(exchange),
    reopen: () => brokers.reopenTicks(),
  })
  const market = new MarketData({
    clock,
    hub,
    broker: () => ({ client: brokers.client(), manifest: brokers.manifest() }),
  })
  const listed = new ListedMarket(market, instruments.directory)
  const optionSources: OptionSources = { catalog: instruments.directory, market: listed, clock }
  const lastPrice = (ref: SymbolRef) => hub.last(ref)?.ltp
  const quote = async (ref: SymbolRef) => (await market.quote(ref).catch(() => undefined))?.ltp

  const sandbox = await Sandbox.open({
    db: sandboxDb,
    clock,
    instruments: { find: (symbol, exchange) => instruments.directory.find(symbol, exchange) },
    calendar,
    market: {
      quote: (ref) => market.quote(ref).catch(() => undefined),
      watch: (ref, listener) => hub.subscribe([ref], 2, listener),
      alwaysOpen,
    },
    publish: (event) => publishSandboxEvent(bus, event),
    log: plainLog,
  })
  calendar.onChange(() => sandbox.reschedule())
  const accounts = accountPorts({ brokers, journal, sandbox, clock })
  const risk = await RiskGate.open(db, {
    clock,
    lastPrice,
    priceAgeMs: (ref) => hub.ageMs(ref),
    quote,
    ...accounts,
  })

  const ports = {
    mode,
    publish: (event: Parameters<typeof publishOrderEvent>[1]) => publishOrderEvent(bus, event),
    emit: <T extends Topic>(topic: T, payload: EventTopics[T]) => bus.publish(topic, payload),
    queuePrice: (ref: SymbolRef) =>
      lastPrice(ref) ?? (config.APPROVAL_MAX_DRIFT_PERCENT > 0 ? quote(ref) : undefined),
    quote,
    log: plainLog,
  }
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
  const execution = simulatedExecution(sandbox)
  const orders = openOrderPath({
    db,
    clock,
    journal,
    risk,
    broker: liveOrders(brokers, instruments),
    sandbox: execution,
    gtts: sandbox.gtt,
    options: new OptionResolver(optionSources),
    queue: approvals,
    settleApproval: async (id, answer) => {
      await approvals.settle(id, resultOf(answer, undefined))
    },
    splitPauseMs: splitPauseMs(config),
    ports,
  })
  const { reconciler } = orders
  const updates = new OrderUpdates(journal, plainLog, (orderRef) => reconciler.settled(orderRef))
  await brokers.start({
    onTick: (tick) => hub.publish(tick),
    onConnected: (client) => hub.attach(client.ticks),
    onOrderUpdate: (broker, order) => {
      updates.apply(order)
      publishOrderUpdate(bus, broker, order)
    },
  })
  const books = new Books({ mode, broker: brokers, sandbox: simulatedBooks(sandbox), journal })
  const margins = new Margins({ mode, broker: brokers, sandbox: execution })
  const strategies = strategyBook({ mode, clock, journal, brokers, sandbox, instruments, listed })
  const flows = await openFlows({
    db,
    box: secrets,
    bus,
    calendar,
    clock,
    config,
    hub,
    identity,
    instruments,
    listed,
    log,
    margins,
    market,
    mode,
    optionSources,
    orders,
    books,
    strategies,
    telegram,
    env: options.env ?? {},
    rehearsal: options.rehearsal,
  })

  return {
    databases: { svc: db, sandbox: sandboxDb, logs: logsDb },
    approvals,
    books,
    brokers,
    bus,
    chart: new ChartPreferences(db, clock),
    calendar,
    clock,
    config,
    desk: orders.desk,
    executor: orders.executor,
    feedWatch,
    flows,
    hub,
    identity,
    instruments,
    journal,
    latency,
    listed,
    log,
    margins,
    market,
    mode,
    optionSources,
    orderLogs,
    orders,
    reconciler,
    risk,
    sandbox,
    settings,
    simulated,
    stream,
    telegram,
    updates,
  }
}

/** The pause that keeps the parts of a split within the first window of the order limit (contract, api-orders 2.2). */
function splitPauseMs({ ORDER_RATE_LIMIT: [first] }: Config): number {
  return 1000 / (first?.count ?? 10)
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
  await service.orders.batches.recover()
  await service.reconciler.recover()
  await service.approvals.start(service.executor)
  if (service.mode() === 'analyze') await service.sandbox.start()
  await service.flows.start()
  return { inDoubt: (await service.journal.inState('unknown')).length }
}

/**
 * Stops in the opposite order: what is in flight first, then the writers behind it, the databases last. An order
 * that still waits for its broker is given up with the connection, which leaves it in doubt and on record.
 */
export async function closeService(service: Service): Promise<void> {
  await service.flows.stop()
  service.reconciler.stop()
  service.feedWatch.stop()
  await service.sandbox.stop()
  await service.brokers.close()
  await service.approvals.close()
  await service.updates.drained()
  await service.bus.idle()
  // A message that waits for Telegram must not hold up the stop.
  await service.telegram.close()
  await Promise.all([service.orderLogs.flush(), service.latency.flush(), service.identity.close()])
  await Promise.all(Object.values(service.databases).map((database) => database.close()))
}
