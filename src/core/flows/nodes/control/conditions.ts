import { istMillisOfDay, istTime, MINUTE_MS } from '../../../time/index.js'
import { hasReference, isBlank } from '../../graph/graph.js'
import { interpolatedText } from '../../language/interpolation.js'
import { parseComparable, parseNumber } from '../../language/numbers.js'
import {
  booleanText,
  decided,
  defineNode,
  type NodeDefinition,
  NodeError,
  type NodeResult,
  type NodeRun,
  undecided,
} from '../definition.js'
import { oneOf } from '../form.js'
import { anything, flag, number, text } from '../output.js'
import { exchangeField, productField, readOrFail, rowsOf, symbolField } from '../shared.js'
import { clockText, clockTime, millisOf } from './clock-time.js'
import { holds, OPERATORS, signOf } from './comparison.js'

/** Condition nodes. Their result is yes, no or undecided. */

const QUOTE_FIELDS = ['ltp', 'open', 'high', 'low', 'prev_close', 'change_percent'] as const

const condition = { family: 'condition', effect: 'condition', branching: true } as const

const DECISION = { condition: flag('The result.') }

const priceCondition = defineNode({
  ...condition,
  type: 'priceCondition',
  summary: 'Compares a field of the quote with a number.',
  fields: {
    symbol: symbolField,
    exchange: exchangeField,
    field: {
      kind: 'text',
      default: 'ltp',
      choices: QUOTE_FIELDS,
      description: 'Field of the quote to compare.',
    },
    operator: {
      kind: 'text',
      required: true,
      default: '>',
      choices: OPERATORS,
      description: 'Comparison operator.',
    },
    value: { kind: 'number', default: 0, aliases: ['threshold'], description: 'Number to compare with.' },
  },
  output: {
    ltp: number('Last price.'),
    field: text('The compared field.'),
    field_value: number('Its value.'),
    ...DECISION,
  },
  run: async (run) => {
    const [field, operator, value] = [run.text('field'), run.text('operator'), run.number('value')]
    const ref = { symbol: run.text('symbol'), exchange: run.text('exchange') }
    const { data } = await readOrFail(run, 'quotes', ref)
    const [quote = {}] = rowsOf([data])
    // A symbol without trades has no price, which must not count as below every limit.
    if (priceIn(quote.ltp) === undefined) return undecided(`there is no price for ${ref.symbol}`)
    const fieldValue = field === 'change_percent' ? changePercent(quote) : priceIn(quote[field])
    if (fieldValue === undefined) return undecided(`the quote of ${ref.symbol} has no ${field}`)
    const met = compared(run, `${ref.symbol} ${field}`, { left: fieldValue, operator, right: value })
    return decided(met, { ltp: quote.ltp, field, field_value: fieldValue })
  },
})

/** Returns a price of a quote; undefined for the 0 of a price that is not there yet, as the low before the first trade. */
function priceIn(value: unknown): number | undefined {
  const price = parseNumber(value)
  return price !== undefined && price > 0 ? price : undefined
}

/** Compares two numbers and logs both, so that the log explains the result. */
function compared(
  run: Pick<NodeRun, 'log'>,
  what: string,
  { left, operator, right }: { left: number; operator: string; right: number },
): boolean {
  const met = holds(left, operator, right)
  run.log(`${what}: ${left} ${operator} ${right} -> ${booleanText(met)}`)
  return met
}

function changePercent({ ltp, prev_close }: Readonly<Record<string, unknown>>): number | undefined {
  const [last, previous] = [parseNumber(ltp), parseNumber(prev_close)]
  if (last === undefined || previous === undefined) return undefined
  return previous === 0 ? 0 : ((last - previous) / previous) * 100
}

const varCondition = defineNode({
  ...condition,
  type: 'varCondition',
  summary: 'Compares two numbers, usually variables; or two texts, if one side is in quotes.',
  fields: {
    leftValue: {
      kind: 'text',
      required: true,
      description: 'Left side: a number after references are resolved, or a text in quotes.',
    },
    operator: {
      kind: 'text',
      required: true,
      default: '>',
      choices: OPERATORS,
      description: 'Comparison operator.',
    },
    rightValue: {
      kind: 'text',
      description: 'Right side, in the same form as the left one.',
    },
  },
  output: {
    left: anything('Left value.'),
    operator: text('The operator.'),
    right: anything('Right value.'),
    ...DECISION,
  },
  run: (run) => {
    const operator = run.text('operator')
    if (quotedIn(run.raw('leftValue')) !== undefined || quotedIn(run.raw('rightValue')) !== undefined) {
      return comparedTexts(run, operator)
    }
    const [left, right] = [side(run, 'leftValue'), side(run, 'rightValue')]
    return decided(compared(run, 'varCondition', { left, operator, right }), { left, operator, right })
  },
})

