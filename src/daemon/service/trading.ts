import { Approvals } from '../../core/approvals/index.js'
import { hasSession } from '../../core/brokers/index.js'
import type { Config } from '../../core/config/index.js'
import type { Veto } from '../../core/errors/index.js'
import { expiryToDate, type Instruments, largestOrderOf, unlistedText } from '../../core/instruments/index.js'
import type { Logger } from '../../core/logging/index.js'
import type { SymbolRef } from '../../core/market/index.js'
import {
  AccountViews,
  BrokerDrift,
  DriftStore,
  Margins,
  OpenGtts,
  OpenOrders,
  type OrderEvent,
  OrderJournal,
  OrderTrace,
  OrderUpdates,
  openOrderPath,
  orderOperation,
  type StrategyOrders,
  type TimedOrder,
} from '../../core/orders/index.js'
import { RiskGate } from '../../core/risk/index.js'
import { Sandbox, type SandboxOptions } from '../../core/sandbox/index.js'
import type { LatencySample } from '../../core/telemetry/index.js'
import { type Clock, sessionDate } from '../../core/time/index.js'
import { describeSession, leftBroker } from '../broker/session-view.js'
import { lastPrices } from '../operations/approvals/last-prices.js'
import {
  publishFault,
  publishGttEnd,
  publishOrderEvent,
  publishOrderUpdate,
  publishSandboxEvent,
} from '../orders/events.js'
import { refusedRow } from '../orders/refused-orders.js'
import type { EventServices } from './events.js'
import type { Foundation } from './foundation.js'
import type { Market } from './market.js'
import { accountPorts, liveOrders, sandboxExecution } from './ports.js'
import type { Stores } from './stores.js'

export type Trading = Awaited<ReturnType<typeof openTrading>>

interface TradingParts {
  config: Config
  clock: Clock
  log: Logger
  stores: Stores
  foundation: Foundation
  events: Pick<EventServices, 'bus' | 'latency' | 'orderCounts' | 'requests'>
  market: Market
  /** Aborts when the service stops. */
  stopping: AbortSignal
}

/**
 * Opens the parts an order passes (risk gate, approvals, live path, journal, sandbox), and the account views.
 */
export async function openTrading(parts: TradingParts) {
  const { clock, log, market } = parts
  const { mode } = parts.foundation
  const { brokers, hub, prices } = market
  const db = parts.stores.databases.svc

  const contractValue = ({ symbol, exchange }: SymbolRef) =>
    parts.foundation.instruments.directory.find(symbol, exchange)?.contractValue
  const journal = new OrderJournal(db, clock)
  const orderTrace = new OrderTrace(db)
  // The gate and the sandbox use each other. `risk` is set in time: the sandbox asks the gate only once it is
  // started.
  const sandbox = await openSandbox(parts, () => risk.stopped(), {
    onOrders: (orderIds) => orders.strategyOrders.changes.note(orderIds),
    onReset: (userIds) => orders.strategyOrders.noteReset(userIds),
  })
  const risk: RiskGate = await RiskGate.open(db, {
    clock,
    log,
    lastPrice: prices.last,
    contractValue,
    priceAgeMs: (ref) => hub.ageMs(ref),
    quote: prices.quoted,
    ...accountPorts(brokers, journal, sandbox, clock),
  })
  const approvals = await openApprovals(parts)
  const execution = sandboxExecution(sandbox)
  const orders = orderPathOf(parts, { journal, sandbox, risk, approvals, execution })
  const { strategyOrders } = orders
  journal.onMoved((orderRefs) => strategyOrders.changes.note(orderRefs))
  approvals.onRejected((ids) => strategyOrders.noteRejected(ids))
  const gtts = new OpenGtts({
    clock,
    log,
    journal,
    broker: brokers,
    publish: (end) => publishGttEnd(parts.events.bus, end),
  })
  const updates = new OrderUpdates(
    journal,
    log,
    (orderRef) => orders.reconciler.settled(orderRef),
    gtts,
    (update) => {
      openOrders.noteUnknown(update)
      strategyOrders.changes.noteOthers()
    },
    () => openOrders.compareSoon(),
  )
  const drift = new BrokerDrift({
    clock,
    store: new DriftStore(db),
    journal,
    broker: liveOrders(brokers, parts.foundation.instruments),
    noteBook: (orders) => brokers.noteBook(orders),
    hasInstruments: () => parts.foundation.instruments.status().record?.brokerId === brokers.brokerId,
    hasEnded: (contract) => hasEnded(parts.foundation.instruments, contract, sessionDate(clock.now())),
    publish: (event) => parts.events.bus.publish('broker_drift', event),
  })
  const openOrders = new OpenOrders({
    clock,
    log,
    journal,
    updates,
    drift,
    gtts,
    broker: brokers,
    sessionOf: (exchange, date) => parts.foundation.calendar.sessionOf(exchange, date),
    publish: (broker, order) => publishOrderUpdate(parts.events.bus, broker, order),
  })
  await startBrokers(parts, updates, { runs: strategyOrders, sandbox })
  return {
    journal,
    orderTrace,
    sandbox,
    risk,
    approvals,
    orders,
    updates,
    openOrders,
    drift,
    account: new AccountViews({
      mode,
      broker: brokers,
      sandbox,
      journal,
      contractValue,
    }),
    margins: new Margins({ mode, broker: brokers, sandbox: execution }),
  }
}

