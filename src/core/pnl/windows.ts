import { exactValue } from '../money/index.js'
import type { Trade, Window } from './schema.js'

/**
 * Splits the trades of one instrument, in time order, into windows. A trade closes the oldest windows of the
 * other side first and opens a window with the rest. A partial close splits a window: one part ends, the
 * other stays open.
 * @param carried the window of the quantity that was open before the first trade
 */
export function windowsOf(trades: readonly Trade[], carried?: Window): Window[] {
  const windows: Window[] = carried ? [carried] : []
  // Open windows are always of one side, oldest first, and `oldest` is the first that is still open.
  const open = [...windows]
  let oldest = 0
  for (const { action, at, price, units } of trades) {
    let left = units
    for (let window = open[oldest]; window && window.action !== action && left > 0n; window = open[oldest]) {
      if (left < window.units) {
        windows.push({ ...window, units: left, end: at, exitPrice: price })
        window.units -= left
        left = 0n
      } else {
        left -= window.units
        window.end = at
        window.exitPrice = price
        oldest += 1
      }
    }
    if (left === 0n) continue
    const window: Window = { action, units: left, price, start: at, end: null, exitPrice: null }
    windows.push(window)
    open.push(window)
  }
  return windows
}

/** Returns the units of a window, negative for a short one. */
export function signedUnits({ action, units }: Window): bigint {
  return action === 'BUY' ? units : -units
}

/** Returns the profit of a window as an exact value; 0 while it is open. */
export function realizedOf(window: Window): bigint {
  return window.exitPrice === null ? 0n : exactValue(window.exitPrice - window.price, signedUnits(window))
}
