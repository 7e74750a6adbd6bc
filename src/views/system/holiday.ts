import type { RouteAnswer } from '../../client/endpoints.js'
import { HOLIDAY_EXCHANGES } from '../../core/calendar/vocabulary.js'
import { istTime } from '../../core/time/index.js'
import type { Column } from '../table/column.js'

export const HOLIDAY_TYPES: Readonly<Record<string, string>> = {
  trading: 'TRADING_HOLIDAY',
  settlement: 'SETTLEMENT_HOLIDAY',
  special: 'SPECIAL_SESSION',
}

const HOURS = /^([A-Za-z]+)=([^-]+)-([^-]+)$/

export const HOLIDAY_COLUMNS = [
  { key: 'id', kind: 'quantity' },
  { key: 'date' },
  { key: 'day_name', title: 'DAY', leaves: 2 },
  { key: 'description' },
  { key: 'holiday_type', title: 'TYPE', leaves: 1 },
  { key: 'closed' },
  { key: 'open' },
] as const satisfies readonly Column[]

/** Returns the entries of a year with their exchanges in words. */
export function holidayRows({ data }: Pick<RouteAnswer<'GET /admin/api/holidays'>, 'data'>) {
  return data.map((row) => ({
    ...row,
    closed: exchangesText(row.closed_exchanges, ' '),
    open: openText(row.open_exchanges),
  }))
}

/** Returns the exchanges with hours of their own, those with the same hours together: `NSE,BSE 18:00-19:15`. */
function openText(open: readonly { exchange: string; start_time: number; end_time: number }[]): string {
  const byHours = new Map<string, string[]>()
  for (const { exchange, start_time: start, end_time: end } of open) {
    const hours = `${istTime(start).slice(0, 5)}-${istTime(end).slice(0, 5)}`
    byHours.set(hours, [...(byHours.get(hours) ?? []), exchange])
  }
  return [...byHours].map(([hours, exchanges]) => `${exchangesText(exchanges, ',')} ${hours}`).join('; ')
}

/** Returns a list of exchanges, a long one in words: both lists of a day fit a terminal of 80 columns. */
function exchangesText(exchanges: readonly string[], separator: string): string {
  const [first, ...others] = HOLIDAY_EXCHANGES.filter((exchange) => !exchanges.includes(exchange))
  if (first === undefined) return 'all'
  return others.length === 0 ? `all but ${first}` : exchanges.join(separator)
}

/** Parses `MCX=17:00-23:55`; undefined for another text. The daemon checks the times. */
export function hoursOf(text: string) {
  const [, exchange, start, end] = HOURS.exec(text) ?? []
  if (exchange === undefined || start === undefined || end === undefined) return undefined
  return { exchange, start_time: start, end_time: end }
}
