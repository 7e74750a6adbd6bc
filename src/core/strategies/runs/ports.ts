import type { Logger } from '../../logging/index.js'
import type { Quote, SymbolRef, Tick } from '../../market/schema.js'
import type { StrategyOrders } from '../../orders/index.js'
import type { Clock } from '../../time/index.js'
import type { TradingMode } from '../../trading/index.js'
import type { RunMode, StrategyConfig } from '../config/index.js'
import type { RunSnapshot } from '../engine/types.js'
import type { LimitSources, ResolvedLegs, ResolveFailure } from '../resolve/index.js'
import type { NewRunEvent, OrderRowChange } from './store/run-rows.js'

/** Everything the runs of strategies need from the rest of the service. */
export interface RunPorts {
  clock: Clock
  log: Logger
  orders: StrategyOrders
  /** Asks for a comparison with the broker's book within seconds, because an update of an order may be lost. */
  compareSoon(): void
  /** The mode of the service. */
  mode(): TradingMode
  /** The active broker. `requireReady` throws if it takes no new orders. */
  broker: { readonly brokerId: string; readonly accountId?: string | undefined; requireReady(): void }
  hasApiKey(userId: string): boolean
  resolve(config: StrategyConfig, mode: RunMode): Promise<ResolvedLegs | { failure: ResolveFailure }>
  /** Returns the calendar and the rules that the limits of legs follow from, as they are now at a broker. */
  limits(mode: RunMode, broker?: string): Promise<LimitSources>
  market: {
    /** Calls the listener with each tick until the returned function is called. @throws if the feed refuses */
    watch(ref: SymbolRef, listener: (tick: Tick) => void): () => void
    quotes(refs: readonly SymbolRef[]): Promise<readonly (Quote | { error: string })[]>
  }
  calendar: {
    /** A simulated broker may keep no hours. Without a broker those of the active one count. */
    isOpen(exchange: string, at?: number, broker?: string): boolean
    isTradingDay(exchange: string, date: string): boolean
    /** Returns when an exchange closes on a date. Undefined without a session, and for a market that never closes. */
    close(exchange: string, date: string): number | undefined
  }
  publish: RunPublisher
}

/** Tells clients of changes that are stored. Never blocks and never fails. */
export interface RunPublisher {
  event(userId: string, event: NewRunEvent): void
  order(userId: string, strategyId: number, runId: number, change: OrderRowChange): void
  run(userId: string, snapshot: RunSnapshot): void
}

/** The limits of the price feed of runs. */
export interface FeedSettings {
  /** A symbol without a streamed tick for this long is polled. */
  staleMs: number
  pollMs: number
  pollBatch: number
  /** A symbol without any price for this long is stale. */
  fatalMs: number
}
