import type { Calendar } from '../../core/calendar/index.js'
import type { Instruments } from '../../core/instruments/index.js'
import type { ListedMarket, MarketData } from '../../core/market/index.js'
import type { ChainMemory, OptionChain, OptionResolver, OptionSources } from '../../core/options/index.js'
import type { AccountViews, Margins } from '../../core/orders/index.js'
import type { Clock } from '../../core/time/index.js'
import type { BarAnswers } from './market/bars/bar-answers.js'
import type { QuoteAnswers } from './market/quote-answers.js'
import { builders } from './operation.js'

/** What the functions take that workflows call, too: parts of the service that are there before its workflows. */
export interface ReadSources {
  account: AccountViews
  barAnswers: BarAnswers
  calendar: Calendar
  chains: ChainMemory<OptionChain>
  clock: Clock
  instruments: Instruments
  listed: ListedMarket
  margins: Margins
  market: MarketData
  optionResolver: OptionResolver
  optionSources: OptionSources
  quoteAnswers: QuoteAnswers
}

/** The builders of operations that nodes of workflows can read. */
export const { keyed } = builders<ReadSources>()
