export { parseStrategy, STRATEGY_FIELDS, type StrategyConfig } from '../config/index.js'
export { openReplay, type Replayer, type ReplayInput } from './open.js'
export { NO_SLIPPAGE, type Slippage } from './paper.js'
export type { ReplayProgress, ReplayRequest } from './player.js'
export { type BarFile, type Recording, readBars } from './recorded/bars.js'
export { type ContractChoice, RecordedContracts } from './recorded/contracts.js'
export { readSignals } from './recorded/signals.js'
export { DEFAULT_STEPS } from './recorded/ticks.js'
export { type Pause, type ReplayReport, type ReplaySummary, replay } from './results/report.js'
export {
  type Combination,
  combinationsOf,
  parseSetting,
  RANKS,
  type Rank,
  ranked,
  type Setting,
} from './sweep.js'
