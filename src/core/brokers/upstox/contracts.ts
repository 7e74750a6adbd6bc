import type { Instrument } from '../../instruments/schema.js'
import type { SymbolRef } from '../../market/schema.js'
import type { BrokerContext } from '../broker.js'
import { type Contract, Units } from '../kit/books/units.js'

/** Upstox counts lots of commodities only, and units of currencies. */
export const UNITS = new Units(new Set(['MCX']))

type Directory = Pick<BrokerContext, 'instruments'>

/** What a row of Upstox is about. */
interface Row {
  exchange: string
  instrument_token: string
  instrument_key: string
  trading_symbol: string
  tradingsymbol: string
}

/** Returns the segment in an instrument key: `NSE_EQ` of `NSE_EQ|INE009A01021`. */
export function segmentOf(key: string): string {
  return key.slice(0, Math.max(0, key.indexOf('|')))
}

/** Returns our symbol for a row. If the master lacks it, Upstox's own symbol is used, so that no row is hidden. */
export function refOf(context: Directory, row: Row): SymbolRef {
  const { exchange, symbol } = found(context, row) ?? { exchange: row.exchange, symbol: symbolIn(row) }
  return { symbol, exchange }
}

/** Returns what decides the units of a row. Without the master it is unknown, so that a commodity is not traded. */
export function contractOf(context: Directory, row: Row): Contract {
  const { exchange, name } = found(context, row) ?? { exchange: row.exchange, name: symbolIn(row) }
  return { exchange, name }
}

function found({ instruments }: Directory, row: Row): Instrument | undefined {
  const key = row.instrument_token || row.instrument_key
  return instruments.byToken(segmentOf(key), key)
}

function symbolIn({ trading_symbol, tradingsymbol, instrument_token }: Row): string {
  return trading_symbol || tradingsymbol || instrument_token
}
