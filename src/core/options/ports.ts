import type { InstrumentCatalog } from '../instruments/index.js'
import type { ListedMarket } from '../market/index.js'
import type { Clock } from '../time/index.js'

/** The dependencies of the option calculations. */
export interface OptionSources {
  catalog: InstrumentCatalog
  market: Pick<ListedMarket, 'quote' | 'quotes'>
  clock: Clock
}
