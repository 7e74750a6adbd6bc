import type { SymbolRef } from '../../../core/market/index.js'

/** Parses a key such as `NSE:SBIN` into a symbol. */
export function toRef(key: string): SymbolRef {
  const colon = key.indexOf(':')
  return { exchange: key.slice(0, colon), symbol: key.slice(colon + 1) }
}
