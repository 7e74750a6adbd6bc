import type { HolidayType } from './vocabulary.js'

export { HOLIDAY_EXCHANGES, HOLIDAY_TYPES, type HolidayType, TIMED_EXCHANGES } from './vocabulary.js'

/** The years of the calendar. */
export const CALENDAR_YEARS = { first: 2020, last: 2050 } as const

/**
 * How much of a year's holidays the calendar has: the exchanges' own list, only some days, or none. A holiday
 * that is missing counts as a trading day.
 */
export type YearCoverage = 'complete' | 'partial' | 'none'

/** A year whose holidays are not complete. */
export interface YearGap {
  year: number
  coverage: Exclude<YearCoverage, 'complete'>
  /** A sentence for users. */
  warning: string
}

/** The hours of an exchange in epoch milliseconds, both ends inclusive. */
export interface TradingWindow {
  open: number
  close: number
}

/** The effect of a holiday on one exchange. */
export interface HolidayExchange {
  exchange: string
  isOpen: boolean
  /** Epoch milliseconds; undefined if the exchange stays closed. */
  start: number | undefined
  end: number | undefined
}

export interface Holiday {
  id: number
  /** `YYYY-MM-DD`, in IST. */
  date: string
  description: string
  type: HolidayType
  /** Exchanges that are not listed have their usual hours, except on a special session. */
  exchanges: readonly HolidayExchange[]
}

export type NewHoliday = Omit<Holiday, 'id'>

/** The usual hours of an exchange, `HH:MM` in IST. */
export interface Timing {
  exchange: string
  start: string
  end: string
}

export interface StoredTiming extends Timing {
  id: number
}
