import { addDays, istDate, istTime, weekdayOf } from '../../../time/index.js'
import { defineNode, NodeError, succeeded } from '../definition.js'
import { number, text } from '../output.js'
import { type Bar, barFields, OHLCV_OUTPUT, readBars, symbolOf } from './read-bars.js'

interface PeriodKind {
  interval: '1h' | 'D'
  /** Number of days to read. */
  days: number
  /** Returns the name of the period of an instant (epoch milliseconds). Later periods have greater names. */
  nameOf(ms: number): string
  /** Returns the displayed name of the period, from its first bar. */
  label(ms: number): string
}

const hourOf = (ms: number): string => `${istDate(ms)} ${istTime(ms).slice(0, 2)}`
const mondayOf = (date: string): string => addDays(date, 1 - weekdayOf(date))
const weekOf = (ms: number): string => {
  const monday = mondayOf(istDate(ms))
  return `${monday}/${addDays(monday, 6)}`
}
const monthOf = (ms: number): string => istDate(ms).slice(0, 7)

const PERIODS = {
  previous_hour: {
    interval: '1h',
    days: 5,
    nameOf: hourOf,
    label: (ms) => `${istDate(ms)} ${istTime(ms).slice(0, 5)}`,
  },
  previous_day: { interval: 'D', days: 10, nameOf: istDate, label: istDate },
  previous_week: { interval: 'D', days: 21, nameOf: weekOf, label: weekOf },
  previous_month: { interval: 'D', days: 60, nameOf: monthOf, label: monthOf },
} as const satisfies Record<string, PeriodKind>
const NAMES = Object.keys(PERIODS)

const isPeriod = (name: string): name is keyof typeof PERIODS => Object.hasOwn(PERIODS, name)

/** Returns the bars of the newest period before the current one; empty if there is none. */
function newestBefore(bars: readonly Bar[], kind: PeriodKind, now: number): Bar[] {
  const nameOf = (bar: Bar) => kind.nameOf(bar.timestamp * 1000)
  const current = kind.nameOf(now)
  const last = bars.findLast((bar) => nameOf(bar) < current)
  return last === undefined ? [] : bars.filter((bar) => nameOf(bar) === nameOf(last))
}

/** Merges bars into one: first open, highest high, lowest low, last close, total volume. */
function merged(first: Bar, bars: readonly Bar[]): Omit<Bar, 'timestamp' | 'oi'> {
  return {
    open: first.open,
    high: Math.max(...bars.map(({ high }) => high)),
    low: Math.min(...bars.map(({ low }) => low)),
    close: bars.at(-1)?.close ?? first.close,
    volume: bars.reduce((sum, { volume }) => sum + volume, 0),
  }
}

export const priorPeriodOhlc = defineNode({
  type: 'priorPeriodOhlc',
  family: 'data',
  effect: 'market',
  storesOutput: true,
  summary: 'Reads open, high, low and close of the hour, day, week or month before the current one.',
  fields: {
    ...barFields,
    period: { kind: 'text', default: 'previous_day', choices: NAMES, description: 'The period to read.' },
  },
  output: {
    symbol: text('Symbol.'),
    exchange: text('Exchange.'),
    period: text('The period.'),
    date: text('Date of the period: YYYY-MM-DD HH:MM, YYYY-MM-DD, YYYY-MM-DD/YYYY-MM-DD or YYYY-MM.'),
    ...OHLCV_OUTPUT,
    pdh: number('Previous high, the same as `high`.'),
    pdl: number('Previous low, the same as `low`.'),
    pdc: number('Previous close, the same as `close`.'),
  },
  run: async (run) => {
    const symbol = symbolOf(run)
    const exchange = run.text('exchange')
    const period = run
      .interpolate(String(run.raw('period')))
      .trim()
      .toLowerCase()
    if (!isPeriod(period)) {
      throw new NodeError(`unknown period '${period}'; it is one of ${NAMES.join(', ')}`)
    }
    const kind = PERIODS[period]
    const now = run.ports.clock.now()
    const to = istDate(now)
    const bars = await readBars(run, {
      symbol,
      exchange,
      interval: kind.interval,
      source: run.text('source'),
      from: addDays(to, -kind.days),
      to,
    })
    const found = newestBefore(bars, kind, now)
    const [first] = found
    if (first === undefined) throw new NodeError(`not enough history to determine ${period}`)
    const bar = merged(first, found)
    return succeeded({
      symbol,
      exchange,
      period,
      date: kind.label(first.timestamp * 1000),
      ...bar,
      pdh: bar.high,
      pdl: bar.low,
      pdc: bar.close,
    })
  },
})
