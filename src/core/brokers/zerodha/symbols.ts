import type { Instrument } from '../../instruments/schema.js'
import type { SymbolRef } from '../../market/schema.js'
import type { BrokerContext } from '../broker.js'
import { notSent } from './errors.js'
import { rootOfSymbol } from './kite-dump.js'

export { mapped } from '../kit/books/mapping.js'

/** Returns the instrument of one of our symbols. @throws BrokerError `validation`, never sent */
export function instrumentOf(context: BrokerContext, ref: SymbolRef): Instrument {
  const instrument = context.instruments.find(ref.symbol, ref.exchange)
  if (!instrument) throw notSent('validation', `Symbol ${ref.symbol} not found for exchange ${ref.exchange}`)
  return instrument
}

/**
 * Returns our symbol for a row of Kite's order book or portfolio. If the master lacks it, Kite's own symbol
 * is used, so that no row is hidden.
 */
export function refOf(context: BrokerContext, row: { exchange: string; tradingsymbol: string }): SymbolRef {
  const instrument = context.instruments.byBrokerSymbol(row.exchange, row.tradingsymbol)
  return instrument
    ? { symbol: instrument.symbol, exchange: instrument.exchange }
    : { symbol: row.tradingsymbol, exchange: row.exchange }
}

/** Returns what decides the units of a row: its exchange and underlying, from the symbol if the master lacks it. */
export function contractOf(
  context: BrokerContext,
  row: { exchange: string; tradingsymbol: string },
): { exchange: string; name: string } {
  const name = context.instruments.byBrokerSymbol(row.exchange, row.tradingsymbol)?.name
  return { exchange: row.exchange, name: name ?? rootOfSymbol(row.tradingsymbol) ?? row.tradingsymbol }
}
