import { expect, test } from 'vitest'
import { MAX_JSON_MEMBERS, MAX_JSON_VALUES } from '../../../../src/core/validation/index.js'
import { MAX_JSON_DEPTH, parseJson } from '../../../../src/daemon/http/body/bounded-json.js'

const lists = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const objects = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`
const mixed = (levels: number) => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`

test.each([
  ['lists', lists],
  ['objects', objects],
  ['both', mixed],
  ['with brackets of texts between', (levels: number) => `["]\\"]}",${lists(levels - 1)}]`],
])('%s may be nested a hundred levels deep and no deeper', (_name, nested) => {
  expect(parseJson(nested(MAX_JSON_DEPTH))).toEqual(JSON.parse(nested(MAX_JSON_DEPTH)))
  for (const levels of [MAX_JSON_DEPTH + 2, 9000, 90_000]) {
    expect(() => parseJson(nested(levels))).toThrow('JSON is nested too deeply: at most 100 levels')
  }
})

test.each([
  ['a wide list', Array.from({ length: 5000 }, () => [{}, []])],
  ['brackets within texts', { a: '['.repeat(500), ['{'.repeat(500)]: '\\"[{' }],
  ['quotes and backslashes before brackets', ['\\', '"', '\\"[', '['.repeat(200)]],
])('%s is not taken for a deep one', (_name, value) => {
  expect(parseJson(JSON.stringify(value))).toEqual(value)
})

test.each([
  ['items', (count: number) => `[${'[],'.repeat(count / 2)}[]]`],
  ['numbers', (count: number) => `[${'1,'.repeat(count)}1]`],
  ['members', (count: number) => `[${'{"a":1},'.repeat(count / 2)}1]`],
])('too many %s are refused before they are parsed', (_name, text) => {
  expect(() => parseJson(text(MAX_JSON_VALUES))).toThrow('JSON has too many values: at most 100000')
  expect(() => parseJson(`${text(MAX_JSON_VALUES)}]`), 'the text is not read').toThrow('too many values')
  expect(parseJson(text(MAX_JSON_VALUES - 2))).toBeTypeOf('object')
})

test('an object of too many members is refused before it is parsed, wherever it is', () => {
  const members = (count: number) => Array.from({ length: count }, (_, at) => `"member ${at}":":{"`).join()
  const inner = (count: number) => `{"a":{"b":1},"c":[1,{${members(count)}}]}`
  expect(() => parseJson(inner(MAX_JSON_MEMBERS + 1))).toThrow(
    'JSON has too many members in one object: at most 5000',
  )
  expect(() => parseJson(`{${members(MAX_JSON_MEMBERS + 1)}`), 'the text is not read').toThrow(
    'too many members',
  )
  expect(parseJson(inner(MAX_JSON_MEMBERS))).toEqual(JSON.parse(inner(MAX_JSON_MEMBERS)))
})

test('invalid JSON is a syntax error at any depth', () => {
  for (const text of ['', '{', '['.repeat(1000)]) expect(() => parseJson(text)).toThrow(SyntaxError)
})

test('an order costs little more than parsing it', () => {
  const order = JSON.stringify({
    apikey: 'a'.repeat(64),
    strategy: 'benchmark',
    symbol: 'SBIN',
    exchange: 'NSE',
    action: 'BUY',
    quantity: 10,
    pricetype: 'LIMIT',
    product: 'MIS',
    price: 812.5,
  })
  const fastest = (work: () => unknown) => {
    let best = Number.POSITIVE_INFINITY
    for (let sample = 0; sample < 40; sample++) {
      const started = performance.now()
      for (let i = 0; i < 1000; i++) work()
      best = Math.min(best, performance.now() - started)
    }
    return best
  }
  expect(fastest(() => parseJson(order))).toBeLessThan(3 * fastest(() => JSON.parse(order)))
})
