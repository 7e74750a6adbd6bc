export type { NodeDefinition } from '../nodes/definition.js'
export { NODES } from '../nodes/index.js'
export { compare, type Outcome } from './compare.js'
export { type Change, changeText, contentHash, diff } from './diff.js'
export type { JsonSchema } from './field-schema.js'
export { hasOutputVariable } from './field-texts.js'
export {
  type FileCode,
  type Finding,
  findingText,
  inOrder,
  type Place,
  type ReadResult,
  type Severity,
} from './finding.js'
export { type LintOptions, lint, type NamedSymbol, symbolsIn } from './lint.js'
export { keyOf, readWorkflow, type WorkflowFile } from './read.js'
export {
  type Expectation,
  type ExpectedOrder,
  instantOf,
  isScenarioName,
  type LocatedScenario,
  type MarketStep,
  marketSteps,
  readScenarios,
  type Scenario,
  type ScenarioFile,
  scenarioSchema,
  spanMs,
} from './scenario.js'
export { workflowSchema } from './schema.js'
export { MAX_FILE_BYTES, tooLarge } from './source.js'
export type { Workflow } from './workflow.js'
export { type WriteReadableOptions, writeReadable } from './write.js'
