import type { LotsPort } from '../../core/flows/index.js'
import { liveExpiries } from '../../core/instruments/index.js'
import { type Listings, liveAt } from '../../core/options/index.js'
import type { Clock } from '../../core/time/index.js'

/**
 * Returns the port for lot sizes, from the instrument table. It finds contracts by their underlying, never by
 * the first letters of their symbol. It takes the lot size of the nearest expiry, because exchanges change
 * lot sizes from one expiry to the next.
 */
export function flowLots({ calendar, catalog }: Listings, clock: Clock): LotsPort {
  return {
    lotSize(underlying, exchange) {
      const [nearest] = liveExpiries(catalog, { exchange, underlying }, liveAt(calendar, clock.now()))
      const contracts = catalog.contracts(underlying, exchange, nearest)
      // Without a future expiry, only contracts that never expire count.
      const live = nearest === undefined ? contracts.filter(({ expiry }) => expiry === '') : contracts
      const size = live[0]?.lotSize
      return size !== undefined && size > 0 ? size : undefined
    },
    isLoaded: (exchange) => catalog.underlyings(exchange).length > 0,
  }
}
