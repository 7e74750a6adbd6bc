import type { InstrumentDirectory } from '../schema.js'
import { expiryToDate } from './expiry.js'
import { splitSymbol } from './symbol-grammar.js'

/** Returns the last trading date of a contract; undefined for an instrument that does not expire. */
export function expiryDateOf(
  { symbol, exchange }: { symbol: string; exchange: string },
  instruments: Pick<InstrumentDirectory, 'find'>,
): string | undefined {
  // The instrument master drops a contract once it has expired, but its symbol still contains the date.
  const text = instruments.find(symbol, exchange)?.expiry || splitSymbol(symbol)?.expiry
  return text ? expiryToDate(text) : undefined
}
