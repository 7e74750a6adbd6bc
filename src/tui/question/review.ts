import type { CallOptions } from '../../client/index.js'
import { type Account, modeName } from '../live/account.js'

/** The strategy of the orders of this program, as `cli` is that of the command line. */
export const STRATEGY = 'tui'

/** What a review is about: a new order, a change of one, or what only lowers risk (a cancel, a close). */
type Reviewed = 'order' | 'change' | 'reduction'

/** Returns where a request goes, for the first line of a review. In semi-auto mode it says what becomes of it. */
export function placeText(account: Account, reviewed: Reviewed = 'order'): string {
  const simulated = account.analyze_mode ? ' (simulated)' : ''
  const held = account.order_mode === 'semi_auto' ? `, ${heldText(account, reviewed)}` : ''
  return `mode ${modeName(account)}${simulated}, broker ${account.broker}${held}`
}

/** Only orders wait for approval. The signed-in user lowers risk at once. */
function heldText({ analyze_mode }: Account, reviewed: Reviewed): string {
  if (reviewed === 'order') return 'waits for approval'
  const isFree = reviewed === 'reduction' || analyze_mode
  return isFree
    ? 'sent at once, without approval'
    : 'sent only if it makes the order smaller or less likely to fill'
}

/** Returns how an order is sent: once under its key, and only in the mode that its question named. */
export function sendOptions({ analyze_mode }: Account, key: string): CallOptions {
  return { idempotencyKey: key, onlyMode: analyze_mode ? 'analyze' : 'live' }
}
