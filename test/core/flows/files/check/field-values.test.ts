import { describe, expect, it, test } from 'vitest'
import { valueProblems } from '../../../../../src/core/flows/files/check/field-values.js'
import { lint } from '../../../../../src/core/flows/files/check/lint.js'
import { readWorkflow } from '../../../../../src/core/flows/files/read/read.js'
import { configurationSchema } from '../../../../../src/core/flows/files/schema/field-schema.js'
import type { FlowGraph } from '../../../../../src/core/flows/graph/graph.js'
import { validateGraph } from '../../../../../src/core/flows/graph/validate.js'
import type { Field } from '../../../../../src/core/flows/nodes/field.js'
import { NODES } from '../../../../../src/core/flows/nodes/index.js'
import { mistakes } from '../json-schema.js'

/** Fields that may hold any text or JSON, so that there is nothing to check before a run. */
const FREE = new Set([
  ...['label', 'message', 'strategyTag', 'strategy', 'basketName', 'orderId', 'expression', 'variableName'],
  ...['sourceVariable', 'jsonPath', 'sourceSeries', 'sourceField', 'value', 'leftValue', 'rightValue'],
  // Checked by rules of their nodes.
  ...['days', 'params', 'headers', 'body'],
])

const FIELDS = Object.values(NODES).flatMap((definition) =>
  Object.entries(definition.fields).map(([name, field]) => ({
    type: definition.type,
    name,
    field,
    definition,
  })),
)
const isNumeric = ({ kind }: Field) => kind === 'number' || kind === 'integer'
const isChecked = (field: Field) =>
  field.form !== undefined ||
  field.choices !== undefined ||
  field.items !== undefined ||
  ['time', 'flag'].includes(field.kind) ||
  isNumeric(field)

const graphWith = (type: string, data: Record<string, unknown>): FlowGraph => ({
  nodes: [{ id: 'n', type, position: { x: 0, y: 0 }, data }],
  edges: [],
})

/** Returns the paths of all complaints about written values, before and after storing. */
function complaints(type: string, data: Record<string, unknown>): string[] {
  const graph = graphWith(type, data)
  const found = [...valueProblems(graph), ...validateGraph(graph, { strict: true })]
  const values = found.filter(
    ({ code, path }) => code !== 'missing_required_field' && path.startsWith('/nodes/0/data'),
  )
  return [...new Set(values.map(({ path }) => path))]
}

test('every field of every node is checked or may hold anything', () => {
  const unchecked = FIELDS.filter(({ field, name }) => !isChecked(field) && !FREE.has(name))
  expect(unchecked.map(({ type, name }) => `${type}.${name}`)).toEqual([])
})

describe.each(FIELDS.filter(({ field }) => isChecked(field) && !field.items))(
  '$type.$name',
  ({ type, name, field, definition }) => {
    const schema = configurationSchema({ ...definition, fields: { [name]: { ...field, required: false } } })

    it('refuses a wrong value, also in the schema', () => {
      const wrong = 'not: right, surely'
      expect(complaints(type, { [name]: wrong })).toContain(`/nodes/0/data/${name}`)
      expect(mistakes({ [name]: wrong }, schema)).toHaveLength(1)
    })

    it('refuses numbers out of its range, also in the schema', () => {
      const { min, max } = field
      const outside = [...(min === undefined ? [] : [min - 1]), ...(max === undefined ? [] : [max + 1])]
      for (const number of outside) {
        expect(complaints(type, { [name]: number })).toContain(`/nodes/0/data/${name}`)
        expect(mistakes({ [name]: number }, schema)).toHaveLength(1)
      }
    })

    it('accepts its default and its names', () => {
      const fine = [field.default, ...(field.choices ?? []), ...(field.form?.names ?? [])]
      // The validator of graphs refuses a written 0, which the default of some split sizes is.
      const written = fine.filter((one) => one !== undefined && (name !== 'splitSize' || one !== 0))
      for (const value of written) {
        const path = `/nodes/0/data/${name}`
        expect([value, complaints(type, { [name]: value }).filter((one) => one === path)]).toEqual([
          value,
          [],
        ])
        expect([value, mistakes({ [name]: value }, schema)]).toEqual([value, []])
      }
    })

    it('leaves references to the run if it resolves them, and refuses them otherwise', () => {
      const isWritten =
        field.literal || ['time', 'flag'].includes(field.kind) || definition.family === 'trigger'
      expect(complaints(type, { [name]: '{{x}}' })).toEqual(isWritten ? [`/nodes/0/data/${name}`] : [])
    })
  },
)

