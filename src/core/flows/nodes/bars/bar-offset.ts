import { addDays, istDate, weekdayOf } from '../../../time/index.js'
import { defineNode, NodeError, succeeded } from '../definition.js'
import { number, text } from '../output.js'
import {
  type Bar,
  barFields,
  intervalField,
  MAX_BARS,
  newestDays,
  OHLCV_OUTPUT,
  readBars,
  symbolOf,
} from './read-bars.js'

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 }

/** Returns the day, week or month of an instant, by interval. */
const SPANS: Readonly<Record<string, (ms: number) => string>> = {
  D: istDate,
  W: (ms) => addDays(istDate(ms), 1 - weekdayOf(istDate(ms))),
  M: (ms) => istDate(ms).slice(0, 7),
}

/** Returns whether a bar may still change. An unknown interval counts as closed. */
function isForming(bar: Bar, interval: string, now: number): boolean {
  const began = bar.timestamp * 1000
  const spanOf = Object.hasOwn(SPANS, interval) ? SPANS[interval] : undefined
  if (spanOf) return spanOf(began) === spanOf(now)
  const [, size, unit = ''] = /^(\d+)([smh])$/.exec(interval) ?? []
  return size !== undefined && now - began < Number(size) * (UNIT_MS[unit] ?? 0)
}

export const barOffset = defineNode({
  type: 'barOffset',
  family: 'data',
  effect: 'market',
  storesOutput: true,
  summary: 'Reads a closed bar, counted back from the last closed one.',
  fields: {
    ...barFields,
    interval: intervalField,
    offsetBars: {
      kind: 'integer',
      default: 0,
      min: 0,
      max: MAX_BARS - 1,
      description: 'Number of bars before the last closed one, 0 to 199.',
    },
  },
  output: {
    symbol: text('Symbol.'),
    exchange: text('Exchange.'),
    offsetBars: number('The offset.'),
    timestamp: number('Start of the bar, in epoch seconds.'),
    ...OHLCV_OUTPUT,
  },
  run: async (run) => {
    const symbol = symbolOf(run)
    const exchange = run.text('exchange')
    const interval = run.text('interval').trim()
    const offsetBars = Math.min(MAX_BARS - 1, Math.max(0, run.integer('offsetBars')))
    const bars = await readBars(run, {
      symbol,
      exchange,
      interval,
      source: run.text('source'),
      ...newestDays(run, offsetBars + 2, interval),
    })
    const newest = bars.at(-1)
    const closed = newest && isForming(newest, interval, run.ports.clock.now()) ? bars.slice(0, -1) : bars
    const bar = closed.at(-1 - offsetBars)
    if (bar === undefined) {
      throw new NodeError(`Not enough history to reach ${offsetBars} bars back for ${symbol}`)
    }
    const { timestamp, open, high, low, close, volume } = bar
    return succeeded({ symbol, exchange, offsetBars, timestamp, open, high, low, close, volume })
  },
})
