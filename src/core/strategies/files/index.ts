export {
  type Change,
  changesWithin,
  changeText,
  didYouMean,
  exportKey,
  type Finding,
  findingText,
  MAX_FILE_BYTES,
  movedFaults,
  tooLarge,
} from '../../documents/index.js'
export { contractsIn, type NamedContract } from './contracts.js'
export {
  readStrategyFile,
  readStrategyPatch,
  type StrategyFile,
  type StrategyPatch,
  writeStrategyFile,
} from './read.js'
