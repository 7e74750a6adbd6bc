export {
  type Change,
  changeText,
  type Finding,
  findingText,
  keyOf,
  MAX_FILE_BYTES,
  tooLarge,
} from '../../documents/index.js'
export { readStrategyFile, readStrategyPatch, type StrategyFile, writeStrategyFile } from './read.js'
