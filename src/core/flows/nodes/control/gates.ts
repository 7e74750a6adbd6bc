import {
  booleanText,
  decided,
  defineNode,
  type NodeDefinition,
  type NodeResult,
  type NodeRun,
} from '../definition.js'
import type { Field } from '../field.js'
import { flag } from '../output.js'

/** Gates combine conditions. Each waits for all its connected inputs and runs once. */

const gate = {
  family: 'condition',
  effect: 'gate',
  branching: true,
  output: { condition: flag('The result.') },
} as const
const inputCount: Field = {
  kind: 'integer',
  default: 2,
  min: 1,
  literal: true,
  description: 'Number of inputs an editor shows. Only the edges count in a run.',
}

const andGate = defineNode({
  ...gate,
  type: 'andGate',
  summary: 'Yes if all inputs are yes.',
  fields: { inputCount },
  run: (run) => several(run, 'AND Gate', run.inputs.length > 0 && run.inputs.every(Boolean)),
})

const orGate = defineNode({
  ...gate,
  type: 'orGate',
  summary: 'Yes if at least one input is yes.',
  fields: { inputCount },
  run: (run) => several(run, 'OR Gate', run.inputs.some(Boolean)),
})

function several(run: NodeRun, name: string, result: boolean): NodeResult {
  run.log(`${name}: [${run.inputs.map(booleanText).join(', ')}] -> ${booleanText(result)}`)
  return decided(result)
}

const notGate = defineNode({
  ...gate,
  type: 'notGate',
  summary: 'Yes if its input is no, and no if it is yes.',
  fields: {},
  run: (run) => {
    const [input = false] = run.inputs
    run.log(`NOT Gate: ${booleanText(input)} -> ${booleanText(!input)}`)
    return decided(!input)
  },
})

export const GATE_NODES: readonly NodeDefinition[] = [andGate, orGate, notGate]
