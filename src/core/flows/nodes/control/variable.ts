import { interpolatedText, segmentsOf, walkInto } from '../../language/interpolation.js'
import { jsonIn, shallow } from '../../language/json.js'
import { parseNumber } from '../../language/numbers.js'
import { boundedLength } from '../../language/size.js'
import { defineNode, type NodeDefinition, NodeError, type NodeRun, succeeded } from '../definition.js'
import { anything, text } from '../output.js'

/** The variable node: sets, reads, computes and converts values of the run. */

type Field = 'variableName' | 'operation' | 'value' | 'sourceVariable' | 'jsonPath'
type Run = NodeRun<Field>
type Operation = (run: Run, name: string) => unknown

const ARITHMETIC: Readonly<Record<string, (current: number, by: number) => number>> = {
  add: (current, by) => current + by,
  subtract: (current, by) => current - by,
  multiply: (current, by) => current * by,
  divide: (current, by) => current / by,
}

const OPERATIONS: Readonly<Record<string, Operation>> = {
  set: (run, name) => {
    const value = parsedIfJson(run.value('value') ?? '')
    run.log(`Set variable ${name} = ${interpolatedText(value)}`)
    return value
  },
  get: (run) => source(run),
  ...Object.fromEntries(Object.keys(ARITHMETIC).map((operation) => [operation, arithmetic(operation)])),
  increment: (run, name) => numberIn(run.getVariable(name), name) + 1,
  decrement: (run, name) => numberIn(run.getVariable(name), name) - 1,
  parse_json: (run) => parseJson(run.blank('sourceVariable') ? run.value('value') : source(run)),
  stringify: (run) =>
    JSON.stringify((run.blank('sourceVariable') ? run.value('value') : source(run)) ?? null),
  append: (run, name) => {
    const [current, added] = [run.getVariable(name), run.value('value') ?? '']
    return Array.isArray(current)
      ? [...current, added]
      : `${interpolatedText(current ?? '')}${interpolatedText(added)}`
  },
}

export const variable: NodeDefinition = defineNode({
  family: 'utility',
  effect: 'data',
  type: 'variable',
  summary: 'Sets a variable of the run, or computes with it.',
  fields: {
    variableName: {
      kind: 'text',
      literal: true,
      required: true,
      aliases: ['name'],
      description: 'Name of the variable.',
    },
    operation: {
      kind: 'text',
      literal: true,
      default: 'set',
      choices: Object.keys(OPERATIONS),
      description: 'Operation on the variable.',
    },
    value: {
      kind: 'json',
      description:
        'The new value, or the operand. A single reference keeps its type; JSON text becomes a list or an object.',
    },
    sourceVariable: {
      kind: 'text',
      literal: true,
      description: 'The variable that get, parse_json and stringify read.',
    },
    jsonPath: {
      kind: 'text',
      literal: true,
      description: 'Path inside `sourceVariable`, such as `data[0].close`.',
    },
  },
  output: { variable: text('Name of the variable.'), value: anything('Its new value.') },
  run: (run) => {
    const name = String(run.raw('variableName') ?? '').trim()
    if (name === '') throw new NodeError('variableName is empty')
    const value = kept(OPERATIONS[run.text('operation')]?.(run, name))
    run.setVariable(name, value)
    return succeeded({ variable: name, value })
  },
})

/** Refuses numbers that are not finite and values that are too long. */
function kept(value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new NodeError('The result is too large')
  shallow(value)
  boundedLength(value)
  return value
}

function arithmetic(operation: string): Operation {
  return (run, name) => {
    const current = numberIn(run.getVariable(name), name)
    const by = run.blank('value') ? 0 : numberIn(run.value('value'), 'value')
    if (operation === 'divide' && by === 0) {
      run.log(`Variable ${name} divided by zero; it is now 0.`, 'warning')
      return 0
    }
    return ARITHMETIC[operation]?.(current, by)
  }
}

function numberIn(value: unknown, name: string): number {
  const number = value === undefined ? 0 : parseNumber(value)
  if (number === undefined) throw new NodeError(`${name} is not a number: '${interpolatedText(value)}'`)
  return number
}

function source(run: Run): unknown {
  const name = String(run.raw('sourceVariable') ?? '').trim()
  const path = String(run.raw('jsonPath') ?? '').trim()
  const segments = path === '' ? [] : segmentsOf(path)
  const value = segments && walkInto(run.getVariable(name), segments)
  if (value === undefined) throw new NodeError(`${path === '' ? name : `${name} ${path}`} does not exist`)
  return value
}

function parseJson(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const parsed = jsonIn(value)
  if (parsed === undefined) throw new NodeError(`The value is not valid JSON: ${value.slice(0, 100)}`)
  return parsed
}

/** Parses text that looks like a list or an object; text that is not valid JSON stays text. */
function parsedIfJson(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  return jsonIn(value) ?? value
}
