export {
  type Change,
  changeText,
  exportKey,
  type FilePosition,
  findingText,
  inOrder,
  keyOf,
  MAX_FILE_BYTES,
  movedFaults,
  readSavedPlan,
  type SavedPlan,
  type SavedRow,
  type Severity,
  savedPlanText,
  tooLarge,
} from '../../documents/index.js'
export { type IndicatorFacts, indicatorFacts } from '../indicators/facts.js'
export type { NodeDefinition } from '../nodes/definition.js'
export { NODES } from '../nodes/index.js'
export { outputLines } from '../nodes/output.js'
export type { FileCode, Finding, ReadResult } from './check/finding.js'
export { type LintOptions, lint, type NamedSymbol, symbolsIn } from './check/lint.js'
export { addedProblems, readinessProblems } from './check/readiness.js'
export { compare, type Failure, failureTexts, type Outcome } from './diff/compare.js'
export { contentHash, diff } from './diff/diff.js'
export { type Difference, graphDifferences } from './diff/elements.js'
export { type DrawnStep, drawingOf } from './draw/drawing.js'
export { mermaidOf } from './draw/mermaid.js'
export { treeOf } from './draw/tree.js'
export { readWorkflow, type WorkflowFile } from './read/read.js'
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
export type { JsonSchema } from './schema/field-schema.js'
export { hasOutputVariable } from './schema/field-texts.js'
export { workflowSchema } from './schema/workflow-schema.js'
export type { Workflow } from './workflow.js'
export { type WriteReadableOptions, writeReadable } from './write.js'
