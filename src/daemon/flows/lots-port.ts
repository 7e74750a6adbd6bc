import type { LotsPort } from '../../core/flows/index.js'
import { type InstrumentCatalog, liveExpiries } from '../../core/instruments/index.js'
import { type Clock, istDate } from '../../core/time/index.js'

/**
 * Returns the port for lot sizes, from the instrument table. It finds contracts by their underlying, never by
 * the first letters of their symbol. It takes the lot size of the nearest expiry, because exchanges change
 * lot sizes from one expiry to the next.
 */
export function flowLots(catalog: InstrumentCatalog, clock: Clock): LotsPort {
  return {
    lotSize(underlying, exchange) {
      const [nearest] = liveExpiries(catalog, { exchange, underlying }, istDate(clock.now()))
      const contracts = catalog.contracts(underlying, exchange, nearest)
      // Without a future expiry, only contracts that never expire count.
      const live = nearest === undefined ? contracts.filter(({ expiry }) => expiry === '') : contracts
      const size = live[0]?.lotSize
      return size !== undefined && size > 0 ? size : undefined
    },
    isLoaded: (exchange) => catalog.underlyings(exchange).length > 0,
  }
}
