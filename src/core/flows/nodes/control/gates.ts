import {
  decided,
  defineNode,
  type NodeDefinition,
  type NodeResult,
  type NodeRun,
  word,
} from '../definition.js'
import type { Field } from '../field.js'

/** Conditions put together: each waits for all its wired inputs and answers once (contract, flow section 2.5). */

const gate = { family: 'condition', effect: 'gate', branching: true } as const
const inputCount: Field = {
  kind: 'integer',
  default: 2,
  literal: true,
  description: 'Input slots shown by an editor; what counts are the wires.',
}

const andGate = defineNode({
  ...gate,
  type: 'andGate',
  summary: 'Yes when every input is.',
  fields: { inputCount },
  run: (run) => several(run, 'AND Gate', run.inputs.length > 0 && run.inputs.every(Boolean)),
})

const orGate = defineNode({
  ...gate,
  type: 'orGate',
  summary: 'Yes when any input is.',
  fields: { inputCount },
  run: (run) => several(run, 'OR Gate', run.inputs.some(Boolean)),
})

function several(run: NodeRun, name: string, result: boolean): NodeResult {
  run.log(`${name}: [${run.inputs.map(word).join(', ')}] -> ${word(result)}`)
  return decided(result)
}

const notGate = defineNode({
  ...gate,
  type: 'notGate',
  summary: 'The opposite of its input.',
  fields: {},
  run: (run) => {
    const [input = false] = run.inputs
    run.log(`NOT Gate: ${word(input)} -> ${word(!input)}`)
    return decided(!input)
  },
})

export const GATE_NODES: readonly NodeDefinition[] = [andGate, orGate, notGate]
