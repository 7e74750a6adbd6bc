import type { Logger } from '../../logging/index.js'
import type { Quote, SymbolRef, Tick } from '../../market/schema.js'
import type { StrategyOrders } from '../../orders/index.js'
import type { Clock } from '../../time/index.js'
import type { TradingMode } from '../../trading/index.js'
import type { StrategyConfig } from '../config/index.js'
import type { RunSnapshot } from '../engine/types.js'
import type { ResolvedLegs, ResolveFailure } from '../resolve/index.js'
import type { NewRunEvent, OrderRowChange } from './run-store.js'

/** Everything the runs of strategies need from the rest of the service. */
export interface RunPorts {
  clock: Clock
  log: Logger
  orders: StrategyOrders
  /** The mode of the service. */
  mode(): TradingMode
  /** The active broker. `requireReady` throws if it takes no new orders. */
  broker: { readonly brokerId: string; requireReady(): void }
  hasApiKey(userId: string): boolean
  resolve(config: StrategyConfig): Promise<ResolvedLegs | { failure: ResolveFailure }>
  market: {
    /** Calls the listener with each tick until the returned function is called. @throws if the feed refuses */
    watch(ref: SymbolRef, listener: (tick: Tick) => void): () => void
    quotes(refs: readonly SymbolRef[]): Promise<(Quote | { error: string })[]>
  }
  calendar: {
    isOpen(exchange: string, at?: number): boolean
    isTradingDay(exchange: string, date: string): boolean
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
