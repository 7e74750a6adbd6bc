import type { LotsPort } from '../../core/flows/index.js'
import { type InstrumentCatalog, liveExpiries } from '../../core/instruments/index.js'
import { type Clock, istDate } from '../../core/time/index.js'

/**
 * Lot sizes from the instrument table, by the underlying a contract names and never by how its symbol begins. Of
 * the nearest expiry: exchanges change lots from one expiry to the next.
 */
export function flowLots(catalog: InstrumentCatalog, clock: Clock): LotsPort {
  return {
    lotSize(underlying, exchange) {
      const [nearest] = liveExpiries(catalog, { exchange, underlying }, istDate(clock.now()))
      const contracts = catalog.contracts(underlying, exchange, nearest)
      // Without a date ahead only contracts that never expire count.
      const live = nearest === undefined ? contracts.filter(({ expiry }) => expiry === '') : contracts
      const size = live[0]?.lotSize
      return size !== undefined && size > 0 ? size : undefined
    },
    isLoaded: (exchange) => catalog.underlyings(exchange).length > 0,
  }
}
