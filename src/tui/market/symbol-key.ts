import { type Exchange, isExchange } from '../../views/market/exchange.js'

/** A symbol on an exchange that the daemon knows. */
export interface Ref {
  symbol: string
  exchange: Exchange
}

/** Returns a symbol as lists name it: `NSE:SBIN`. */
export function keyOf({ symbol, exchange }: { symbol: string; exchange: string }): string {
  return `${exchange}:${symbol}`
}

/** Returns the parts of `NSE:SBIN`; undefined for any other text. */
export function parsedKey(text: string): Ref | undefined {
  const at = text.indexOf(':')
  const [exchange, symbol] = [text.slice(0, Math.max(0, at)).toUpperCase(), text.slice(at + 1)]
  return isExchange(exchange) && symbol !== '' ? { symbol, exchange } : undefined
}

/** Returns the parts of `NSE:SBIN`. @throws Error for a text that is no symbol */
export function refOf(key: string): Ref {
  const ref = parsedKey(key)
  if (ref === undefined) throw new Error(`"${key}" is not a symbol. Example: NSE:SBIN`)
  return ref
}
