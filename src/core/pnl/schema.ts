import type { SymbolRef } from '../market/schema.js'
import type { Money } from '../money/index.js'
import type { Action } from '../orders/schema.js'

/** The calendar days in which a market trades at least once. */
export const LONGEST_BREAK_DAYS = 14

/** A row of a trade book. The first of the three times that can be read counts. */
export interface TradeRow extends SymbolRef {
  action: string
  /** 0 if the book has only the value of the trade. */
  quantity: number
  average_price: number
  trade_value?: number | undefined
  /** A text of {@link parseTradeTime}, or an epoch. */
  timestamp?: string | number | undefined
  fill_timestamp?: string | number | undefined
  fill_time?: string | number | undefined
}

/** A row of a position book. A contract has one row per product. */
export interface PositionRow extends SymbolRef {
  product: string
  /** Signed net quantity. */
  quantity: number
  /** In rupees; 0 without a price. */
  ltp: number
  /** Profit in rupees. */
  pnl: number
  /** The part of the profit that the open quantity has. */
  unrealized: number
}

/** The trade book and the position book of an account, read at one moment. */
export interface DayBooks {
  trades: readonly TradeRow[]
  positions: readonly PositionRow[]
}

/** A trade with a known time. */
export interface Trade {
  action: Action
  /** Hundred-millionths of a unit of the underlying. */
  units: bigint
  price: Money
  /** Epoch milliseconds. */
  at: number
}

/**
 * A quantity that was held from one trade to another. A window opened by BUY is long, one by SELL is short.
 * Times are epoch milliseconds.
 */
export interface Window {
  action: Action
  /** Hundred-millionths of a unit of the underlying. */
  units: bigint
  price: Money
  start: number
  /** Null while the window is open, like {@link exitPrice}. */
  end: number | null
  exitPrice: Money | null
}

/** The closes of one-minute bars, oldest first. */
export interface MinuteCloses {
  /** The instants at which the bars open, in epoch milliseconds. */
  readonly stamps: readonly number[]
  readonly closes: readonly Money[]
}

/** A point of a series: epoch milliseconds, and rupees rounded to paise. */
export interface PnlPoint {
  time: number
  value: number
}

/** The profit and loss of a day. Amounts are rupees rounded to paise; times are `HH:MM` in IST. */
export interface PnlDay {
  current_mtm: number
  max_mtm: number
  max_mtm_time: string | null
  min_mtm: number
  min_mtm_time: string | null
  /** The largest fall from a peak: zero or negative. */
  max_drawdown: number
  pnl_series: PnlPoint[]
  drawdown_series: PnlPoint[]
}

/** The newest known day of an account. */
export interface LatestDay {
  /** Undefined until the first day has been read. */
  day?: PnlDay
  /** When the books of the day were read, in epoch milliseconds. */
  asOf?: number
  /** Whether a newer day is being read. */
  isReading: boolean
}
