import { CALENDAR_OPERATIONS } from './calendar.js'
import { HOURS_OPERATIONS } from './hours.js'
import { INSTRUMENT_LIST_OPERATIONS } from './instrument-list.js'
import { OPTION_OPERATIONS } from './options.js'
import { PRICE_OPERATIONS } from './prices.js'
import { SYMBOL_OPERATIONS } from './symbols.js'
import { TICKER_OPERATIONS } from './ticker.js'

/** Market data, instruments, options and calendar (docs/api.md, "Market data and instruments"). */
export const MARKET_OPERATIONS = {
  ...PRICE_OPERATIONS,
  ...TICKER_OPERATIONS,
  ...SYMBOL_OPERATIONS,
  ...INSTRUMENT_LIST_OPERATIONS,
  ...OPTION_OPERATIONS,
  ...CALENDAR_OPERATIONS,
  ...HOURS_OPERATIONS,
}
