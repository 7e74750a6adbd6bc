import type { Instrument } from '../../../instruments/schema.js'
import type { SymbolRef } from '../../../market/schema.js'
import type { BrokerContext } from '../../broker.js'
import { notSent } from '../http/outcomes.js'

type Directory = Pick<BrokerContext, 'instruments'>

/** Returns the instrument of one of our symbols. @throws BrokerError `validation`, never sent */
export function instrumentOf({ instruments }: Directory, { exchange, symbol }: SymbolRef): Instrument {
  const instrument = instruments.find(symbol, exchange)
  if (!instrument) throw notSent('validation', `Symbol ${symbol} not found for exchange ${exchange}`)
  return instrument
}

/**
 * Returns our symbol for what a row of the broker is about, in the broker's spelling. If the master lacks it, the broker's
 * own symbol is used, so that no row is hidden.
 */
export function refOf({ instruments }: Directory, brokerExchange: string, brokerSymbol: string): SymbolRef {
  const instrument = instruments.byBrokerSymbol(brokerExchange, brokerSymbol)
  return instrument
    ? { symbol: instrument.symbol, exchange: instrument.exchange }
    : { symbol: brokerSymbol, exchange: brokerExchange }
}
