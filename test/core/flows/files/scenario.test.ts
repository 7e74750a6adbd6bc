import { describe, expect, it } from 'vitest'
import { findingText } from '../../../../src/core/documents/index.js'
import { compare, type Outcome } from '../../../../src/core/flows/files/diff/compare.js'
import {
  type Expectation,
  instantOf,
  isScenarioName,
  marketSteps,
  readScenarios,
  spanMs,
} from '../../../../src/core/flows/files/scenario.js'

const TEXT = `- name: a narrow range is sold
  at: 2026-11-20T09:31:00
  market:
    NSE:SBIN: 812.5
  account:
    cash: 500000
    positions:
      - {symbol: SBIN, exchange: NSE, product: MIS, quantity: -10, average_price: 800}
  trigger: {kind: webhook, payload: {qty: 5}}
  variables: {x: 1}
  http:
    - {url: "https://x.example", body: {ok: true}}
  advance: 15m
  expect:
    status: completed
    orders:
      - {symbol: SBIN, exchange: NSE, action: BUY, quantity: 5}
    visited: [enter]
- name: nothing happens
  at: 2026-11-20T09:31:00+05:30
  mode: live
  market:
    - NSE:SBIN: 800
    - {after: 5m, NSE:SBIN: 820}
    - {after: 30s, NSE:SBIN: 810}
  expect: {orders: []}
`

const refused = (text: string): string[] => {
  const result = readScenarios(text, 's.test.yaml')
  return result.ok ? [] : result.findings.map(findingText)
}

describe('a scenario file', () => {
  it('is read case by case, each with its position', () => {
    const result = readScenarios(TEXT, 's.test.yaml')
    if (!result.ok) throw new Error(result.findings.map(findingText).join('\n'))
    expect(result.value.cases.map(({ name, mode, place }) => [name, mode, place])).toEqual([
      ['a narrow range is sold', 'analyze', { line: 1, column: 9 }],
      ['nothing happens', 'live', { line: 19, column: 9 }],
    ])
    expect(result.value.cases.map(marketSteps)).toEqual([
      [{ afterMs: 0, prices: { 'NSE:SBIN': 812.5 } }],
      [
        { afterMs: 0, prices: { 'NSE:SBIN': 800 } },
        { afterMs: 30_000, prices: { 'NSE:SBIN': 810 } },
        { afterMs: 300_000, prices: { 'NSE:SBIN': 820 } },
      ],
    ])
    expect(marketSteps({})).toEqual([{ afterMs: 0, prices: {} }])
  })

  const CASE = '- name: a\n  at: 2026-11-20T09:31:00\n  expect: {}\n'
  const table: [string, string, string][] = [
    ['no list', 'name: a\n', 's.test.yaml:1:1: error[invalid_value]: the document: '],
    [
      'an unknown key',
      CASE.replace('expect: {}', 'expect: {log: [x]}'),
      's.test.yaml:3:12: error[unknown_key]: There is no "log". Did you mean "logs"?',
    ],
    [
      'no clock',
      CASE.replace('2026-11-20T09:31:00', 'noon'),
      's.test.yaml:2:7: error[invalid_value]: 0.at: A time in IST',
    ],
    ['a day that is none', CASE.replace('11-20', '13-40'), '0.at: There is no such time.'],
    [
      'a span that is none',
      `${CASE}  advance: soon\n`,
      's.test.yaml:4:12: error[invalid_value]: 0.advance: A span of time',
    ],
    ['a symbol without its exchange', `${CASE}  market: {SBIN: 1}\n`, '0.market: Prices by EXCHANGE:SYMBOL'],
    [
      'an order without its side',
      CASE.replace('{}', '{orders: [{symbol: A, exchange: NSE, quantity: 1}]}'),
      '0.expect.orders.0.action: ',
    ],
    ['a name twice', `${CASE}${CASE}`, 's.test.yaml:4:9: error[duplicate_id]: There is another case "a".'],
  ]
  it.each(table)('is refused: %s', (_what, text, message) => {
    expect(refused(text).join('\n')).toContain(message)
  })

  it.each([
    ['orb.test.yaml', true],
    ['orb.flow-test.yaml', true],
    ['orb.test.json', true],
    ['orb.yaml', false],
    ['test.yaml', false],
  ])('%s is a scenario file: %s', (name, expected) => {
    expect(isScenarioName(name)).toBe(expected)
  })

  it('reads times and spans', () => {
    expect(instantOf('2026-11-20T09:31')).toBe(Date.parse('2026-11-20T04:01:00Z'))
    expect(['500ms', '30s', '15m', '2h', '1d'].map(spanMs)).toEqual([
      500, 30_000, 900_000, 7_200_000, 86_400_000,
    ])
  })
})

describe('comparing an outcome with the expectation', () => {
  const outcome: Outcome = {
    status: 'completed',
    orders: [
      {
        symbol: 'SBIN',
        exchange: 'NSE',
        action: 'BUY',
        quantity: '10',
        pricetype: 'LIMIT',
        price: '812.50',
        product: 'MIS',
      },
    ],
    logs: ['[LOG] range 0.31 %'],
    variables: new Map<string, unknown>([['w', { pct: 0.31, list: [1, 2] }]]),
    alerts: ['Bought 10'],
    http: [{ method: 'post', url: 'https://x.example' }],
    failures: [],
    visited: new Set(['go', 'enter']),
  }
  const table: [string, Expectation, string[]][] = [
    ['nothing expected', {}, []],
    [
      'all as expected',
      {
        status: 'completed',
        orders: [{ symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 10, price: 812.5 }],
        logs: ['range'],
        variables: { 'w.pct': 0.31, 'w.list[1]': 2, w: { list: [1, 2] }, none: null },
        alerts: ['Bought'],
        http: [{ method: 'POST', url: 'https://x.example' }],
        visited: ['enter'],
        not_visited: ['skip'],
      },
      [],
    ],
    ['another status', { status: 'failed' }, ['status: expected failed, was completed']],
    ['no orders', { orders: [] }, ['order 1: unexpected BUY 10 NSE:SBIN LIMIT at 812.50 MIS']],
    [
      'another quantity',
      { orders: [{ symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 5 }] },
      ['order 1: expected BUY 5 NSE:SBIN, was BUY 10 NSE:SBIN LIMIT at 812.50 MIS'],
    ],
    [
      'one more order',
      {
        orders: [
          { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 10 },
          { symbol: 'INFY', exchange: 'NSE', action: 'SELL', quantity: 1 },
        ],
      },
      ['order 2: expected SELL 1 NSE:INFY, none was sent'],
    ],
    ['a line of the log', { logs: ['skipped'] }, ['the log: no line has "skipped"']],
    ['no message', { alerts: [] }, ['unexpected message "Bought 10"']],
    ['a message', { alerts: ['Sold'] }, ['the messages sent: no message has "Sold"']],
    [
      'a variable',
      { variables: { 'w.pct': 0.5, x: 1 } },
      ['variable w.pct: expected 0.5, is 0.31', 'variable x: expected 1, is not set'],
    ],
    ['no requests', { http: [] }, ['request 1: expected none, was POST https://x.example']],
    ['nodes', { visited: ['skip'], not_visited: ['go'] }, ['node skip did not run', 'node go ran']],
  ]
  it.each(table)('%s', (_what, expected, differences) => {
    expect(compare(expected, outcome)).toEqual(differences)
  })
})