async function openSandbox(
  { clock, log, stores, foundation, events, market }: TradingParts,
  stopped: Veto,
  listeners: Required<Pick<SandboxOptions, 'onOrders' | 'onReset'>>,
): Promise<Sandbox> {
  const { calendar, instruments } = foundation
  const sandbox = await Sandbox.open({
    db: stores.databases.sandbox,
    clock,
    instruments: instruments.directory,
    calendar,
    market: {
      quote: (ref, needs) => market.market.quote(ref, needs).catch(() => undefined),
      fresh: (ref, needs) => market.market.fresh(ref, needs),
      priceBand: (ref) => market.market.priceBand(ref),
      watch: (ref, listener) => market.hub.subscribe([ref], 2, listener),
      alwaysOpen: market.alwaysOpen,
    },
    stopped,
    ...listeners,
    publish: (event) => publishSandboxEvent(events.bus, event),
    log,
  })
  calendar.onChange(() => sandbox.reschedule())
  return sandbox
}

function openApprovals({
  config,
  clock,
  log,
  stores,
  foundation,
  events,
  market,
  stopping,
}: TradingParts): Promise<Approvals> {
  return Approvals.open({
    database: stores.databases.svc,
    clock,
    settings: {
      expirySeconds: config.APPROVAL_EXPIRY_SECONDS,
      maxDriftPercent: config.APPROVAL_MAX_DRIFT_PERCENT,
    },
    events: events.bus,
    log,
    lastPrice: market.prices.quoted,
    lastPrices: (refs) =>
      lastPrices({ clock, instruments: foundation.instruments, market: market.market }, refs),
    orderMode: (userId) => foundation.identity.apiKeys.orderMode(userId),
    hasApiKey: (userId) => foundation.identity.apiKeys.has(userId),
    tradingMode: foundation.mode,
    assistantsPropose: () => foundation.settings.get().mcpQueueWrites,
    stopping,
  })
}

interface OrderPathParts {
  journal: OrderJournal
  sandbox: Sandbox
  risk: RiskGate
  approvals: Approvals
  execution: ReturnType<typeof sandboxExecution>
}

/** Opens the order path over the parts that an order passes. */
function orderPathOf(
  {
    config,
    clock,
    log,
    stores,
    foundation,
    events: { bus, latency, orderCounts, requests },
    market,
    stopping,
  }: TradingParts,
  { journal, sandbox, risk, approvals, execution }: OrderPathParts,
) {
  const { prices } = market
  const publish = (event: OrderEvent) => {
    orderCounts.add(event)
    publishOrderEvent(bus, event)
  }
  return openOrderPath({
    db: stores.databases.svc,
    clock,
    journal,
    risk,
    broker: liveOrders(market.brokers, foundation.instruments),
    sandbox: execution,
    gtts: sandbox.gtt,
    options: market.optionResolver,
    queue: approvals,
    settleApproval: (id, result) => approvals.settle(id, result),
    sessionOf: (exchange, date) => foundation.calendar.sessionOf(exchange, date),
    splitPauseMs: splitPauseMs(config),
    stopping,
    ports: {
      mode: foundation.mode,
      publish,
      publishFault: (call, error) => publishFault(publish, foundation.mode(), call, error),
      queuePrice: (ref: SymbolRef) =>
        prices.recent(ref) ?? (config.APPROVAL_MAX_DRIFT_PERCENT > 0 ? prices.quoted(ref) : undefined),
      quote: prices.quoted,
      priceBand: (ref) => market.market.priceBand(ref),
      instrument: ({ symbol, exchange }) => {
        const { directory } = foundation.instruments
        const found = directory.find(symbol, exchange)
        return found && { ...found, freezeQuantity: directory.freezeQuantity(found) }
      },
      unlisted: (ref) => unlistedAt(market.brokers.brokerId, foundation.instruments, ref),
      largestOrder: (ref) => largestOrderOf(foundation.instruments.directory, ref),
      timed: (order) => latency.record(latencyOf(order)),
      refused: (order) => requests.record(refusedRow(order, clock)),
      log,
    },
  })
}

