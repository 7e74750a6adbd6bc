import type { Almanac } from '../../calendar/index.js'
import type { InstrumentCatalog } from '../../instruments/index.js'
import type { SymbolRef } from '../../market/index.js'

/** The listed contracts and the hours in which they trade. */
export interface ListedContracts {
  catalog: InstrumentCatalog
  almanac: Pick<Almanac, 'sessionOf'>
  /** Contracts that somebody chose for legs of a batch strategy, by the id of the leg. They replace expiry and strike. */
  chosen?: ReadonlyMap<number, SymbolRef>
}
