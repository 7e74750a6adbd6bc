import { quantityUnits, toMoney } from '../../../src/core/money/index.js'
import type { Day, DayInstrument, MinuteCloses, PnlPoint, Trade } from '../../../src/core/pnl/index.js'
import { istInstant, istTime, MINUTE_MS } from '../../../src/core/time/index.js'

export const DATE = '2026-11-20'

/** Returns bars that open every minute from a time on. */
export function barsAt(time: string, closes: readonly number[]): MinuteCloses {
  return {
    stamps: closes.map((_, minute) => istInstant(DATE, time) + minute * MINUTE_MS),
    closes: closes.map((close) => toMoney(close)),
  }
}

export function trade(action: 'BUY' | 'SELL', quantity: number, price: number, time: string): Trade {
  return { action, units: quantityUnits(quantity), price: toMoney(price), at: istInstant(DATE, time) }
}

export function dayOf(instruments: readonly DayInstrument[], now: string): Day {
  return { date: DATE, now: istInstant(DATE, now), instruments, bookProfit: undefined }
}

/** Returns the points as time of day and value. */
export function valuesOf(series: readonly PnlPoint[]): [string, number][] {
  return series.map(({ time, value }) => [istTime(time).slice(0, 5), value])
}
