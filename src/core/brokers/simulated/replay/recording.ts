import { withoutByteOrderMark } from '../../../csv/index.js'
import type { Candle } from '../../../market/schema.js'
import type { MinutePath, PathSource } from '../market/minute-path.js'

/** Seconds at which a replayed minute reaches its first and its second extreme. */
const FIRST_EXTREME = 20
const SECOND_EXTREME = 40

/**
 * Recorded one-minute bars as the price of an underlying. A rising bar moves from open to low, high, close; a
 * falling one from open to high, low, close. In a minute without a bar the price stays at the last close, and
 * history has no bar.
 */
export class Recording implements PathSource {
  readonly #bars: ReadonlyMap<number, Candle>
  /** Minutes with a bar, ascending. */
  readonly #minutes: readonly number[]

  /**
   * @param bars ascending one-minute bars
   * @param startAt epoch milliseconds at which the first bar plays; if omitted, the bar's own time
   */
  constructor(bars: readonly Candle[], startAt?: number) {
    const first = bars[0]
    if (!first) throw new RangeError('a recording needs at least one bar')
    const shift = startAt === undefined ? 0 : Math.floor(startAt / 60_000) - Math.floor(first.timestamp / 60)
    this.#bars = new Map(bars.map((bar) => [Math.floor(bar.timestamp / 60) + shift, bar]))
    this.#minutes = [...this.#bars.keys()]
  }

  path(minute: number): MinutePath {
    const bar = this.#bars.get(minute)
    if (!bar) return flatMinute(minute, this.#lastCloseBefore(minute))
    const rising = bar.close >= bar.open
    return {
      minute,
      open: bar.open,
      high: bar.high,
      low: bar.low,
      close: bar.close,
      highSecond: rising ? SECOND_EXTREME : FIRST_EXTREME,
      lowSecond: rising ? FIRST_EXTREME : SECOND_EXTREME,
      seed: 0,
      volume: bar.volume > 0 ? bar.volume : undefined,
      traded: true,
    }
  }

  #lastCloseBefore(minute: number): number {
    let [low, high] = [0, this.#minutes.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#minutes[middle] ?? 0) < minute) low = middle + 1
      else high = middle
    }
    const bar = this.#bars.get(this.#minutes[Math.max(0, low - 1)] ?? 0)
    if (!bar) return 0
    return low === 0 ? bar.open : bar.close
  }
}

function flatMinute(minute: number, price: number): MinutePath {
  return {
    minute,
    open: price,
    high: price,
    low: price,
    close: price,
    highSecond: FIRST_EXTREME,
    lowSecond: SECOND_EXTREME,
    seed: 0,
    volume: undefined,
    traded: false,
  }
}

const COLUMNS = ['datetime', 'open', 'high', 'low', 'close', 'volume'] as const
/** Other names of the time: `svc history -o csv` writes `timestamp`. */
const TIME_NAMES = ['datetime', 'timestamp', 'time']

/**
 * Parses one-minute bars from CSV text with a header, as `svc history -o csv` writes it: `datetime`, `timestamp` or `time` (ISO 8601 with
 * a zone; a space may replace the `T`), `open`, `high`, `low`, `close`, `volume`, in any order. The result is sorted by time; of two bars
 * of the same minute the later row wins.
 * @throws RangeError with the line that cannot be read, or if the bars are longer than a minute
 */
export function parseBars(csv: string): Candle[] {
  const [heading = '', ...lines] = withoutByteOrderMark(csv).split(/\r?\n/)
  const names = heading.split(',').map((name) => name.trim().toLowerCase())
  const index = COLUMNS.map((column) =>
    column === 'datetime' ? names.findIndex((name) => TIME_NAMES.includes(name)) : names.indexOf(column),
  )
  const missing = COLUMNS.filter((_, i) => index[i] === -1)
  if (missing.length > 0) throw new RangeError(`the heading lacks: ${missing.join(', ')}`)
  const bars = new Map<number, Candle>()
  lines.forEach((line, i) => {
    if (line.trim() === '') return
    const cells = line.split(',')
    const [datetime = '', ...numbers] = index.map((at) => cells[at]?.trim() ?? '')
    const bar = barOf(datetime, numbers)
    if (!bar) throw new RangeError(`line ${i + 2} is not a bar: ${line.slice(0, 80)}`)
    bars.set(bar.timestamp, bar)
  })
  const sorted = [...bars.values()].sort((a, b) => a.timestamp - b.timestamp)
  requireMinutes(sorted)
  return sorted
}

/**
 * Refuses bars of another interval: each would play within its first minute, and history would show it as a bar of one minute.
 * @throws RangeError if all distances between bars are multiples of more than a minute; where only some bars are missing they
 * are not
 */
function requireMinutes(bars: readonly Candle[]): void {
  let minutes = 0
  let before: Candle | undefined
  for (const bar of bars) {
    if (before) minutes = commonDivisor((bar.timestamp - before.timestamp) / 60, minutes)
    if (minutes === 1) return
    before = bar
  }
  if (minutes === 0) return
  const length = minutes % (24 * 60) === 0 ? 'a day or more' : `${minutes} minutes`
  throw new RangeError(
    `the bars are ${length} apart; only bars of one minute can be replayed (--interval 1m)`,
  )
}

function commonDivisor(one: number, other: number): number {
  return other === 0 ? one : commonDivisor(other, one % other)
}

function barOf(datetime: string, numbers: readonly string[]): Candle | undefined {
  if (!/(Z|[+-]\d{2}:?\d{2})$/i.test(datetime)) return undefined
  const seconds = Date.parse(datetime.replace(' ', 'T')) / 1000
  const [open, high, low, close, volume] = numbers.map((text) => (text === '' ? Number.NaN : Number(text)))
  if (open === undefined || high === undefined || low === undefined || close === undefined) return undefined
  if (![seconds, open, high, low, close].every((value) => Number.isFinite(value) && value > 0))
    return undefined
  if (high < Math.max(open, close) || low > Math.min(open, close)) return undefined
  const traded = volume !== undefined && volume > 0 ? volume : 0
  return { timestamp: Math.floor(seconds / 60) * 60, open, high, low, close, volume: traded, oi: 0 }
}
