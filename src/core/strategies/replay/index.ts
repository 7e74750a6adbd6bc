export { parseStrategy, STRATEGY_FIELDS, type StrategyConfig } from '../config/index.js'
export { type BarFile, type Recording, readBars } from './bars.js'
export { type ContractChoice, RecordedContracts } from './contracts.js'
export { openReplay, type Replayer, type ReplayInput } from './open.js'
export { NO_SLIPPAGE, type Slippage } from './paper.js'
export type { ReplayRequest } from './player.js'
export { type ReplayReport, type ReplaySummary, replay } from './report.js'
export { readSignals } from './signals.js'
export {
  type Combination,
  combinationsOf,
  parseSetting,
  RANKS,
  type Rank,
  ranked,
  type Setting,
} from './sweep.js'
export { DEFAULT_STEPS, MAX_STEPS } from './ticks.js'
