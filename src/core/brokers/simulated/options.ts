import type { Instrument } from '../../instruments/schema.js'
import type { Candle, SymbolRef } from '../../market/schema.js'
import type { SeedHolding } from './exchange/ledger.js'
import type { FaultRule } from './faults.js'
import type { SessionMode, TradingCalendar } from './market/market-sessions.js'
import type { UnderlyingOf } from './market/references.js'
import type { ScriptedStep } from './replay/price-script.js'

/** Recorded bars that replace an underlying's prices. */
export interface Replay {
  /** The symbol that quotes the underlying: NIFTY on NSE_INDEX. Its futures and options follow. */
  spot: SymbolRef
  /** Ascending one-minute bars; see `parseBars`. */
  bars: readonly Candle[]
  /** Epoch milliseconds at which the first bar plays; if omitted, the bar's own time. */
  startAt?: number
}

/** The scripted prices of one symbol. */
export interface ScriptedPrices {
  symbol: SymbolRef
  /** At least one step, in chronological order. */
  steps: readonly ScriptedStep[]
}

export interface SimulatedOptions {
  /** The same seed and clock give the same ticks. */
  seed: string
  sessions: SessionMode
  /** Whether orders are taken at all hours. If omitted, as the sessions say. */
  alwaysOpen: boolean
  /** The trading hours of the `market` mode. */
  calendar: TradingCalendar
  /** In rupees. */
  startingCash: number
  /** Shares the account owns at its first start. */
  holdings: readonly SeedHolding[]
  replays: readonly Replay[]
  /** Scripted prices of single symbols, including contracts. */
  scripts: readonly ScriptedPrices[]
  faults: readonly FaultRule[]
  underlyingOf: UnderlyingOf
  /** Returns the instrument master as of an instant (epoch milliseconds). */
  master(now: number): Iterable<Instrument[]>
}

/** A few shares, so that the portfolio of a new account is not empty. */
export const SEED_HOLDINGS: readonly SeedHolding[] = [
  { symbol: 'RELIANCE', exchange: 'NSE', quantity: 50, averagePrice: 1385.4 },
  { symbol: 'INFY', exchange: 'NSE', quantity: 80, averagePrice: 1462.75 },
  { symbol: 'ITC', exchange: 'NSE', quantity: 400, averagePrice: 402.1 },
]
/** One crore. */
export const STARTING_CASH = 10_000_000
