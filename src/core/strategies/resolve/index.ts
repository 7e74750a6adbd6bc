export { ResolveError } from './failure.js'
export {
  exitMoment,
  orderProduct,
  type ResolvedLegs,
  type ResolveFailure,
  type ResolveSources,
  resolveLegs,
  runRisk,
} from './legs.js'
