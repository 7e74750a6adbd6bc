import type { SymbolRef } from '../../../core/market/index.js'

/** `NSE:SBIN` as a symbol. */
export function toRef(key: string): SymbolRef {
  const colon = key.indexOf(':')
  return { exchange: key.slice(0, colon), symbol: key.slice(colon + 1) }
}
