export { ResolveError } from './failure.js'
export {
  legsAt,
  neededPrice,
  orderProduct,
  type ResolvedLegs,
  type ResolveFailure,
  type ResolveSources,
  resolveLegs,
  runRisk,
} from './legs.js'
export { type LimitSources, limitsOf } from './limits.js'
export type { IntradayEnd, ListedContracts, TradingRules } from './listed.js'
