import type { Listings } from '../../core/options/index.js'
import type { Clock } from '../../core/time/index.js'
import { flowLots } from './lots-port.js'

/** The index underlyings that flow editors offer, with the exchange of their contracts. */
const INDEX_UNDERLYINGS: Readonly<Record<string, string>> = {
  NIFTY: 'NFO',
  BANKNIFTY: 'NFO',
  FINNIFTY: 'NFO',
  MIDCPNIFTY: 'NFO',
  NIFTYNXT50: 'NFO',
  SENSEX: 'BFO',
  BANKEX: 'BFO',
  SENSEX50: 'BFO',
}

/** Returns lot sizes for flow editors: of a symbol, and of index contracts. Leaves out unknown indices. */
export function lotSizes(listings: Listings, clock: Clock) {
  const { catalog: directory } = listings
  const lots = flowLots(listings, clock)
  return {
    lotSizeOf: (symbol: string, exchange: string) =>
      directory.find(symbol, exchange)?.lotSize ?? lots.lotSize(symbol, exchange),
    indexSymbols: () =>
      Object.entries(INDEX_UNDERLYINGS).flatMap(([value, exchange]) => {
        const lotSize = lots.lotSize(value, exchange)
        return lotSize === undefined ? [] : [{ value, label: value, exchange, lotSize }]
      }),
  }
}