/** The instruments of another broker say nothing about the symbols of this one. */
function unlistedAt(brokerId: string, instruments: Instruments, ref: SymbolRef): Promise<string> | undefined {
  return instruments.status().record?.brokerId === brokerId ? unlistedText(instruments, ref) : undefined
}

/** Returns whether a contract expired before a date, or is listed no more. Shares do not expire. */
function hasEnded(
  { directory }: Instruments,
  { exchange, symbol }: { exchange: string; symbol: string },
  date: string,
): boolean {
  if (exchange === '') return false
  const listed = directory.find(symbol, exchange)
  return listed === undefined || (expiryToDate(listed.expiry) ?? date) < date
}

/** Every order passes here. The members are written out because a spread costs ten times as much. */
function latencyOf(timed: TimedOrder): LatencySample {
  const { error, operation } = timed
  return {
    orderType: orderOperation(operation)?.latencyKind ?? operation.toUpperCase(),
    orderId: timed.orderId,
    userId: timed.userId,
    broker: timed.broker,
    symbol: timed.symbol,
    source: timed.source,
    totalMs: timed.totalMs,
    rttMs: timed.rttMs,
    validationMs: timed.validationMs,
    responseMs: timed.responseMs,
    end: error === undefined ? 'succeeded' : 'refused',
    error,
  }
}

/** The parts that follow the broker. */
interface OfBroker {
  runs: Pick<StrategyOrders, 'noteBroker' | 'noteSessionEnd' | 'heldAt'>
  sandbox: Pick<Sandbox, 'forgetTicks'>
}

/**
 * Connects the active broker, and passes its ticks to the hub and its order updates to the journal and event
 * bus.
 */
function startBrokers(
  { clock, events, market: { brokers, hub } }: TradingParts,
  updates: OrderUpdates,
  { runs, sandbox }: OfBroker,
): Promise<void> {
  let wasBarred = false
  return brokers.start({
    onTick: (tick) => hub.publish(tick),
    onBrokerChanged: (former) => {
      hub.forget()
      sandbox.forgetTicks()
      hub.attach(undefined)
      const unprotected = runs.noteSessionEnd(former, `svc broker use ${former}`)
      if (unprotected.length > 0)
        events.bus.publish('broker_session', { ...leftBroker(former, clock.now()), unprotected })
    },
    onConnected: (client) => {
      hub.attach(client.ticks)
      runs.noteBroker()
    },
    onSession: (status) => {
      const isOver = !hasSession(status.state)
      if (isOver) hub.attach(undefined)
      const isBarred = status.state === 'ip_not_allowed'
      const barred = isBarred ? runs.heldAt(status.broker) : []
      const unprotected = isOver ? runs.noteSessionEnd(status.broker, status.nextStep ?? '') : barred
      // Exits that were refused because of the address go out now.
      if (wasBarred && !isOver && !isBarred) runs.noteBroker()
      wasBarred = isBarred
      events.bus.publish('broker_session', { ...describeSession(status), unprotected })
    },
    onOrderUpdate: (broker, order) => {
      updates.apply(broker, order)
      publishOrderUpdate(events.bus, broker, order)
    },
    onUpdateLost: () => updates.noteLost(),
  })
}

/**
 * Returns the pause between the parts of a split order that keeps them within the first window of the order
 * limit.
 */
function splitPauseMs({ ORDER_RATE_LIMIT: [first] }: Config): number {
  return 1000 / (first?.count ?? 10)
}
