import { ServiceError } from '../../../errors/index.js'
import { EXCHANGES } from '../../../instruments/index.js'
import { HOUR_MS, MINUTE_MS } from '../../../time/index.js'
import { type CsvRow, csvRows, type ReplayFile } from './csv-table.js'

/** A recorded bar. `time` is its start, in milliseconds since 1970. */
export interface Bar {
  time: number
  open: number
  high: number
  low: number
  close: number
}

/** The bars of one contract, oldest first. */
export interface Series {
  /** `NFO:NIFTY24NOV26FUT`. */
  key: string
  symbol: string
  exchange: string
  /** Units of one lot. Null if no row has it. */
  lotSize: number | null
  bars: readonly Bar[]
}

/** The recorded market of a replay. */
export interface Recording {
  /** Sorted by key, so that the order of the files does not matter. */
  series: readonly Series[]
  /** The length of a bar. */
  intervalMs: number
}

/** A file of bars. The contract is for a file without the columns symbol and exchange. */
export interface BarFile extends ReplayFile {
  contract?: { symbol: string; exchange: string } | undefined
}

const COLUMNS = {
  time: ['time', 'timestamp', 'datetime'],
  symbol: ['symbol'],
  exchange: ['exchange'],
  open: ['open'],
  high: ['high'],
  low: ['low'],
  close: ['close'],
  volume: ['volume'],
  lot_size: ['lot_size', 'lotsize'],
} as const
const PRICES = ['time', 'open', 'high', 'low', 'close'] as const
const SYMBOL = /^[A-Z0-9&_.-]{1,64}$/
const MAX_BARS = 5_000_000
/** In a longer bar a price may lie on either side of an entry or exit time. */
const LONGEST_INTERVAL_MS = HOUR_MS

interface Draft {
  symbol: string
  exchange: string
  lotSize: number | null
  bars: Map<number, Bar>
}

/**
 * Reads recorded bars. Rows and files may have any order; a bar that is given twice must be the same both times.
 * @param intervalMs the length of a bar; by default the shortest distance between two bars of a contract
 * @throws ServiceError `validation` with file, line and column of the fault
 */
export function readBars(files: readonly BarFile[], intervalMs?: number): Recording {
  const drafts = new Map<string, Draft>()
  let count = 0
  for (const file of files) {
    const required = file.contract ? PRICES : [...PRICES, 'symbol', 'exchange']
    for (const row of csvRows(file, COLUMNS, required)) {
      if (++count > MAX_BARS) throw refused(`The files have more than ${MAX_BARS} bars`)
      addRow(drafts, row, file.contract)
    }
  }
  if (count === 0) throw refused('The files have no bars')
  const series = [...drafts].map(([key, draft]) => seriesOf(key, draft)).sort(byKey)
  return { series, intervalMs: intervalOf(series, intervalMs) }
}

function addRow(drafts: Map<string, Draft>, row: CsvRow, contract: BarFile['contract']): void {
  const { symbol, exchange } = contract ?? contractOf(row)
  const key = `${exchange}:${symbol}`
  const draft = drafts.get(key) ?? { symbol, exchange, lotSize: null, bars: new Map<number, Bar>() }
  drafts.set(key, draft)
  const lotSize = lotSizeOf(row)
  if (lotSize !== null && draft.lotSize !== null && lotSize !== draft.lotSize) {
    throw row.fault('lot_size', `must be the same in every row of ${key}, ${draft.lotSize} so far`)
  }
  draft.lotSize ??= lotSize
  const bar = barOf(row)
  const other = draft.bars.get(bar.time)
  if (other && !isSame(bar, other)) {
    throw row.fault('time', `repeats a bar of ${key} with other prices`)
  }
  draft.bars.set(bar.time, bar)
}

function contractOf(row: CsvRow): { symbol: string; exchange: string } {
  const symbol = row.text('symbol').toUpperCase()
  const exchange = row.text('exchange').toUpperCase()
  if (!SYMBOL.test(symbol)) throw row.fault('symbol', 'must be a symbol')
  if (!EXCHANGES.some((one) => one === exchange)) {
    throw row.fault('exchange', `must be one of ${EXCHANGES.join(', ')}`)
  }
  return { symbol, exchange }
}

function lotSizeOf(row: CsvRow): number | null {
  const text = row.text('lot_size')
  if (text === '') return null
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text)
  throw row.fault('lot_size', 'must be a whole number above 0')
}

function barOf(row: CsvRow): Bar {
  const bar = {
    time: row.time('time'),
    open: row.price('open'),
    high: row.price('high'),
    low: row.price('low'),
    close: row.price('close'),
  }
  if (bar.high < Math.max(bar.open, bar.close)) {
    throw row.fault('high', 'must not be below open or close')
  }
  if (bar.low > Math.min(bar.open, bar.close)) {
    throw row.fault('low', 'must not be above open or close')
  }
  return bar
}

const isSame = (a: Bar, b: Bar): boolean =>
  a.open === b.open && a.high === b.high && a.low === b.low && a.close === b.close

function seriesOf(key: string, { bars, exchange, lotSize, symbol }: Draft): Series {
  const sorted = [...bars.values()].sort((a, b) => a.time - b.time)
  return { key, symbol, exchange, lotSize, bars: sorted }
}

const byKey = (a: Series, b: Series): number => (a.key < b.key ? -1 : 1)

/** Returns the common interval of all series. Two of them would mix prices of different times. */
function intervalOf(series: readonly Series[], given: number | undefined): number {
  const gaps = series.map(shortestGap)
  const interval = given ?? Math.min(...gaps.map((gap) => gap ?? Number.POSITIVE_INFINITY))
  if (interval === Number.POSITIVE_INFINITY) return MINUTE_MS
  if (interval > LONGEST_INTERVAL_MS) {
    throw refused(`The bars are ${minutes(interval)} apart; a replay takes bars of at most 1 hour`)
  }
  for (const [index, { key }] of series.entries()) {
    const gap = gaps[index]
    if (gap !== undefined && gap < interval) {
      throw refused(
        `The bars of ${key} are ${minutes(gap)} apart, less than the interval of ${minutes(interval)}`,
      )
    }
    if (given === undefined && gap !== undefined && gap > interval) {
      throw refused(
        `The bars of ${key} are ${minutes(gap)} apart, those of another contract ${minutes(interval)}. ` +
          'Give bars of one interval, or name it with --interval if bars are missing',
      )
    }
  }
  return interval
}

function shortestGap({ bars }: Series): number | undefined {
  let shortest: number | undefined
  for (let at = 1; at < bars.length; at++) {
    const [before, after] = [bars[at - 1], bars[at]]
    if (!before || !after) continue
    const gap = after.time - before.time
    if (shortest === undefined || gap < shortest) shortest = gap
  }
  return shortest
}

const minutes = (ms: number): string => `${Number((ms / MINUTE_MS).toFixed(2))} min`

const refused = (message: string) => new ServiceError('validation', message)
