import { describe, expect, it, test } from 'vitest'
import { blankProblems } from '../../../../../src/core/flows/files/check/blank-fields.js'
import { lint } from '../../../../../src/core/flows/files/check/lint.js'
import { readWorkflow } from '../../../../../src/core/flows/files/read/read.js'
import { NODES } from '../../../../../src/core/flows/nodes/index.js'
import { warningsOf } from '../../../../../src/core/flows/views.js'

const graphWith = (type: string, data: Record<string, unknown>) => ({
  nodes: [{ id: 'n', type, position: { x: 0, y: 0 }, data }],
  edges: [],
})

/** Settings of a start node that read all its other fields. */
const READ_BY: Readonly<Record<string, Record<string, unknown>>> = {
  intervalValue: { scheduleType: 'interval' },
  intervalUnit: { scheduleType: 'interval' },
  time: { scheduleType: 'daily' },
  marketHoursExchange: { marketHoursOnly: true },
  marketHoursStart: { marketHoursOnly: true },
  marketHoursEnd: { marketHoursOnly: true },
}

/** What trades, decides or waits, and the fields whose blank a run replaces by something else. */
const TELLING = Object.values(NODES).flatMap(({ effect, fields, type }) =>
  ['trigger', 'order', 'reduce', 'condition', 'gate', 'time'].includes(effect)
    ? Object.entries(fields)
        .filter(
          ([, { default: fallback, kind, required }]) =>
            !required && (fallback !== undefined || ['number', 'integer', 'time'].includes(kind)),
        )
        .map(([name, field]) => ({ type, name, field }))
    : [],
)

describe.each(TELLING)('$type.$name', ({ type, name, field }) => {
  const more = type === 'start' ? (READ_BY[name] ?? {}) : {}

  it.each(['', ' ', null, undefined])('is reported if it is written as %j', (blank) => {
    for (const one of [name, ...(field.aliases ?? [])]) {
      const found = blankProblems(graphWith(type, { ...more, [one]: blank }))
      expect(found.map(({ path }) => path)).toEqual([`/nodes/0/data/${one}`])
    }
  })

  it('may be left out, written out, and be a reference', () => {
    expect(blankProblems(graphWith(type, more))).toEqual([])
    expect(blankProblems(graphWith(type, { ...more, [name]: field.default ?? 0 })).length).toBe(
      field.default === '' ? 1 : 0,
    )
    expect(blankProblems(graphWith(type, { ...more, [name]: '{{x}}' }))).toEqual([])
  })
})

test('the table has the fields that decide when and how much is traded', () => {
  const names = TELLING.map(({ name, type }) => `${type}.${name}`)
  expect(names).toEqual(
    expect.arrayContaining([
      ...['start.scheduleType', 'start.time', 'start.intervalValue', 'start.intervalUnit'],
      ...['smartOrder.quantity', 'smartOrder.positionSize', 'optionsMultiOrder.quantity'],
      ...['optionsMultiOrder.action', 'optionsOrder.offset', 'optionsOrder.expiryType', 'placeOrder.product'],
      ...['closePosition.symbol', 'modifyOrder.newQuantity', 'delay.delayValue', 'delay.delayMs'],
      ...[
        'priceCondition.value',
        'positionCheck.threshold',
        'timeWindow.startTime',
        'timeCondition.targetTime',
      ],
    ]),
  )
})

test('an alias with a value beside a blank is no blank', () => {
  expect(
    blankProblems(graphWith('placeOrder', { priceType: '', pricetype: 'MARKET', product: 'MIS' })),
  ).toEqual([])
})

test('a blank of a leg is reported, because it would be one lot to buy', () => {
  const legs = [{ offset: 'ATM', optionType: 'CE', action: '', quantity: '' }]
  const found = blankProblems(graphWith('optionsMultiOrder', { strategy: 'custom', legs }))
  expect(found.map(({ message }) => message)).toEqual([
    "Node 'n': legs 1: action has no value, so it counts as BUY, as if it were left out. Write a value, or leave action out.",
    "Node 'n': legs 1: quantity has no value, so it counts as 1, as if it were left out. Write a value, or leave quantity out.",
  ])
})

test('a start node is not asked about the fields of another schedule', () => {
  const editor = {
    scheduleType: 'manual',
    time: '',
    intervalValue: '',
    intervalUnit: '',
    marketHoursStart: '',
  }
  expect(blankProblems(graphWith('start', editor))).toEqual([])
})

const said = (text: string, file: string) => {
  const read = readWorkflow(text, file)
  if (!read.ok) throw new Error(JSON.stringify(read.findings))
  return lint(read.value)
    .filter(({ message }) => /has no value|intervalValue/.test(message))
    .map(({ severity, code }) => `${severity}[${code}]`)
}

test('a file that somebody wrote has an error, a graph of an editor a warning', () => {
  const of = (value: string) =>
    `name: n\nnodes:\n  go: {type: start, with: {scheduleType: interval, intervalValue: ${value}}, next: a}\n  a: {type: log}\n`
  expect(said(of(''), 'f.yaml')).toEqual(['error[invalid_field]'])
  expect(said(of('""'), 'f.yaml')).toEqual(['error[invalid_field]'])
  for (const wrong of ['0', '-1', '1.5', 'soon']) {
    expect([wrong, said(of(wrong), 'f.yaml')]).toEqual([wrong, [expect.stringMatching(/^error\[invalid_/)]])
  }
  expect(said(of('1'), 'f.yaml')).toEqual([])
  const graph = graphWith('start', { scheduleType: 'interval', intervalValue: '' })
  expect(said(JSON.stringify({ name: 'n', ...graph }), 'f.json')).toEqual(['warning[invalid_field]'])
  expect(warningsOf({ graph }).warnings).toMatchObject([{ path: '/nodes/0/data/intervalValue' }])
})
