import type { Body } from '../../client/index.js'
import { MONTHS } from '../../views/market/contract.js'
import { type Exchange, isExchange } from '../../views/market/exchange.js'
import { optionExchange, underlyingExchange } from '../../views/market/underlying.js'
import { symbolKey } from '../../views/text/symbol.js'

/** A symbol on an exchange that the daemon knows. */
export interface Ref {
  symbol: string
  exchange: Exchange
}

/** Returns the parts of `NSE:SBIN`; undefined for any other text. */
export function parsedKey(text: string): Ref | undefined {
  const at = text.indexOf(':')
  const [exchange, symbol] = [text.slice(0, Math.max(0, at)).toUpperCase(), text.slice(at + 1)]
  return isExchange(exchange) && symbol !== '' ? { symbol, exchange } : undefined
}

/** Returns the parts of `NSE:SBIN`. @throws Error for a text that is no symbol */
export function parsedSymbol(key: string): Ref {
  const ref = parsedKey(key)
  if (ref === undefined) throw new Error(`"${key}" is not a symbol. Example: NSE:SBIN`)
  return ref
}

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
  const ref = parsedSymbol(key)
  const venue = optionExchange(ref.exchange)
  const root = CONTRACT.exec(ref.symbol)?.[1]
  return root === undefined ? { ...ref, venue } : { ...spotOf(root, ref.exchange), venue }
}

function spotOf(root: string, exchange: string): Ref {
  const share = SHARES[exchange]
  if (share === undefined) return parsedSymbol(symbolKey({ symbol: root, exchange }))
  const named = underlyingExchange(root.toUpperCase())
  // A name that is no index stands for a share, which may be listed on both exchanges.
  return parsedSymbol(symbolKey({ symbol: root, exchange: named === 'NSE' ? share : named }))
}
