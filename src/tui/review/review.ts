import { type Account, modeName } from '../live/account.js'

/** The strategy of the orders of this program, as `cli` is that of the command line. */
export const STRATEGY = 'tui'

/** The word that lets a live order go. */
export const LIVE_WORD = 'live'

/** Returns the word that a change of one order needs: in Live mode it is never sent by one key. */
export function wordOf(account: Account): { word?: string } {
  return account.analyze_mode ? {} : { word: LIVE_WORD }
}

/** Returns where orders go, for the first line of a review. */
export function placeText(account: Account): string {
  const { broker, order_mode } = account
  const simulated = account.analyze_mode ? ' (simulated)' : ''
  const approval = order_mode === 'semi_auto' ? ', waits for approval' : ''
  return `mode ${modeName(account)}${simulated}, broker ${broker}${approval}`
}

export const rupees = (value: number): string =>
  `₹${value.toLocaleString('en-IN', { minimumFractionDigits: 2, maximumFractionDigits: 4 })}`
