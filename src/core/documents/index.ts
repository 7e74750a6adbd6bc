export {
  type ExpectedVersions,
  expectedOf,
  exportKey,
  isSameFile,
  type StoredVersion,
  unexpectedVersions,
} from './applied.js'
export {
  type Change,
  canonicalJson,
  changesBetween,
  changesWithin,
  changeText,
  withoutNulls,
} from './changes.js'
export {
  type DocumentCode,
  didYouMean,
  type FilePosition,
  type Finding,
  findingText,
  inOrder,
  likelyName,
  type ReadResult,
  type Severity,
} from './finding.js'
export { isKey, KEY_RULE, keyOf } from './key.js'
export {
  byFileKey,
  type Located,
  located,
  type MovedFault,
  type MovedFile,
  movedFaults,
  movedFindings,
  movedOf,
} from './moved.js'
export { type Path, partsOf, pointerOf } from './pointer.js'
export {
  readSavedPlan,
  type SavedPlan,
  type SavedPlanResult,
  type SavedRow,
  savedPlanText,
} from './saved-plan.js'
export { MAX_FILE_BYTES, parseSource, type Source, tooLarge } from './source.js'
export { yamlOf } from './yaml.js'
