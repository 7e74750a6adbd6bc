import { exactValue, type Money, quantityUnits, valueToRupees } from '../money/index.js'
import { HOUR_MS, istInstant, istTime, MINUTE_MS } from '../time/index.js'
import type { MinuteCloses, PnlDay, PnlPoint, Trade, Window } from './schema.js'
import { addProfit, type Holder } from './sweep.js'
import { realizedOf, windowsOf } from './windows.js'

/** The time from which carried positions are tracked, and from which a day without them is filled with zeros. */
const DAY_STARTS = '09:15'
/** The time at which the flat line of a day without bars starts. */
const LINE_STARTS = '09:00'

/** An instrument that was traded or held on a day. */
export interface DayInstrument {
  /** In time order. */
  readonly trades: readonly Trade[]
  /** The quantity that was open before the first trade, with the previous day's close. */
  readonly carried: { readonly units: bigint; readonly close: Money } | undefined
  /** All bars of the day. */
  readonly bars: MinuteCloses
}

export interface Day {
  /** `YYYY-MM-DD` in IST. */
  readonly date: string
  readonly now: number
  readonly instruments: readonly DayInstrument[]
  /** The profit of all positions as the position book has it; undefined without a position. */
  readonly bookProfit: Money | undefined
}

/** Returns the profit and loss of a day by the minute (docs/pnl.md). */
export function pnlOf(day: Day): PnlDay {
  const holders = holdersOf(day)
  const hasBars = day.instruments.some(({ bars }) => bars.stamps.length > 0)
  if (!hasBars) return summaryOf(...flatLine(day, holders))
  const stamps = stampsOf(day, holders)
  const totals = stamps.map(() => 0n)
  for (const holder of holders) addProfit(totals, stamps, holder)
  return summaryOf(stamps, totals)
}

/** Returns the answer for a day without trades and positions. */
export function emptyDay(): PnlDay {
  return summaryOf([], [])
}

/** Returns the instruments with their windows, and with the bars from the start of the series until now. */
function holdersOf({ date, instruments, now }: Day): Holder[] {
  const first = firstTradeOf(instruments)
  const opens = istInstant(date, DAY_STARTS)
  const start = instruments.some(({ carried }) => carried) ? Math.min(opens, first) : first
  return instruments.map(({ bars, carried, trades }) => ({
    windows: windowsOf(trades, carried && carriedWindow(carried, start)),
    bars: between(bars, start, now),
  }))
}

function firstTradeOf(instruments: readonly DayInstrument[]): number {
  return Math.min(...instruments.flatMap(({ trades }) => trades[0]?.at ?? []))
}

function carriedWindow({ close, units }: { units: bigint; close: Money }, start: number): Window {
  const [action, size] = units > 0n ? (['BUY', units] as const) : (['SELL', -units] as const)
  return { action, units: size, price: close, start, end: null, exitPrice: null }
}

function between({ closes, stamps }: MinuteCloses, from: number, to: number): MinuteCloses {
  const first = stamps.findIndex((stamp) => stamp >= from)
  if (first === -1) return { stamps: [], closes: [] }
  const after = stamps.findIndex((stamp) => stamp > to)
  const end = after === -1 ? stamps.length : after
  return { stamps: stamps.slice(first, end), closes: closes.slice(first, end) }
}

/**
 * Returns the minutes of the series: those of all bars, and without a carried position also every minute from
 * 09:15 to the first trade, when the profit is zero.
 */
function stampsOf({ date, instruments }: Day, holders: readonly Holder[]): number[] {
  const stamps = new Set(holders.flatMap(({ bars }) => bars.stamps))
  if (!instruments.some(({ carried }) => carried)) {
    const first = firstTradeOf(instruments)
    const minute = first - (first % MINUTE_MS)
    for (const stamp of minutes(istInstant(date, DAY_STARTS), minute - MINUTE_MS)) stamps.add(stamp)
  }
  return [...stamps].sort((a, b) => a - b)
}

/** Returns a line at the profit of the position book, or of the closed windows, from 09:00 until now. */
function flatLine({ bookProfit, date, now }: Day, holders: readonly Holder[]): [number[], bigint[]] {
  const closed = holders.flatMap(({ windows }) => windows).reduce((sum, one) => sum + realizedOf(one), 0n)
  const value = bookProfit === undefined ? closed : exactValue(bookProfit, quantityUnits(1))
  const stamps = [
    ...minutes(istInstant(date, LINE_STARTS), Math.min(now, istInstant(date) + 24 * HOUR_MS - 1)),
  ]
  return [stamps, stamps.map(() => value)]
}

function* minutes(from: number, to: number): Generator<number> {
  for (let stamp = from; stamp <= to; stamp += MINUTE_MS) yield stamp
}

/** Returns the series, their extremes, and when these were first reached. */
function summaryOf(stamps: readonly number[], totals: readonly bigint[]): PnlDay {
  let [peak, best, worst, fall] = [totals[0] ?? 0n, 0, 0, 0n]
  const pnl: PnlPoint[] = []
  const drawdown: PnlPoint[] = []
  for (const [index, total] of totals.entries()) {
    const time = stamps[index] ?? 0
    if (total > peak) [peak, best] = [total, index]
    if (total < (totals[worst] ?? total)) worst = index
    if (total - peak < fall) fall = total - peak
    pnl.push({ time, value: valueToRupees(total) })
    drawdown.push({ time, value: valueToRupees(total - peak) })
  }
  return {
    current_mtm: pnl.at(-1)?.value ?? 0,
    max_mtm: pnl[best]?.value ?? 0,
    max_mtm_time: minuteOf(pnl[best]),
    min_mtm: pnl[worst]?.value ?? 0,
    min_mtm_time: minuteOf(pnl[worst]),
    max_drawdown: valueToRupees(fall),
    pnl_series: pnl,
    drawdown_series: drawdown,
  }
}

function minuteOf(point: PnlPoint | undefined): string | null {
  return point ? istTime(point.time).slice(0, 5) : null
}
