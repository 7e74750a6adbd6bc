export {
  type FeedState,
  FeedWatch,
  type FeedWatchOptions,
  SYMBOL_SILENCE_MS,
} from './feed-watch.js'
export {
  daysBefore,
  type HistoryQuery,
  history,
  INTERVALS,
  intervalsByUnit,
  isDaily,
  noStoredBars,
} from './history.js'
export { TickHub, type TickHubOptions, type TickListener, type UpstreamFeed } from './hub.js'
export { ListedMarket, notListed, notListedText } from './listed.js'
export { CallPacer } from './pacing.js'
export { type DepthQuote, MarketData, type MarketDataOptions, type QuoteOrError } from './quotes.js'
export * from './schema.js'
export { depthView, quoteView } from './views.js'
