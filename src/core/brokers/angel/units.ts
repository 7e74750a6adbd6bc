import type { Instrument } from '../../instruments/schema.js'
import type { SymbolRef } from '../../market/schema.js'
import type { BrokerContext } from '../broker.js'
import { refOf } from '../kit/books/symbols.js'
import { type Contract, Units } from '../kit/books/units.js'
import type { Place } from './wire.js'

/** Angel counts units of shares and of their contracts. For commodities and currencies it does not say what it counts. */
export const UNITS = new Units(new Set(), new Set(['MCX', 'CDS', 'BCD', 'NCO']))

/** Returns the instrument that a row is about; its token is unique within the exchange. Undefined if the master lacks it. */
export function instrumentOfRow(context: BrokerContext, row: Place): Instrument | undefined {
  const { exchange, symboltoken, tradingsymbol } = row
  const { instruments } = context
  const known = symboltoken === '' ? undefined : instruments.byToken(exchange, symboltoken)
  return known ?? instruments.byBrokerSymbol(exchange, tradingsymbol)
}

/** Returns our symbol of a row, and what decides its units. */
export function placeOf(context: BrokerContext, row: Place): { ref: SymbolRef; contract: Contract } {
  const { exchange, tradingsymbol } = row
  const instrument = instrumentOfRow(context, row)
  if (!instrument)
    return { ref: refOf(context, exchange, tradingsymbol), contract: { exchange, name: tradingsymbol } }
  return { ref: { symbol: instrument.symbol, exchange: instrument.exchange }, contract: instrument }
}
