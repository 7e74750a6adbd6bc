import type { Instrument } from '../../../src/core/instruments/schema.js'
import { futureSymbol, optionSymbol } from '../../../src/core/instruments/symbols/symbol-grammar.js'

/** A share on the NSE. */
export function share(symbol: string, token: string): Instrument {
  return {
    symbol,
    brokerSymbol: symbol,
    name: `${symbol} LIMITED`,
    exchange: 'NSE',
    brokerExchange: 'NSE',
    token,
    expiry: '',
    strike: 0,
    lotSize: 1,
    instrumentType: 'EQ',
    tickSize: 0.05,
  }
}

export function future(name: string, expiry: string, token: string): Instrument {
  const symbol = futureSymbol(name, expiry)
  const contract = { exchange: 'NFO', brokerExchange: 'NFO', lotSize: 750, instrumentType: 'FUT' } as const
  return { ...share(symbol, token), ...contract, name, expiry }
}

export function option(
  name: string,
  expiry: string,
  strike: number,
  type: 'CE' | 'PE',
  token: string,
): Instrument {
  const symbol = optionSymbol(name, expiry, strike, type)
  return { ...future(name, expiry, token), symbol, brokerSymbol: symbol, strike, instrumentType: type }
}
