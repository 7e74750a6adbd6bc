export { TickHub, type TickHubOptions, type TickListener, type UpstreamFeed } from './hub.js'
export { MarketData, type MarketDataOptions, type QuoteOrError } from './quotes.js'
export * from './schema.js'
