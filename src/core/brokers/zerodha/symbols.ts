import type { SymbolRef } from '../../market/schema.js'
import type { BrokerContext } from '../broker.js'
import { refOf as refOfCode } from '../kit/books/symbols.js'
import { rootOfSymbol } from './master/kite-dump.js'

/** Returns our symbol for a row of Kite's order book or portfolio, or Kite's own. */
export function refOf(context: BrokerContext, row: { exchange: string; tradingsymbol: string }): SymbolRef {
  return refOfCode(context, row.exchange, row.tradingsymbol)
}

/** Returns what decides the units of a row: its exchange and underlying, from the symbol if the master lacks it. */
export function contractOf(
  context: BrokerContext,
  row: { exchange: string; tradingsymbol: string },
): { exchange: string; name: string } {
  const name = context.instruments.byBrokerSymbol(row.exchange, row.tradingsymbol)?.name
  return { exchange: row.exchange, name: name ?? rootOfSymbol(row.tradingsymbol) ?? row.tradingsymbol }
}
