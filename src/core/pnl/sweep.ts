import { exactValue } from '../money/index.js'
import type { MinuteCloses, Window } from './schema.js'
import { realizedOf, signedUnits } from './windows.js'

/** An instrument that the account held during the day. */
export interface Holder {
  readonly windows: readonly Window[]
  /** The bars from the first minute of the series. */
  readonly bars: MinuteCloses
}

/**
 * Adds the profit of one instrument to the totals, one for each stamp. In between two bars of the instrument
 * the last close counts. At a stamp:
 *
 * - a window that ended before it adds its realised profit;
 * - a window that started at or before it is valued at the last close since its start, if there is one;
 * - the last stamp counts every window that ended as realised, because no later stamp shows it.
 */
export function addProfit(totals: bigint[], stamps: readonly number[], { bars, windows }: Holder): void {
  const started = windows.toSorted((a, b) => a.start - b.start)
  const ended = windows.filter(hasEnded).toSorted((a, b) => a.end - b.end)
  const last = stamps.length - 1
  let [nextStarted, nextEnded, nextBar] = [0, 0, 0]
  let [units, cost, realized, close] = [0n, 0n, 0n, 0n]
  let valuedAt = Number.NEGATIVE_INFINITY
  const hold = (window: Window, signed: bigint) => {
    units += signed
    cost += exactValue(window.price, signed)
  }
  for (const [index, stamp] of stamps.entries()) {
    const isOver = (window: Window) => window.end !== null && (window.end < stamp || index === last)
    for (let window = ended[nextEnded]; window && isOver(window); window = ended[++nextEnded]) {
      realized += realizedOf(window)
      if (window.start <= valuedAt) hold(window, -signedUnits(window))
    }
    if (bars.stamps[nextBar] === stamp) {
      close = bars.closes[nextBar++] ?? close
      valuedAt = stamp
      for (
        let window = started[nextStarted];
        window && window.start <= stamp;
        window = started[++nextStarted]
      )
        if (!isOver(window)) hold(window, signedUnits(window))
    }
    totals[index] = (totals[index] ?? 0n) + realized + exactValue(close, units) - cost
  }
}

function hasEnded(window: Window): window is Window & { end: number } {
  return window.end !== null
}