const QUOTED = /^\s*(?:'([^']*)'|"([^"]*)")\s*$/

/** Returns the text between quotes; undefined for a value without quotes. */
function quotedIn(saved: unknown): string | undefined {
  const [, single, double] = typeof saved === 'string' ? (QUOTED.exec(saved) ?? []) : []
  return single ?? double
}

type VarRun = NodeRun<'leftValue' | 'rightValue' | 'operator'>

/** Compares the sides as texts. Quotes belong to the configuration, so data of a run never changes the kind. */
function comparedTexts(run: VarRun, operator: string): NodeResult {
  const sign = signOf(operator)
  if (sign !== '==' && sign !== '!=') throw new NodeError(`texts are compared only with == and !=`)
  const [left, right] = [textSide(run, 'leftValue'), textSide(run, 'rightValue')]
  const met = (left === right) === (sign === '==')
  run.log(`varCondition: '${left}' ${operator} '${right}' -> ${booleanText(met)}`)
  return decided(met, { left, operator, right })
}

function textSide(run: VarRun, field: 'leftValue' | 'rightValue'): string {
  if (run.blank(field)) throw new NodeError(`${field} is empty`)
  const text = run.interpolate(quotedIn(run.raw(field)) ?? interpolatedText(run.raw(field)))
  if (hasReference(text)) throw new NodeError(`${field} did not resolve: '${text}'`)
  return text
}

function side(run: NodeRun<'leftValue' | 'rightValue'>, field: 'leftValue' | 'rightValue'): number {
  if (run.blank(field)) throw new NodeError(`${field} is empty`)
  const text = run.text(field)
  const number = parseComparable(text)
  if (number === undefined) throw new NodeError(`${field} did not resolve to a number: '${text}'`)
  return number
}

const FLAT = { quantity: 0, pnl: 0 }

interface PositionTest {
  of: 'quantity' | 'pnl'
  operator: string
  /** The right side; undefined for the threshold of the node. */
  right?: number
}

const POSITION_TESTS: Readonly<Record<string, PositionTest>> = {
  exists: { of: 'quantity', operator: '!=', right: 0 },
  not_exists: { of: 'quantity', operator: '==', right: 0 },
  quantity_above: { of: 'quantity', operator: '>' },
  quantity_below: { of: 'quantity', operator: '<' },
  pnl_above: { of: 'pnl', operator: '>' },
  pnl_below: { of: 'pnl', operator: '<' },
}

const positionCheck = defineNode({
  ...condition,
  type: 'positionCheck',
  summary: 'Checks the open position in a symbol. A short position has a negative quantity.',
  fields: {
    symbol: symbolField,
    exchange: exchangeField,
    product: productField,
    condition: {
      kind: 'text',
      required: true,
      default: 'exists',
      choices: Object.keys(POSITION_TESTS),
      description: 'Condition to check.',
    },
    threshold: { kind: 'number', default: 0, description: 'Quantity, or profit in rupees, to compare with.' },
  },
  output: { quantity: number('Signed net quantity.'), pnl: number('Its profit or loss.'), ...DECISION },
  run: async (run) => {
    const symbol = run.text('symbol').trim().toUpperCase()
    if (symbol === '') throw new NodeError('Position Check has no symbol, so it cannot check a position.')
    if (hasReference(symbol)) throw new NodeError(`symbol did not resolve: '${run.text('symbol')}'`)
    const asked = run.text('condition')
    const positionTest = POSITION_TESTS[asked]
    if (!positionTest) return undecided(`condition '${asked}' is not known`)
    const limit = run.number('threshold')
    const ref = { symbol, exchange: run.text('exchange'), product: run.text('product') }
    const { data } = await readOrFail(run, 'positionbook', {})
    // Only a complete position list without the symbol proves that there is no position.
    if (!Array.isArray(data)) return undecided('the broker returned no positions')
    const row = rowsOf(data).find((one) => Object.entries(ref).every(([name, value]) => one[name] === value))
    const position = row ? { quantity: parseNumber(row.quantity), pnl: parseNumber(row.pnl) } : FLAT
    const left = position[positionTest.of]
    if (left === undefined) return undecided(`the position in ${symbol} cannot be read`)
    const { operator, right = limit } = positionTest
    const met = compared(run, `${symbol} position ${positionTest.of}`, { left, operator, right })
    return decided(met, { quantity: position.quantity ?? 0, pnl: position.pnl ?? 0 })
  },
})

const AT_LEAST = ['gt', 'gte', 'ge', '>', '>=']

