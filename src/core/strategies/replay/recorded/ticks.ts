import type { Tick } from '../../engine/index.js'
import type { Bar, Recording, Series } from './bars.js'

/** The ticks between two of the four prices of a bar, the end included. */
export const DEFAULT_STEPS = 10

/** The bars that begin at one moment, in the order of their series. */
interface Slot {
  time: number
  bars: { series: Series; bar: Bar }[]
}

/**
 * Returns the prices of a bar in order: open, the extreme that is nearer the open, the other extreme, close. A bar whose
 * extremes are equally near visits the one first that is away from its close. Between two of them the price moves in
 * `steps` even steps, rounded to the paisa.
 */
export function pathOf({ close, high, low, open }: Bar, steps: number): number[] {
  const isHighFirst = high - open === open - low ? close < open : high - open < open - low
  const points = isHighFirst ? [high, low, close] : [low, high, close]
  const path = [open]
  let from = open
  for (const to of points) {
    for (let step = 1; step < steps; step++) path.push(between(from, to, step / steps))
    path.push(to)
    from = to
  }
  return path
}

/** Rounding never leaves the range of the two prices. */
function between(from: number, to: number, share: number): number {
  const price = Math.round((from + (to - from) * share) * 100) / 100
  return Math.min(Math.max(price, Math.min(from, to)), Math.max(from, to))
}

/** A tick with the key of its contract, `EXCHANGE:SYMBOL`. */
export interface ReplayTick extends Tick {
  key: string
}

/** The bars that begin at one moment, as ticks. */
export interface SlotTicks {
  time: number
  /** The contracts with a bar, as `EXCHANGE:SYMBOL`. */
  keys: ReadonlySet<string>
  /** The moment at which the bars of the slot are over. */
  end: number
  ticks(): Generator<ReplayTick>
  /** The last price of each contract, for a time in which nobody looks at the ticks. */
  closes(): { key: string; price: number }[]
}

/**
 * Returns the ticks of a recording by bar. The ticks of one bar lie evenly between its start and its end. Contracts
 * with a bar at the same time take turns, in the order of their keys.
 */
export function* slotsOf(recording: Recording, steps: number): Generator<SlotTicks> {
  const { intervalMs } = recording
  for (const slot of timeline(recording)) {
    yield {
      time: slot.time,
      keys: new Set(slot.bars.map(({ series }) => series.key)),
      end: slot.time + intervalMs,
      ticks: () => ticksOf(slot, intervalMs, steps),
      closes: () => slot.bars.map(({ bar, series }) => ({ key: series.key, price: bar.close })),
    }
  }
}

function* ticksOf({ bars, time }: Slot, intervalMs: number, steps: number): Generator<ReplayTick> {
  const paths = bars.map(({ bar, series: { exchange, key, symbol } }) => ({
    prices: pathOf(bar, steps),
    key,
    exchange,
    symbol,
  }))
  const count = 3 * steps + 1
  for (let index = 0; index < count; index++) {
    const at = time + Math.floor((index * intervalMs) / count)
    for (const { exchange, key, prices, symbol } of paths) {
      yield { type: 'tick', key, symbol, exchange, price: prices[index] ?? 0, at }
    }
  }
}

/** Merges the series by time. */
function* timeline({ series }: Recording): Generator<Slot> {
  const next = series.map(() => 0)
  for (;;) {
    let time = Number.POSITIVE_INFINITY
    for (const [index, { bars }] of series.entries()) {
      const bar = bars[next[index] ?? 0]
      if (bar && bar.time < time) time = bar.time
    }
    if (time === Number.POSITIVE_INFINITY) return
    const slot: Slot = { time, bars: [] }
    for (const [index, one] of series.entries()) {
      const at = next[index] ?? 0
      const bar = one.bars[at]
      if (bar?.time !== time) continue
      slot.bars.push({ series: one, bar })
      next[index] = at + 1
    }
    yield slot
  }
}
