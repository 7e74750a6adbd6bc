import type { SymbolRef } from '../../market/schema.js'
import type { BrokerContext } from '../broker.js'
import { type Contract, Units } from '../kit/books/units.js'
import { EXCHANGE_OF_SEGMENT } from './words.js'

/** Dhan counts units of shares and of their contracts. For commodities and currencies it does not say what it counts. */
export const UNITS = new Units(new Set(), new Set(['MCX', 'CDS', 'BCD']))

/** What names an instrument at Dhan. */
interface Place {
  exchangeSegment: string
  securityId: string
  tradingSymbol: string
}

/** Returns our symbol of a row, or Dhan's own, and what decides its units. Dhan's symbols differ between its files and rows, its ids do not. */
export function placeOf(context: BrokerContext, row: Place): { ref: SymbolRef; contract: Contract } {
  const { exchangeSegment, securityId, tradingSymbol } = row
  const instrument = context.instruments.byToken(exchangeSegment, securityId)
  if (instrument) {
    const { exchange, symbol } = instrument
    return { ref: { symbol, exchange }, contract: instrument }
  }
  const known = Object.hasOwn(EXCHANGE_OF_SEGMENT, exchangeSegment)
  const exchange = (known ? EXCHANGE_OF_SEGMENT[exchangeSegment] : undefined) ?? exchangeSegment
  const symbol = tradingSymbol || securityId
  return { ref: { symbol, exchange }, contract: { exchange, name: symbol } }
}
