export { type Bar, type BarFile, type Recording, readBars, type Series } from './bars.js'
export { type ContractChoice, RecordedContracts } from './contracts.js'
export type { EquityPoint } from './equity.js'
export type { Gap } from './gaps.js'
export { NO_SLIPPAGE, type Slippage } from './paper.js'
export type { ReplayedEvent, ReplayedRun, ReplayRequest } from './player.js'
export { type ReplayReport, type ReplaySummary, replay } from './report.js'
export { type RecordedSignal, readSignals } from './signals.js'
export {
  type Combination,
  combinationsOf,
  MAX_COMBINATIONS,
  parseSetting,
  RANKS,
  type Rank,
  ranked,
  type Setting,
} from './sweep.js'
export { DEFAULT_STEPS, MAX_STEPS } from './ticks.js'
export type { Trade } from './trades.js'
