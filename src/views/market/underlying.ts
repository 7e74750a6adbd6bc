import type { Body } from '../../client/endpoints.js'

/** The exchange of each index; any other name is a share of the NSE. */
const INDEX_EXCHANGES: Readonly<Record<string, string>> = {
  NIFTY: 'NSE_INDEX',
  BANKNIFTY: 'NSE_INDEX',
  FINNIFTY: 'NSE_INDEX',
  MIDCPNIFTY: 'NSE_INDEX',
  NIFTYNXT50: 'NSE_INDEX',
  INDIAVIX: 'NSE_INDEX',
  SENSEX: 'BSE_INDEX',
  BANKEX: 'BSE_INDEX',
  SENSEX50: 'BSE_INDEX',
}

type OptionExchange = Body<'expiry'>['exchange']

const DERIVATIVES: Readonly<Record<string, OptionExchange>> = {
  BSE_INDEX: 'BFO',
  BSE: 'BFO',
  BFO: 'BFO',
  MCX: 'MCX',
  CDS: 'CDS',
  BCD: 'BCD',
  NCDEX: 'NCDEX',
  NCO: 'NCO',
  CRYPTO: 'CRYPTO',
}

/** Returns the exchange of the options of an underlying, by the exchange of the underlying or of a contract. */
export const optionExchange = (exchange: string): OptionExchange => DERIVATIVES[exchange] ?? 'NFO'

/** Returns the exchange of an underlying: that of the index of this name, otherwise the NSE. */
export const underlyingExchange = (name: string): string => INDEX_EXCHANGES[name] ?? 'NSE'
