import { isNewYorkSummer, istInstant } from '../time/index.js'

/** The close of commodities in the timings table and in holiday entries: that of New York's winter. */
export const COMMODITY_CLOSE = '23:55'
/** The close while New York has daylight-saving time. */
const SUMMER_CLOSE = '23:30'
/** The exchanges whose commodities follow New York. */
const FOLLOWS_NEW_YORK: ReadonlySet<string> = new Set(['MCX', 'NCO'])

/**
 * Returns the close of an exchange's session on a date. Commodities that close at 23:55 by the calendar close at
 * 23:30 while New York has daylight-saving time. Any other close is the calendar's own, and stays.
 */
export function seasonalClose(exchange: string, date: string, close: number): number {
  if (!FOLLOWS_NEW_YORK.has(exchange) || close !== istInstant(date, COMMODITY_CLOSE)) return close
  return isNewYorkSummer(date) ? istInstant(date, SUMMER_CLOSE) : close
}
