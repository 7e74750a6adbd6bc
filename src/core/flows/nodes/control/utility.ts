import { istDate, istInstant } from '../../../time/index.js'
import { LIMITS } from '../../graph/graph.js'
import { evaluate } from '../../language/expression.js'
import { interpolatedText } from '../../language/interpolation.js'
import { parseNumber } from '../../language/numbers.js'
import { defineNode, type NodeDefinition, NodeError, type NodeRun, succeeded } from '../definition.js'
import { number } from '../output.js'
import { clockText, clockTime } from './clock-time.js'

/** Nodes for arithmetic, log lines and delays. The variable node has its own file. */

/** A character of an expression takes as long as so many characters that are copied. */
const EXPRESSION_EFFORT = 25

const mathExpression = defineNode({
  family: 'utility',
  effect: 'data',
  type: 'mathExpression',
  summary: 'Computes with numbers and variables: + - * / % ** and parentheses.',
  fields: {
    expression: {
      kind: 'text',
      required: true,
      description: 'The expression. References are resolved first.',
    },
  },
  output: {
    result: number('The number. `outputVariable` stores the number itself; its default name is `result`.'),
  },
  run: (run) => {
    if (run.blank('expression')) throw new NodeError('No expression provided')
    const text = run.text('expression')
    run.log(`Evaluating: ${String(run.raw('expression'))}`)
    run.log(`Interpolated: ${text}`)
    run.spend(text.length * EXPRESSION_EFFORT)
    const result = evaluate(text)
    const name = run.outputName() ?? 'result'
    run.setVariable(name, result)
    run.log(`Result: ${name} = ${result}`)
    return succeeded({ result })
  },
})

const LEVELS = ['info', 'warn', 'error'] as const

const log = defineNode({
  family: 'utility',
  effect: 'data',
  type: 'log',
  summary: 'Writes a line into the log of the run. A line of level error does not fail the run.',
  fields: {
    message: { kind: 'text', default: '', embedsJson: true, description: 'The line.' },
    level: { kind: 'text', literal: true, default: 'info', choices: LEVELS, description: 'Its level.' },
  },
  run: (run) => {
    const level = LEVELS.find((known) => known === run.text('level')) ?? 'info'
    run.log(`[LOG] ${run.text('message')}`, level)
    return succeeded()
  },
})

const UNIT_SECONDS: Readonly<Record<string, number>> = { seconds: 1, minutes: 60, hours: 3600 }

const delay = defineNode({
  family: 'utility',
  effect: 'time',
  type: 'delay',
  summary: `Waits for a time, at most ${LIMITS.delaySeconds} seconds.`,
  fields: {
    delayValue: { kind: 'number', min: 0, literal: true, description: 'Length of the delay.' },
    delayUnit: {
      kind: 'text',
      literal: true,
      default: 'seconds',
      choices: Object.keys(UNIT_SECONDS),
      description: 'Unit of `delayValue`.',
    },
    delayMs: {
      kind: 'number',
      min: 0,
      literal: true,
      default: 1000,
      description: 'For older graphs: the delay in milliseconds, if there is no `delayValue`.',
    },
  },
  run: async (run) => {
    const asked = run.blank('delayValue')
      ? literal(run, 'delayMs') / 1000
      : literal(run, 'delayValue') * (UNIT_SECONDS[run.text('delayUnit')] ?? 1)
    const seconds = Math.max(0, Math.min(asked, LIMITS.delaySeconds))
    if (asked > seconds) {
      run.log(
        `Delay of ${asked}s exceeds the ${LIMITS.delaySeconds}s maximum; waiting the maximum instead.`,
        'warning',
      )
    }
    run.log(`Waiting for ${seconds} seconds`)
    await run.sleep(seconds * 1000)
    return succeeded()
  },
})

function literal(run: NodeRun<'delayMs' | 'delayValue'>, field: 'delayMs' | 'delayValue'): number {
  const value = run.raw(field)
  const number = parseNumber(value)
  if (number === undefined) throw new NodeError(`${field} is not a number: '${interpolatedText(value)}'`)
  return number
}

const waitUntil = defineNode({
  family: 'utility',
  effect: 'time',
  type: 'waitUntil',
  summary: 'Waits until a time of day. If it has passed, continues at once.',
  fields: {
    targetTime: {
      kind: 'time',
      required: true,
      default: '09:30',
      description: 'HH:MM or HH:MM:SS, in IST.',
    },
  },
  run: async (run) => {
    const target = clockText(clockTime('targetTime', run.raw('targetTime')))
    const { clock } = run.ports
    const now = clock.now()
    const instant = istInstant(istDate(now), target)
    if (instant <= now) {
      run.log(`Target time ${target} already passed`)
      return succeeded()
    }
    run.log(`Waiting until ${target}`)
    await run.sleepUntil(instant)
    return succeeded()
  },
})

const group = defineNode({
  family: 'utility',
  effect: 'none',
  type: 'group',
  summary: 'A frame around nodes in an editor. It does nothing in a run.',
  fields: {
    label: { kind: 'text', default: '', description: 'Its title.' },
    color: {
      kind: 'text',
      literal: true,
      default: 'default',
      choices: ['default', 'blue', 'green', 'red', 'purple', 'orange'],
      description: 'Its colour.',
    },
  },
  run: () => undefined,
})

export const UTILITY_NODES: readonly NodeDefinition[] = [mathExpression, log, delay, waitUntil, group]