function found(node: string): string[] {
  const result = readWorkflow(`name: n\nnodes:\n  go: {type: start, next: a}\n  a: ${node}\n`, 'f')
  if (!result.ok) throw new Error(JSON.stringify(result.findings))
  return lint(result.value).map(({ severity, code, message }) => `${severity}[${code}]: ${message}`)
}

const INTERVALS =
  '1s, 5s, 10s, 15s, 30s, 45s, 1m, 2m, 3m, 5m, 10m, 15m, 20m, 30m, 1h, 2h, 3h, 4h, D, W, M, Q, Y'
const BAR = 'symbol: SBIN, exchange: NSE'

describe('what validate says', () => {
  const table: [string, string[]][] = [
    [
      '{type: timeCondition, with: {targetTime: 25:10}, yes: a2}\n  a2: {type: log}',
      ["error[invalid_field]: Node 'a': targetTime '25:10' is not a time of day, HH:MM or HH:MM:SS."],
    ],
    [
      `{type: indicator, with: {${BAR}, indicatorName: rsii}}`,
      [`error[invalid_field]: Node 'a': indicatorName 'rsii' is not an indicator. Did you mean "rsi"?`],
    ],
    [
      `{type: indicator, with: {${BAR}, indicatorName: crossover}}`,
      [
        "error[invalid_field]: Node 'a': indicatorName 'crossover' Indicator 'crossover' compares two series, and the node has one: compare two indicators in a condition instead.",
      ],
    ],
    [
      `{type: indicator, with: {${BAR}, indicatorName: rsi, params: '{"perod": 14}'}}`,
      ["error[invalid_params]: Node 'a': Indicator 'rsi' has no parameter 'perod'; it has period."],
    ],
    [
      `{type: history, with: {${BAR}, interval: 15min, startDate: 2026-02-30}}`,
      [
        `error[invalid_field]: Node 'a': interval '15min' is not an interval: ${INTERVALS}. Did you mean "15m"?`,
        "error[invalid_field]: Node 'a': startDate '2026-02-30' is not a date, YYYY-MM-DD.",
      ],
    ],
    [
      '{type: getQuote, with: {symbol: "NSE:SBIN", exchange: NSEE}}',
      [
        "error[invalid_field]: Node 'a': symbol 'NSE:SBIN' is not one symbol without its exchange, such as SBIN.",
        "error[invalid_constant]: Node 'a': exchange 'NSEE' is not one of NSE, NFO, CDS, BSE, BFO, BCD, MCX, NCDEX, NCO, NSE_INDEX, BSE_INDEX, MCX_INDEX, GLOBAL_INDEX, CRYPTO. Did you mean \"NSE\"?",
      ],
    ],
    [
      `{type: indicator, with: {${BAR}, indicatorName: rsi, tailBars: 500}}`,
      ["error[invalid_field]: Node 'a': tailBars '500' is above 200."],
    ],
    [
      '{type: waitUntil, with: {targetTime: "{{t}}"}}',
      [
        "error[invalid_field]: Node 'a': targetTime '{{t}}' is used as written: references in it are not resolved.",
      ],
    ],
    [
      '{type: basketOrder, with: {orders: "SBIN,NSEE,BUY,1\\nNSE:TCS,NSE,BUY,1"}}',
      [
        "error[invalid_field]: Node 'a': orders 1: exchange 'NSEE' is not one of NSE, NFO, CDS, BSE, BFO, BCD, MCX, NCDEX, NCO, NSE_INDEX, BSE_INDEX, MCX_INDEX, GLOBAL_INDEX, CRYPTO. Did you mean \"NSE\"?",
        "error[invalid_field]: Node 'a': orders 2: symbol 'NSE:TCS' is not one symbol without its exchange, such as SBIN.",
      ],
    ],
    [
      '{type: optionsMultiOrder, with: {underlying: NIFTY, quantity: 1, legs: [{offset: ATM, optionType: CE, expiryDate: 31-FEB-26}, {offset: "{{x}}"}]}}',
      [
        "error[invalid_field]: Node 'a': legs 1: expiryDate '31-FEB-26' is not an expiry such as 28OCT25, or one of current_week, next_week, current_month, next_month.",
        'error[unresolved_variable]: Node \'a\': {{x}} in legs 2: offset: no node stores "x".',
      ],
    ],
  ]
  it.each(table)('%s', (node, expected) => {
    expect(found(node).sort()).toEqual([...expected].sort())
  })

  it('nothing about days of a manual start, and a word about a day that does not exist', () => {
    const start = (data: object) =>
      valueProblems(graphWith('start', { ...data })).map(({ message }) => message)
    expect(start({ days: [9] })).toEqual([])
    expect(start({ scheduleType: 'weekly', days: [0, 9] })).toEqual([
      "Node 'n': days '9' is not a day from 0 (Monday) to 6 (Sunday)",
    ])
  })
})
