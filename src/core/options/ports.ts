import type { Calendar } from '../calendar/index.js'
import type { InstrumentCatalog } from '../instruments/index.js'
import type { ListedMarket } from '../market/index.js'
import type { Clock } from '../time/index.js'

/** The listed contracts, and the calendar that says when they expire. */
export interface Listings {
  catalog: InstrumentCatalog
  calendar: Pick<Calendar, 'sessionOf'>
}

/** The dependencies of the option calculations. */
export interface OptionSources extends Listings {
  market: Pick<ListedMarket, 'quote' | 'quotes'>
  clock: Clock
}
