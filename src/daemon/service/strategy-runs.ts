import type { BrokerService } from '../../core/brokers/index.js'
import type { Calendar } from '../../core/calendar/index.js'
import type { Config } from '../../core/config/index.js'
import type { EventBus } from '../../core/events/index.js'
import type { Identity } from '../../core/identity/index.js'
import { type Instruments, largestOrderOf } from '../../core/instruments/index.js'
import type { Logger } from '../../core/logging/index.js'
import type { MarketData, TickHub } from '../../core/market/index.js'
import type { OpenOrders, OrderPath } from '../../core/orders/index.js'
import { type Sandbox, usualSquareOff } from '../../core/sandbox/index.js'
import type { Database } from '../../core/storage/index.js'
import {
  type RunMode,
  type RunPublisher,
  RunService,
  RunStore,
  resolveLegs,
  type StrategyEvent,
  type TradingRules,
} from '../../core/strategies/index.js'
import { type Clock, SECOND_MS, utcIso } from '../../core/time/index.js'
import type { TradingMode } from '../../core/trading/index.js'
import { liveOrders } from './ports.js'

interface RunParts {
  databases: { svc: Database }
  clock: Clock
  config: Config
  log: Logger
  bus: EventBus
  orders: OrderPath
  openOrders: Pick<OpenOrders, 'compareSoon'>
  sandbox: Pick<Sandbox, 'intradayEnds'>
  mode(): TradingMode
  brokers: BrokerService
  identity: Pick<Identity, 'apiKeys'>
  instruments: Instruments
  calendar: Calendar
  hub: TickHub
  market: MarketData
  /** Returns whether a broker, by default the active one, is an exchange that never closes. */
  alwaysOpen(broker?: string): boolean
}

/** Opens the runs of strategies on the parts of the service. They do nothing until they are recovered. */
export function openStrategyRuns(parts: RunParts): RunService {
  const { brokers, calendar, clock, config, hub, identity, instruments, log, market } = parts
  return new RunService(
    {
      clock,
      log,
      mode: parts.mode,
      orders: parts.orders.strategyOrders,
      compareSoon: () => parts.openOrders.compareSoon(),
      broker: liveOrders(brokers, instruments),
      hasApiKey: (userId) => identity.apiKeys.reveal(userId) !== undefined,
      resolve: async (strategy, mode) => {
        const { directory: catalog } = instruments
        const rules = await tradingRules(parts, mode)
        const sources = { ...rules, catalog, almanac: calendar, quote: market.quote.bind(market) }
        return resolveLegs(strategy, sources, clock.now())
      },
      limits: async (mode, broker) => ({ ...(await tradingRules(parts, mode, broker)), almanac: calendar }),
      market: {
        watch: (ref, listener) => hub.subscribe([ref], 2, listener),
        quotes: (refs) => market.quotes(refs),
      },
      calendar: {
        isOpen: (exchange, at, broker) => parts.alwaysOpen(broker) || calendar.isOpen(exchange, at),
        isTradingDay: (exchange, date) => parts.alwaysOpen() || calendar.isTradingDay(exchange, date),
        close: (exchange, date) => closeOf(parts, exchange, date),
      },
      publish: strategyNews(parts.bus),
    },
    new RunStore(parts.databases.svc),
    {
      staleMs: config.STRATEGY_TICK_STALE_THRESHOLD_SEC * SECOND_MS,
      pollMs: config.STRATEGY_TICK_POLL_INTERVAL_SEC * SECOND_MS,
      pollBatch: config.STRATEGY_TICK_POLL_BATCH_MAX,
      fatalMs: config.STRATEGY_TICK_STALE_FATAL_SEC * SECOND_MS,
    },
  )
}

/**
 * Returns the rules for open positions. Positions of product MIS end at the square-off of the sandbox, or for a live run at
 * the usual time of brokers. A market that never closes ends none.
 */
async function tradingRules(parts: RunParts, mode: RunMode, broker?: string): Promise<TradingRules> {
  const { alwaysOpen, calendar, instruments, sandbox } = parts
  return {
    close: (exchange, date) => closeOf(parts, exchange, date, broker),
    largestOrder: (contract) => largestOrderOf(instruments.directory, contract),
    intradayEnd:
      mode === 'sandbox'
        ? await sandbox.intradayEnds()
        : (exchange, date) => (alwaysOpen(broker) ? undefined : usualSquareOff(calendar, exchange, date)),
  }
}

function closeOf(
  { alwaysOpen, calendar }: RunParts,
  exchange: string,
  date: string,
  broker?: string,
): number | undefined {
  return alwaysOpen(broker) ? undefined : calendar.sessionOf(exchange, date)?.close
}

/** Publishes stored changes of runs and of configurations. */
interface StrategyNews extends RunPublisher {
  event(userId: string, event: StrategyEvent): void
}

/** Returns the publisher of stored changes. The bus may drop an event for clients; the rows stay. */
export function strategyNews(bus: EventBus): StrategyNews {
  return {
    event: (userId, event) =>
      bus.publishPaced('strategy_event', {
        user_id: userId,
        strategy_id: event.strategyId,
        run_id: event.runId,
        ts: utcIso(event.ts),
        kind: event.kind,
        severity: event.severity,
        leg_id: event.legId,
        message: event.message,
        payload: event.payload,
      }),
    order: (userId, strategyId, runId, change) =>
      bus.publishPaced('strategy_order_update', {
        user_id: userId,
        strategy_id: strategyId,
        run_id: runId,
        order_ref: change.orderRef,
        order_id: change.orderId,
        status: change.status,
        filled_qty: change.filledQuantity,
        avg_fill_price: change.averagePrice,
        reason: change.reason,
      }),
    run: (userId, run) =>
      bus.publishPaced('strategy_run_update', {
        user_id: userId,
        strategy_id: run.strategyId,
        run_id: run.runId,
        state: run.state,
        stop_reason: run.stopReason,
        mtm_realized: run.realized,
        mtm_unrealized: run.unrealized,
        mtm_total: run.total,
        peak: run.peak,
        trough: run.trough,
      }),
  }
}
