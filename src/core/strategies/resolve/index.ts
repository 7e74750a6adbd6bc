export { ResolveError } from './failure.js'
export {
  exitMoment,
  type ListedContracts,
  legsAt,
  neededPrice,
  orderProduct,
  type ResolvedLegs,
  type ResolveFailure,
  type ResolveSources,
  resolveLegs,
  runRisk,
} from './legs.js'
