export { entryAhead, exitMoment, isPastExit } from './exit.js'
export { type LotSizeOf, lotProblems } from './lots.js'
export { networkOf } from './networks.js'
export {
  type ConfigResult,
  invalidStrategy,
  kindOf,
  parseStrategy,
  readStrategy,
  STRATEGY_FIELDS,
} from './parse.js'
export { type ConfigProblem, pathText } from './problem.js'
export type { BatchConfig, BatchLeg, SignalConfig, SignalLeg, StrategyConfig } from './schema.js'
export * from './vocabulary.js'
