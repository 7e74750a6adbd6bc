import { expect, it, test } from 'vitest'
import { lint } from '../../../../../src/core/flows/files/check/lint.js'
import { readWorkflow } from '../../../../../src/core/flows/files/read/read.js'

const HEAD = `name: n
nodes:
  go: {type: webhookTrigger, next: rsi}
  rsi: {type: indicator, with: {symbol: SBIN, exchange: NSE, indicatorName: rsi, outputVariable: rsi}, next: any}
  any: {type: indicator, with: {symbol: SBIN, exchange: NSE, indicatorName: "{{webhook.i}}", outputVariable: any}, next: bars}
  bars: {type: history, with: {symbol: SBIN, exchange: NSE, interval: D, outputVariable: bars}, next: w}
  w: {type: mathExpression, with: {expression: 1 + 1, outputVariable: w}, next: v}
  v: {type: variable, with: {variableName: v, value: '{"a": 1}'}, next: http}
  http: {type: httpRequest, with: {url: "https://example.com"}, next: q}
  q: {type: getQuote, with: {symbol: SBIN, exchange: NSE, outputVariable: q}, next: a}
`

/** Returns what is wrong with a node that can use all results. */
function found(node: string): string[] {
  const read = readWorkflow(`${HEAD}  a: ${node}\n`, 'f')
  if (!read.ok) throw new Error(JSON.stringify(read.findings))
  return lint(read.value).map(({ severity, code, message }) => `${severity}[${code}]: ${message}`)
}

const compare = (
  left: string,
) => `{type: varCondition, with: {leftValue: "${left}", operator: "<", rightValue: 30}, yes: z}
  z: {type: log}`

test.each([
  '{{rsi.previous.value}}',
  '{{rsi.series[0].value}}',
  '{{rsi.bars_used}}',
  '{{rsi.status}}',
  '{{any.latest.out7}}',
  '{{bars.data[3].close}}',
  '{{w}}',
  '{{v.a.b[1]}}',
  '{{response.data.x[2].y}}',
  '{{webhook.anything.at[0].all}}',
  '{{q.ltp}}',
  '{{q.data.ltp}}',
])('%s is right', (reference) => {
  expect(found(compare(reference))).toEqual([])
})

test.each([
  [
    '{{rsi.previous}}',
    'wrong_type',
    '"rsi.previous" is an object, but a single value is needed. It has value.',
  ],
  ['{{rsi.previous.out0}}', 'unknown_output', '"rsi.previous" has no "out0". It has value.'],
  [
    '{{rsi.previus.value}}',
    'unknown_output',
    '"rsi" has no "previus". Did you mean "previous"? It has indicator, nested, offset_bars, inputs, params, outputs, latest, previous, at_offset, series, bars_used, status, message, error, mode, code.',
  ],
  ['{{bars.data.close}}', 'unknown_output', '"bars.data" is a list, whose first entry is "bars.data[0]".'],
  [
    '{{bars.data}}',
    'wrong_type',
    '"bars.data" is a list, but a single value is needed. Its first entry is "bars.data[0]".',
  ],
  ['{{w.result}}', 'unknown_output', '"w" is a number and has no "result".'],
  ['{{q.ltp.value}}', 'unknown_output', '"q.ltp" is a number and has no "value".'],
  [
    '{{response.body}}',
    'unknown_output',
    '"response" has no "body". Did you mean "mode"? It has statusCode, data, status, message, error, mode, code.',
  ],
])('%s is wrong before a run', (reference, code, reason) => {
  expect(found(compare(reference))).toEqual([
    `error[${code}]: Node 'a': ${reference} in leftValue: ${reason}`,
  ])
})

test.each([
  [
    'a quantity',
    '{type: placeOrder, with: {symbol: SBIN, exchange: NSE, action: BUY, quantity: "{{q.data}}"}}',
  ],
  ['a symbol', '{type: getQuote, with: {symbol: "{{q}}", exchange: NSE}}'],
  ['an expression', '{type: mathExpression, with: {expression: "{{bars.data}} + 1"}}'],
])('an object is wrong as %s', (_what, node) => {
  expect(found(node).map((text) => text.split(':')[0])).toEqual(['error[wrong_type]'])
})

test.each([
  ['a message', '{type: log, with: {message: "{{q}} {{bars.data}}"}}'],
  ['a body', '{type: httpRequest, with: {method: POST, url: "https://example.com", body: "{{q.data}}"}}'],
  [
    'a series',
    '{type: indicator, with: {symbol: SBIN, exchange: NSE, indicatorName: sma, sourceSeries: "{{bars.data}}"}}',
  ],
  ['the value of a variable', '{type: variable, with: {variableName: x, value: "{{q}}"}}'],
])('an object is right as %s', (_what, node) => {
  expect(found(node)).toEqual([])
})

it('accepts what any of several producers of a variable has', () => {
  const node = `{type: funds, with: {outputVariable: q}, next: b}
  b: {type: log, with: {message: "{{q.ltp}} {{q.availablecash}}"}}`
  expect(found(node)).toEqual([])
})

const basket = (orders: string) => `{type: basketOrder, with: {orders: ${orders}}}`
const leg = (members: string) =>
  `{type: optionsMultiOrder, with: {underlying: NIFTY, quantity: 1, legs: [{offset: ATM, optionType: CE, action: SELL, ${members}}]}}`
const IS_OBJECT = 'an object, but a single value is needed'

test.each([
  ['orders 1: quantity', basket('[{symbol: SBIN, exchange: NSE, action: BUY, quantity: "{{q.data}}"}]')],
  [
    'orders 1: triggerPrice',
    basket('[{symbol: SBIN, exchange: NSE, action: BUY, quantity: 1, triggerPrice: "{{q.data}}"}]'),
  ],
  ['orders 2: symbol', basket('"SBIN,NSE,BUY,1\\n{{q.data}},NSE,BUY,1"')],
  ['legs 1: quantity', leg('quantity: "{{q.data}}"')],
  ['symbols 1: symbol', '{type: multiQuotes, with: {symbols: [{symbol: "{{q.data}}", exchange: NSE}]}}'],
])('an object is wrong as a member of a list: %s', (member, node) => {
  expect(found(node)).toEqual([
    expect.stringContaining(`error[wrong_type]: Node 'a': {{q.data}} in ${member}: "q.data" is ${IS_OBJECT}`),
  ])
})

it('the members of a list may use single values, and a reference may stand for the whole list', () => {
  const order = '[{symbol: SBIN, exchange: NSE, action: BUY, quantity: "{{q.ltp}}"}]'
  for (const node of [basket(order), basket('"SBIN,NSE,BUY,{{q.ltp}}"'), basket('"{{v.orders}}"')]) {
    expect(found(node)).toEqual([])
  }
})

it('names a member that no node stores once, at the member', () => {
  const node = basket('"SBIN,NSE,BUY,{{nothing}}"')
  expect(found(node)).toEqual([expect.stringContaining('{{nothing}} in orders 1: quantity: no node stores')])
})
