export const HOLIDAY_TYPES = ['TRADING_HOLIDAY', 'SETTLEMENT_HOLIDAY', 'SPECIAL_SESSION'] as const
export type HolidayType = (typeof HOLIDAY_TYPES)[number]

/** Exchanges that holidays can name (specification, "Holiday exchange entry"). */
export const HOLIDAY_EXCHANGES = ['NSE', 'BSE', 'NFO', 'BFO', 'MCX', 'CDS', 'BCD'] as const

/** Exchanges with hours of their own, in the order in which answers list them. */
export const TIMED_EXCHANGES = ['NSE', 'BSE', 'NFO', 'BFO', 'MCX', 'BCD', 'CDS', 'NCO', 'CRYPTO'] as const

/** When an exchange trades: epoch milliseconds, both ends included. */
export interface TradingWindow {
  open: number
  close: number
}

/** What a holiday means for one exchange. */
export interface HolidayExchange {
  exchange: string
  isOpen: boolean
  /** Epoch milliseconds; undefined where the exchange stays closed. */
  start: number | undefined
  end: number | undefined
}

export interface Holiday {
  id: number
  /** `YYYY-MM-DD`, in IST. */
  date: string
  description: string
  type: HolidayType
  /** Exchanges that are not named keep their usual hours (except on a special session). */
  exchanges: readonly HolidayExchange[]
}

export type NewHoliday = Omit<Holiday, 'id'>

/** The usual hours of an exchange, `HH:MM` in IST. */
export interface Timing {
  exchange: string
  start: string
  end: string
}
