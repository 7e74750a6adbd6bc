export {
  type Change,
  changeText,
  exportKey,
  type Finding,
  findingText,
  MAX_FILE_BYTES,
  movedFaults,
  tooLarge,
} from '../../documents/index.js'
export { readStrategyFile, readStrategyPatch, type StrategyFile, writeStrategyFile } from './read.js'
