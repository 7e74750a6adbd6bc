import type { Account } from '../live/account.js'

/** The word that lets a live order go. */
export const LIVE_WORD = 'live'

/** From this value on, in rupees, an approval of one live order needs the word, too. */
const LIGHT_BELOW = 1_00_000
/** From this value on, in rupees, live orders need their value typed: nobody types a value that he has not read. */
const HEAVY_FROM = 10_00_000

type Mode = Pick<Account, 'analyze_mode'>

/**
 * Returns what lets new orders go: in Live mode a word, and for much money the value in whole rupees. What only lowers risk
 * (a close, a cancel) needs `y` alone.
 * @param value in rupees; null if it is not known
 */
export function orderWord({ analyze_mode }: Mode, value: number | null): { word?: string } {
  if (analyze_mode) return {}
  return { word: value !== null && value >= HEAVY_FROM ? String(Math.round(value)) : LIVE_WORD }
}

/** Returns what lets waiting orders go. One small order, which somebody else has placed and whose checks are shown, goes with `y`. */
export function approvalWord(
  mode: Mode,
  { orders, value }: { orders: number; value: number | null },
): { word?: string } {
  return orders === 1 && value !== null && value < LIGHT_BELOW ? {} : orderWord(mode, value)
}
