import { EXCHANGES } from '../../../instruments/schema.js'
import { addDays, istDate } from '../../../time/index.js'
import { parseNumber } from '../../language/numbers.js'
import { NodeError, type NodeRun } from '../definition.js'
import type { Field } from '../field.js'
import { INTERVAL, SYMBOL } from '../form.js'
import { number } from '../output.js'
import { rowsOf } from '../shared.js'

/** Most bars in the result of a node. */
export const MAX_BARS = 200
const MOST_DAYS = 4000

export interface Bar {
  /** Start of the bar, in epoch seconds. */
  timestamp: number
  open: number
  high: number
  low: number
  close: number
  volume: number
  oi?: number
}

interface BarQuery {
  symbol: string
  exchange: string
  interval: string
  /** `api` reads from the broker, `db` from the stored bars. */
  source: string
  /** First and last day, YYYY-MM-DD. */
  from: string
  to: string
}

/** Approximate number of bars in a trading day, to compute the days to request. */
const BARS_PER_DAY: Readonly<Record<string, number>> = {
  '1m': 375,
  '3m': 125,
  '5m': 75,
  '10m': 38,
  '15m': 25,
  '30m': 13,
  '1h': 7,
  '2h': 4,
  '3h': 3,
  '4h': 2,
  D: 1,
  W: 0.2,
  M: 0.05,
  Q: 0.016,
  Y: 0.004,
}

/** Returns the number of days to request for `bars` bars, with a reserve for holidays and weekends. */
export function windowDays(bars: number, interval: string): number {
  const perDay = Object.hasOwn(BARS_PER_DAY, interval) ? (BARS_PER_DAY[interval] ?? 75) : 75
  return Math.min(MOST_DAYS, Math.ceil((bars / perDay) * 1.6 + 5))
}

/** Returns the days that hold the newest `bars` bars, up to today in IST. */
export function newestDays(run: NodeRun, bars: number, interval: string): { from: string; to: string } {
  const to = istDate(run.ports.clock.now())
  return { from: addDays(to, -windowDays(bars, interval)), to }
}

/** Returns the symbol of a node. @throws NodeError if it is blank */
export function symbolOf(run: NodeRun<'symbol'>): string {
  const symbol = run.text('symbol').trim()
  if (symbol === '') throw new NodeError('Symbol is required')
  return symbol
}

/** The bars of answers: nodes that ask for the same bars share an answer, see `BarCache`. */
const barsOfAnswers = new WeakMap<object, readonly Bar[]>()

/**
 * Reads bars, oldest first, including the one that is still forming. Nobody may change the list.
 *
 * @throws NodeError if they cannot be read or there are none
 */
export async function readBars(run: NodeRun, query: BarQuery): Promise<readonly Bar[]> {
  const { symbol, exchange, interval, source, from, to } = query
  const answer = await run.read('history', {
    symbol,
    exchange,
    interval,
    start_date: from,
    end_date: to,
    source,
  })
  if (answer.status === 'error') {
    const detail = (answer.message ?? 'no reason given').replace(/\.+$/, '')
    throw new NodeError(
      `History fetch failed for ${symbol} (${interval}): ${detail}. The intervals node lists the intervals that the broker supports`,
      { code: answer.code },
    )
  }
  const bars = barsIn(answer.data)
  if (bars.length === 0) throw new NodeError('no historical data available for this symbol/date range')
  return bars
}

function barsIn(data: unknown): readonly Bar[] {
  if (!Array.isArray(data)) return []
  const known = barsOfAnswers.get(data)
  if (known) return known
  const bars: Bar[] = []
  for (const row of rowsOf(data)) {
    const bar = barOf(row)
    if (bar) bars.push(bar)
  }
  bars.sort((a, b) => a.timestamp - b.timestamp)
  barsOfAnswers.set(data, bars)
  return bars
}

/** Converts a row of the response; undefined if a price is missing. */
function barOf(row: Readonly<Record<string, unknown>>): Bar | undefined {
  // Without lists in between: an indicator reads some hundred bars in each run.
  const timestamp = parseNumber(row.timestamp)
  const open = parseNumber(row.open)
  const high = parseNumber(row.high)
  const low = parseNumber(row.low)
  const close = parseNumber(row.close)
  if (timestamp === undefined || open === undefined || high === undefined) return undefined
  if (low === undefined || close === undefined) return undefined
  const oi = parseNumber(row.oi)
  const volume = parseNumber(row.volume) ?? 0
  return oi === undefined
    ? { timestamp, open, high, low, close, volume }
    : { timestamp, open, high, low, close, volume, oi }
}

/** Fields of all nodes that read bars. */
export const barFields = {
  symbol: { kind: 'text', required: true, form: SYMBOL, description: 'Symbol in the format of svc.' },
  exchange: {
    kind: 'text',
    required: true,
    default: 'NSE',
    choices: EXCHANGES,
    description: 'Exchange the symbol is listed on.',
  },
  source: {
    kind: 'text',
    default: 'api',
    choices: ['api', 'db'],
    description:
      'Source of the bars: `api` is the broker. `db` (stored bars) fails, because this service stores none.',
  },
} as const satisfies Record<string, Field>

export const intervalField = {
  kind: 'text',
  default: 'D',
  form: INTERVAL,
  description: 'Bar interval, one that the intervals node lists.',
} as const satisfies Field

/** Descriptions of the members of a bar. */
export const OHLCV_OUTPUT = {
  open: number('Open.'),
  high: number('High.'),
  low: number('Low.'),
  close: number('Close.'),
  volume: number('Volume.'),
} as const
