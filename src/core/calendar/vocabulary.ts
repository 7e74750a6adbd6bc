/* The words of the calendar. This file loads nothing, so that the command line and the terminal program use it too. */

export const HOLIDAY_TYPES = ['TRADING_HOLIDAY', 'SETTLEMENT_HOLIDAY', 'SPECIAL_SESSION'] as const
export type HolidayType = (typeof HOLIDAY_TYPES)[number]

/** Exchanges that a holiday entry can list. */
export const HOLIDAY_EXCHANGES = ['NSE', 'BSE', 'NFO', 'BFO', 'MCX', 'CDS', 'BCD'] as const

/** Exchanges with their own hours, in the order of the API responses. */
export const TIMED_EXCHANGES = ['NSE', 'BSE', 'NFO', 'BFO', 'MCX', 'BCD', 'CDS', 'NCO', 'CRYPTO'] as const
