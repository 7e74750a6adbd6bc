import type { Bars } from '../flows/index.js'
import { newestTwo } from './values.js'

export interface Signal {
  name: string
  side: 'bullish' | 'bearish'
  /** What happened, with the values. */
  detail: string
}

type Pair = readonly [now: number | null, before: number | null]
const NOTHING: Pair = [null, null]

/**
 * Returns what happened on the newest bar: averages of 20 and 50 bars or MACD and its signal crossed, RSI left an
 * extreme, or the close left the Bollinger Bands.
 */
export function signalsOf(bars: Bars): Signal[] {
  const [fast = NOTHING] = newestTwo(bars, 'sma', { period: 20 })
  const [slow = NOTHING] = newestTwo(bars, 'sma', { period: 50 })
  const [macd = NOTHING, macdSignal = NOTHING] = newestTwo(bars, 'macd')
  const [rsi = NOTHING] = newestTwo(bars, 'rsi', { period: 14 })
  const [upper = NOTHING, , lower = NOTHING] = newestTwo(bars, 'bbands')
  const close: Pair = [bars.close.at(-1) ?? null, bars.close.at(-2) ?? null]
  return [
    ...crossing('sma_20_50_cross', fast, slow),
    ...crossing('macd_signal_cross', macd, macdSignal),
    ...crossing('rsi_leaves_oversold', rsi, [30, 30], 'bullish'),
    ...crossing('rsi_leaves_overbought', rsi, [70, 70], 'bearish'),
    ...crossing('close_above_upper_band', close, upper, 'bullish'),
    ...crossing('close_below_lower_band', close, lower, 'bearish'),
  ]
}

/** Returns the signal of one line crossing another on the newest bar, if it did, and in the side asked for. */
function crossing(name: string, one: Pair, other: Pair, only?: Signal['side']): Signal[] {
  const [[now, before], [level, levelBefore]] = [one, other]
  if (now === null || before === null || level === null || levelBefore === null) return []
  const side =
    before <= levelBefore && now > level
      ? 'bullish'
      : before >= levelBefore && now < level
        ? 'bearish'
        : undefined
  if (side === undefined || (only !== undefined && only !== side)) return []
  return [{ name, side, detail: `${before} to ${now}, against ${levelBefore} to ${level}` }]
}
