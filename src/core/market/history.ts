import { ServiceError, validationError } from '../errors/index.js'
import { DAY_MS, IST_OFFSET_MS, istDate, istInstant } from '../time/index.js'
import type { ListedMarket } from './listed.js'
import type { MarketData } from './quotes.js'
import type { Candle, SymbolRef } from './schema.js'

/** Every interval of the public API. A broker supports some of them. */
export const INTERVALS = [
  ...['1s', '5s', '10s', '15s', '30s', '45s'],
  ...['1m', '2m', '3m', '5m', '10m', '15m', '20m', '30m'],
  ...['1h', '2h', '3h', '4h'],
  ...['D', 'W', 'M', 'Q', 'Y'],
] as const

/** The maximum number of days per request, enough for a chart and bounded to protect the memory. */
const MAX_DAYS = { intraday: 366, daily: 7305 } as const

export interface HistoryQuery extends SymbolRef {
  interval: string
  /** IST dates, `YYYY-MM-DD`, both inclusive. */
  from: string
  to: string
}

/**
 * Returns bars with the timestamps of the public API, ascending and distinct. Bars of a day or longer have
 * midnight UTC of their Indian date, so that a client shows the date without converting it. Shorter bars have
 * the instant they open. The list may be frozen, and the same one again.
 * @throws ServiceError `validation` for a symbol that is not listed, an interval the broker does not support,
 * or dates that are out of order or too far apart
 */
export async function history(
  listed: Pick<ListedMarket, 'requireListed'>,
  market: Pick<MarketData, 'history'>,
  query: HistoryQuery,
): Promise<readonly Candle[]> {
  checkRange(query)
  listed.requireListed(query)
  const bars = await market.history(query)
  const dated = isDaily(query.interval)
    ? bars.map((bar) => ({ ...bar, timestamp: bar.timestamp + IST_OFFSET_MS / 1000 }))
    : bars
  return distinct(dated)
}

/** Returns whether bars of this interval are days, weeks, months, quarters or years. */
export function isDaily(interval: string): boolean {
  return /^[DWMQY]$/.test(interval)
}

/** Returns the date `days` before another date. */
export function daysBefore(date: string, days: number): string {
  return istDate(istInstant(date) - days * DAY_MS)
}

/**
 * Returns the error for a request of locally stored bars. The service stores none; existing clients know this
 * text.
 */
export function noStoredBars({ symbol, exchange, interval }: HistoryQuery): ServiceError {
  return new ServiceError(
    'not_found',
    `No data found for ${symbol}:${exchange} interval ${interval} in local database. This service stores no bars: ask with source "api".`,
  )
}

/** Groups the broker's intervals by unit, shortest first. Quarters and years are never listed. */
export function intervalsByUnit(intervals: readonly string[]) {
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

/** The frozen lists that are known to be in order. */
const inOrder = new WeakSet<readonly Candle[]>()

function isAscending(bars: readonly Candle[]): boolean {
  if (inOrder.has(bars)) return true
  let last = Number.NEGATIVE_INFINITY
  for (const { timestamp } of bars) {
    if (timestamp <= last) return false
    last = timestamp
  }
  if (Object.isFrozen(bars)) inOrder.add(bars)
  return true
}

function distinct(bars: readonly Candle[]): readonly Candle[] {
  if (isAscending(bars)) return bars
  const byTime = new Map(bars.map((bar) => [bar.timestamp, bar]))
  return [...byTime.values()].sort((a, b) => a.timestamp - b.timestamp)
}
