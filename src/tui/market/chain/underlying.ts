import type { Body } from '../../../client/index.js'
import { optionExchange, underlyingExchange } from '../../../views/market/underlying.js'
import { keyOf, type Ref, refOf } from '../symbol-key.js'

const MONTHS = 'JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC'
/** A future or an option: its root, its expiry, and its kind. */
const CONTRACT = new RegExp(`^(.+?)\\d{2}(?:${MONTHS})\\d{2}(?:FUT|\\d+(?:\\.\\d+)?[CP]E)$`)

/** The exchanges of contracts whose index or share is on another exchange. */
const SHARES: Readonly<Record<string, string>> = { NFO: 'NSE', BFO: 'BSE' }

/** An underlying and the exchange of its options. */
export interface Underlying extends Ref {
  venue: Body<'expiry'>['exchange']
}

/** Returns the underlying of a symbol: its root for a contract, otherwise the symbol itself. */
export function underlyingOf(key: string): Underlying {
  const ref = refOf(key)
  const venue = optionExchange(ref.exchange)
  const root = CONTRACT.exec(ref.symbol)?.[1]
  return root === undefined ? { ...ref, venue } : { ...spotOf(root, ref.exchange), venue }
}

function spotOf(root: string, exchange: string): Ref {
  const share = SHARES[exchange]
  if (share === undefined) return refOf(keyOf({ symbol: root, exchange }))
  const named = underlyingExchange(root.toUpperCase())
  // A name that is no index stands for a share, which may be listed on both exchanges.
  return refOf(keyOf({ symbol: root, exchange: named === 'NSE' ? share : named }))
}
