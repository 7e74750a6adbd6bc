export { type ChainRequest, type OptionChain, optionChain } from './chain/chain.js'
export { ChainMemory } from './chain/chain-memory.js'
export {
  EXPIRY_RANKS,
  type ExpiryRank,
  expiryOfRank,
  type IsLive,
  type ListedExpiries,
  liveAt,
} from './chain/expiry-ranks.js'
export { atTheMoney, stepsOf, strikeLadder } from './chain/ladder.js'
export { manyOptionGreeks, type OptionGreeks, optionGreeks } from './greeks.js'
export type { GreeksRequest } from './option-leg.js'
export type { Listings, OptionSources } from './ports.js'
export { expiryInstant } from './pricing/cut-off.js'
export { type OptionRequest, OptionResolver } from './resolver.js'
export * from './schema.js'
export { syntheticFuture } from './synthetic-future.js'
export { namedUnderlying, optionsVenue, quotedUnderlying, spotExchange } from './underlying.js'
