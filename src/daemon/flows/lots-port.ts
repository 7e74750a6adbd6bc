import type { LotsPort } from '../../core/flows/index.js'
import { liveExpiries, storedExpiry } from '../../core/instruments/index.js'
import { type Listings, liveAt } from '../../core/options/index.js'
import type { Clock } from '../../core/time/index.js'

/**
 * Returns the port for lot sizes, from the instrument table. It finds contracts by their underlying, never by
 * the first letters of their symbol. Exchanges change lot sizes from one expiry to the next.
 */
export function flowLots({ calendar, catalog }: Listings, clock: Clock): LotsPort {
  const nearest = (underlying: string, exchange: string) =>
    liveExpiries(catalog, { exchange, underlying }, liveAt(calendar, clock.now()))[0]
  return {
    lotSize(underlying, exchange, expiry) {
      const at = expiry === undefined ? nearest(underlying, exchange) : storedExpiry(expiry)
      const contracts = catalog.contracts(underlying, exchange, at)
      // Without a future expiry, only contracts that never expire count.
      const live = at === undefined ? contracts.filter((contract) => contract.expiry === '') : contracts
      const size = live[0]?.lotSize
      return size !== undefined && size > 0 ? size : undefined
    },
    isLoaded: (exchange) => catalog.underlyings(exchange).length > 0,
  }
}
