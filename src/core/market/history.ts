import { ServiceError, validationError } from '../errors/index.js'
import { IST_OFFSET_MS, istDate, istInstant } from '../time/index.js'
import type { ListedMarket } from './listed.js'
import type { MarketData } from './quotes.js'
import type { Candle, SymbolRef } from './schema.js'

/** Every interval the interface names; a broker has some of them. */
export const INTERVALS = [
  ...['1s', '5s', '10s', '15s', '30s', '45s'],
  ...['1m', '2m', '3m', '5m', '10m', '15m', '20m', '30m'],
  ...['1h', '2h', '3h', '4h'],
  ...['D', 'W', 'M', 'Q', 'Y'],
] as const

const DAY_MS = 86_400_000
/** Days a question may span: what a chart shows, not what fills the memory. */
const MAX_DAYS = { intraday: 366, daily: 7305 } as const

export interface HistoryQuery extends SymbolRef {
  interval: string
  /** IST dates, `YYYY-MM-DD`, both included. */
  from: string
  to: string
}

/**
 * Bars as the public interface dates them: those of days and longer carry midnight UTC of their Indian date, so
 * that a client shows the date without converting it; shorter ones the instant they open. Ascending, each once.
 * @throws ServiceError `validation` for a symbol that is not listed, an interval the broker lacks, or dates that
 * are out of order or too far apart
 */
export async function history(
  listed: Pick<ListedMarket, 'requireListed'>,
  market: Pick<MarketData, 'history'>,
  query: HistoryQuery,
): Promise<Candle[]> {
  checkRange(query)
  listed.requireListed(query)
  const bars = await market.history(query)
  const dated = isDaily(query.interval)
    ? bars.map((bar) => ({ ...bar, timestamp: bar.timestamp + IST_OFFSET_MS / 1000 }))
    : bars
  return distinct(dated)
}

/** Days, weeks, months, quarters and years. */
export function isDaily(interval: string): boolean {
  return /^[DWMQY]$/.test(interval)
}

/** The date `days` before another one. */
export function daysBefore(date: string, days: number): string {
  return istDate(istInstant(date) - days * DAY_MS)
}

/** Whether a text is a date that exists, written `YYYY-MM-DD`. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const instant = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(text)
}

/** No bars are stored here; the text is the one existing clients know. */
export function nothingStored({ symbol, exchange, interval }: HistoryQuery): ServiceError {
  return new ServiceError(
    'not_found',
    `No data found for ${symbol}:${exchange} interval ${interval} in local database. Download data first using Historify.`,
  )
}

/** The broker's intervals by their unit, shortest first; quarters and years are never listed. */
export function intervalsByUnit(intervals: readonly string[]): Record<string, string[]> {
  const ofUnit = (unit: RegExp) =>
    intervals.filter((one) => unit.test(one)).sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
  return {
    seconds: ofUnit(/^\d+s$/),
    minutes: ofUnit(/^\d+m$/),
    hours: ofUnit(/^\d+h$/),
    days: ofUnit(/^D$/),
    weeks: ofUnit(/^W$/),
    months: ofUnit(/^M$/),
  }
}

function checkRange({ interval, from, to }: HistoryQuery): void {
  const days = (istInstant(to) - istInstant(from)) / DAY_MS
  if (days < 0) throw validationError({ end_date: ['Must not be before start_date.'] })
  const most = isDaily(interval) ? MAX_DAYS.daily : MAX_DAYS.intraday
  if (days >= most) {
    throw validationError({ start_date: [`At most ${most} days of ${interval} bars at once.`] })
  }
}

function distinct(bars: readonly Candle[]): Candle[] {
  const byTime = new Map(bars.map((bar) => [bar.timestamp, bar]))
  return [...byTime.values()].sort((a, b) => a.timestamp - b.timestamp)
}