const fundCheck = defineNode({
  ...condition,
  type: 'fundCheck',
  summary: 'Checks whether the available cash is at least a minimum.',
  fields: {
    minAvailable: {
      kind: 'number',
      required: true,
      aliases: ['threshold'],
      description: 'Minimum cash, in rupees.',
    },
    operator: {
      kind: 'text',
      form: oneOf(AT_LEAST),
      literal: true,
      description: 'Only for graphs older than `minAvailable`. It must mean "at least".',
    },
  },
  output: { available: number('Cash available, in rupees.'), ...DECISION },
  run: async (run): Promise<NodeResult> => {
    if (run.blank('minAvailable')) {
      throw new NodeError('Fund Check has no minimum, so it cannot check the funds.')
    }
    const operator = run.raw('operator')
    if (!isBlank(operator) && !AT_LEAST.includes(interpolatedText(operator).trim().toLowerCase())) {
      // Inverting a safety check without notice would be worse than stopping.
      return {
        status: 'error',
        message: `Fund Check does not support the operator '${interpolatedText(operator)}'; set minAvailable instead.`,
      }
    }
    const minimum = run.number('minAvailable')
    const { data } = await readOrFail(run, 'funds', {})
    const [funds = {}] = rowsOf([data])
    const available = parseNumber(funds.availablecash)
    if (available === undefined) return undecided('the broker returned no available cash')
    const met = compared(run, 'available cash', { left: available, operator: '>=', right: minimum })
    return decided(met, { available })
  },
})

const timeWindow = defineNode({
  ...condition,
  type: 'timeWindow',
  summary: 'Checks whether the time is between two times of day. The window may cross midnight.',
  fields: {
    startTime: { kind: 'time', default: '09:15', description: 'Start of the window.' },
    endTime: { kind: 'time', default: '15:30', description: 'End of the window, included.' },
    invertCondition: {
      kind: 'flag',
      default: false,
      description: 'Check whether the time is outside the window instead.',
    },
  },
  output: DECISION,
  run: (run) => {
    const now = istMillisOfDay(run.ports.clock.now())
    const [from, to] = [windowEdge(run, 'startTime'), windowEdge(run, 'endTime')]
    const [start, end] = [from.ms, to.ms]
    const inside = start <= end ? start <= now && now <= end : now >= start || now <= end
    const outside = run.flag('invertCondition')
    const met = inside !== outside
    const time = istTime(run.ports.clock.now())
    run.log(
      `timeWindow: ${time} ${outside ? 'outside' : 'inside'} ${from.text} to ${to.text} -> ${booleanText(met)}`,
    )
    return decided(met)
  },
})

function windowEdge(run: NodeRun<'startTime' | 'endTime'>, field: 'startTime' | 'endTime') {
  const minute = { ...clockTime(field, run.raw(field)), second: 0 }
  return { ms: millisOf(minute), text: clockText(minute) }
}

const TIME_OPERATORS = ['>=', '<=', '>', '<', '==']

const timeCondition = defineNode({
  ...condition,
  type: 'timeCondition',
  summary: 'Compares the time of day with a target.',
  fields: {
    targetTime: { kind: 'time', default: '09:30', description: 'Time to compare with, HH:MM or HH:MM:SS.' },
    operator: {
      kind: 'text',
      literal: true,
      default: '>=',
      choices: TIME_OPERATORS,
      description: 'Comparison operator. == compares only hour and minute.',
    },
    conditionType: {
      kind: 'text',
      literal: true,
      default: 'entry',
      choices: ['entry', 'exit', 'custom'],
      description: 'A label.',
    },
  },
  output: {
    condition_type: text('The label.'),
    current_time: text('The current time, HH:MM:SS.'),
    target_time: text('The target time, HH:MM:SS.'),
    operator: text('The operator.'),
    ...DECISION,
  },
  run: (run) => {
    const instant = run.ports.clock.now()
    const target = clockTime('targetTime', run.raw('targetTime'))
    const operator = run.text('operator')
    const step = operator === '==' ? MINUTE_MS : 1000
    const [now, targetTime] = [istMillisOfDay(instant), millisOf(target)].map((time) =>
      Math.floor(time / step),
    )
    const met = holds(now ?? 0, operator, targetTime ?? 0)
    run.log(`timeCondition: ${istTime(instant)} ${operator} ${clockText(target)} -> ${booleanText(met)}`)
    return decided(met, {
      condition_type: run.text('conditionType'),
      current_time: istTime(instant),
      target_time: clockText(target),
      operator,
    })
  },
})

export const CONDITION_NODES: readonly NodeDefinition[] = [
  priceCondition,
  varCondition,
  positionCheck,
  fundCheck,
  timeWindow,
  timeCondition,
]
