import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { migrateNodes } from '../../../../src/core/flows/graph/migrate.js'
import { nameProblems, validateGraph } from '../../../../src/core/flows/graph/validate.js'
import { NODES } from '../../../../src/core/flows/nodes/index.js'
import type { Body } from '../../../../src/core/flows/ports.js'
import { broken, edges, graphOf, no, node, note, order, yes } from '../graphs.js'

type Place = [path: string, code: string]
const found = (graph: unknown, strict: boolean): Place[] =>
  validateGraph(graph, { strict }).map(({ path, code }) => [path, code])

const one = (type: string, data: Body) => graphOf({ a: [type, data] }, 't -> a')
const AT = '/nodes/1/data'
const start = node('t', 'start')

describe('refused even in a draft', () => {
  test('a node that is nested too deeply, without recursion', () => {
    const nested = (levels: number): unknown =>
      Array.from({ length: levels }).reduce<unknown>((inner) => ({ a: inner }), 1)
    expect(found(one('log', { message: 'm', extra: nested(5000) }), false)).toEqual([
      ['/nodes/1', 'too_large'],
    ])
    expect(found(one('log', { message: 'm', extra: nested(90) }), false)).toEqual([])
  })

  test('a node with a very long configuration', () => {
    const length = 131_072
    expect(found(one('log', { message: 'x'.repeat(length) }), false)).toEqual([
      ['/nodes/1/data', 'too_large'],
    ])
    expect(found(one('log', { message: 'x'.repeat(length - 100) }), false)).toEqual([])
    const list = { message: 'm', extra: Array(length / 2).fill('x') }
    expect(found(one('log', list), false)).toEqual([['/nodes/1/data', 'too_large']])
  })

  test.each<[string, unknown, Place[]]>([
    ['no object', [], [['', 'invalid_type']]],
    [
      'no lists',
      {},
      [
        ['/nodes', 'required'],
        ['/edges', 'required'],
      ],
    ],
    ['a node that is none', { nodes: [5], edges: [] }, [['/nodes/0', 'invalid_type']]],
    [
      'a node of nothing',
      { nodes: [{}], edges: [] },
      [
        ['/nodes/0/id', 'required'],
        ['/nodes/0/type', 'required'],
        ['/nodes/0/position', 'required'],
        ['/nodes/0/data', 'required'],
      ],
    ],
    [
      'positions that are no numbers',
      { nodes: [{ ...start, position: { x: '1', y: true } }], edges: [] },
      [
        ['/nodes/0/position/x', 'invalid_type'],
        ['/nodes/0/position/y', 'invalid_type'],
      ],
    ],
    ['a blank id', { nodes: [{ ...start, id: ' ' }], edges: [] }, [['/nodes/0/id', 'required']]],
    ['a repeated node', { nodes: [start, start], edges: [] }, [['/nodes/1/id', 'duplicate']]],
    [
      'an unknown type',
      { nodes: [node('a', 'placeorder')], edges: [] },
      [['/nodes/0/type', 'unknown_node_type']],
    ],
    [
      'a type of a prototype',
      { nodes: [node('a', 'constructor')], edges: [] },
      [['/nodes/0/type', 'unknown_node_type']],
    ],
    ['501 nodes', { nodes: Array.from({ length: 501 }, () => start), edges: [] }, [['/nodes', 'too_large']]],
    ['1001 edges', { nodes: [], edges: Array.from({ length: 1001 }, () => ({})) }, [['/edges', 'too_large']]],
    ['an edge that is none', { nodes: [start], edges: [null] }, [['/edges/0', 'invalid_type']]],
    [
      'an edge of nothing',
      { nodes: [start], edges: [{}] },
      [
        ['/edges/0/id', 'required'],
        ['/edges/0/source', 'required'],
        ['/edges/0/target', 'required'],
      ],
    ],
    [
      'a repeated edge',
      { nodes: [start, node('a', 'log')], edges: [...edges('t -> a'), ...edges('t -> a')] },
      [['/edges/1/id', 'duplicate']],
    ],
    [
      'edges to nowhere',
      { nodes: [start], edges: edges('t -> a', 'b -> t') },
      [
        ['/edges/0/target', 'dangling_edge'],
        ['/edges/1/source', 'dangling_edge'],
      ],
    ],
    [
      'a branch of a node that has none',
      graphOf({ a: note() }, 't yes> a'),
      [['/edges/0/sourceHandle', 'invalid_source_handle']],
    ],
    [
      'a branch that is none',
      graphOf({ a: yes, b: note() }, 't -> a', 'a maybe> b'),
      [['/edges/1/sourceHandle', 'invalid_source_handle']],
    ],
    [
      'a branch named like a prototype',
      graphOf({ a: yes, b: note() }, 't -> a', 'a constructor> b', 'a __proto__> b'),
      [
        ['/edges/1/sourceHandle', 'invalid_source_handle'],
        ['/edges/2/sourceHandle', 'invalid_source_handle'],
      ],
    ],
    ['a constant that is none', one('log', { exchange: 'NYSE' }), [[`${AT}/exchange`, 'invalid_constant']]],
    ['a constant that is no text', one('log', { action: 5 }), [[`${AT}/action`, 'invalid_constant']]],
    ['a product that is none', one('log', { product: 'BO' }), [[`${AT}/product`, 'invalid_constant']]],
    [
      'price types that are none',
      one('log', { priceType: 'X', pricetype: 'Y' }),
      [
        [`${AT}/priceType`, 'invalid_constant'],
        [`${AT}/pricetype`, 'invalid_constant'],
      ],
    ],
    ...[0, -1, '0', 'abc', true, {}, []].map((quantity): [string, unknown, Place[]] => [
      `a quantity of ${JSON.stringify(quantity)}`,
      one('log', { quantity, splitSize: quantity, lots: quantity }),
      ['quantity', 'splitSize', 'lots'].map((field) => [`${AT}/${field}`, 'invalid_quantity']),
    ]),
    [
      'a LIMIT without a sensible price',
      one('log', { priceType: 'limit', price: 0 }),
      [[`${AT}/price`, 'invalid_price']],
    ],
    [
      'an SL without sensible prices',
      one('log', { pricetype: 'SL', price: '-1', triggerPrice: 'x' }),
      [
        [`${AT}/price`, 'invalid_price'],
        [`${AT}/triggerPrice`, 'invalid_price'],
      ],
    ],
    [
      'an SL-M without a sensible trigger',
      one('log', { priceType: 'SL-M', price: -1, triggerPrice: 0 }),
      [[`${AT}/triggerPrice`, 'invalid_price']],
    ],
    [
      'parameters that are no text',
      one('indicator', { params: { period: 5 } }),
      [[`${AT}/params`, 'invalid_params']],
    ],
    ['a method that is none', one('httpRequest', { method: 'TRACE' }), [[`${AT}/method`, 'invalid_method']]],
    [
      'headers that are no JSON object',
      one('httpRequest', { headers: '[1]' }),
      [[`${AT}/headers`, 'invalid_headers']],
    ],
    ['a timeout out of bounds', one('httpRequest', { timeout: 500 }), [[`${AT}/timeout`, 'invalid_timeout']]],
    ['a timeout longer than a run allows, which it caps', one('httpRequest', { timeout: 90_000 }), []],
    ['a blank timeout', one('httpRequest', { timeout: '' }), [[`${AT}/timeout`, 'invalid_timeout']]],
  ])('%s', (_what, graph, places) => {
    expect(found(graph, false)).toEqual(places)
  })

  test.each([
    ['andGate', {}, 'input-1', true],
    ['andGate', {}, 'input-2', false],
    ['orGate', { inputCount: '3' }, 'input-2', true],
    ['orGate', { inputCount: 'many' }, 'input-2', false],
    ['andGate', { inputCount: 0 }, 'input-0', true],
    ['andGate', {}, 'left', false],
    ['andGate', {}, null, true],
    ['notGate', {}, 'input', true],
    ['notGate', {}, 'input-0', false],
    ['log', {}, 'input-0', false],
    ['log', {}, 'anything', true],
  ])('%s %j takes an edge at %j: %j', (type, data, targetHandle, taken) => {
    const graph = graphOf({ c: yes, g: [type, data] }, 't -> c', 'c -> g')
    const [first, second] = graph.edges
    const places = found({ ...graph, edges: [first, { ...second, targetHandle }] }, false)
    expect(places).toEqual(taken ? [] : [['/edges/1/targetHandle', 'invalid_target_handle']])
  })
})

test.each<[string, Body]>([
  ['blank', { exchange: '', action: ' ', quantity: null, price: '', priceType: 'LIMIT' }],
  [
    'waiting for variables',
    { exchange: '{{e}}', action: '{{a}}', quantity: '{{q}}', price: '{{p}}', priceType: 'LIMIT' },
  ],
  [
    'written in other letters',
    { exchange: ' nse ', action: 'buy', quantity: '5', price: '1.5', priceType: 'limit' },
  ],
  ['unknown', { colour: 'red', nested: { a: [1] } }],
])('fields that are %s are valid', (_what, data) => {
  expect(found(one('placeOrder', data), false)).toEqual([])
})

test('an incomplete graph can be stored, but not run', () => {
  const graph = graphOf({ a: ['placeOrder'], g: ['andGate'], lost: note() })
  expect(found(graph, false)).toEqual([])
  expect(found({ nodes: [], edges: [] }, false)).toEqual([])
  expect(found(graph, true).length).toBeGreaterThan(0)
})

describe('refused before a run', () => {
  test.each<[string, unknown, Place[]]>([
    ['no trigger', { nodes: [], edges: [] }, [['/nodes', 'no_trigger']]],
    ['two triggers', graphOf({ b: ['webhookTrigger'] }, 't -> b'), [['/nodes', 'multiple_triggers']]],
    ['a circle', graphOf({ a: note(), b: note() }, 't -> a', 'a -> b', 'b -> a'), [['/edges', 'cycle']]],
    ['a node that leads to itself', graphOf({ a: note() }, 't -> a', 'a -> a'), [['/edges', 'cycle']]],
    ['a node out of reach', graphOf({ a: note(), b: note() }, 't -> a'), [['/nodes/2', 'unreachable']]],
    ['a gate of nothing', graphOf({ g: ['andGate'] }), [['/nodes/1', 'invalid_gate']]],
    [
      'a gate of no condition',
      graphOf({ a: note(), g: ['orGate'] }, 't -> a', 'a -> g'),
      [['/nodes/2', 'invalid_gate']],
    ],
    [
      'an order of nothing',
      one('placeOrder', {}),
      ['symbol', 'exchange', 'action', 'quantity'].map((field) => [
        `${AT}/${field}`,
        'missing_required_field',
      ]),
    ],
    [
      'an alert without a level',
      {
        nodes: [
          node('a', 'priceAlert', { symbol: 'SBIN', exchange: 'NSE', condition: 'greater_than', price: 0 }),
        ],
        edges: [],
      },
      [['/nodes/0/data/price', 'invalid_threshold']],
    ],
    [
      'an unknown alert',
      {
        nodes: [node('a', 'priceAlert', { symbol: 'SBIN', exchange: 'NSE', condition: 'near', price: 5 })],
        edges: [],
      },
      [['/nodes/0/data/condition', 'unknown_condition']],
    ],
    [
      'option legs that nobody counts',
      one('optionsMultiOrder', { underlying: 'NIFTY', strategy: 'straddle', legs: '[]' }),
      [[`${AT}/quantity`, 'missing_required_field']],
    ],
    ['a choice that is none', one('log', { level: 'loud' }), [[`${AT}/level`, 'invalid_field']]],
    ['a number that is none', one('delay', { delayValue: 'soon' }), [[`${AT}/delayValue`, 'invalid_field']]],
  ])('%s', (_what, graph, places) => {
    expect(found(graph, true)).toEqual(places)
  })

  test('cycles and unreachable nodes are checked only if nothing else is wrong', () => {
    const graph = graphOf({ a: ['placeOrder'], b: note() }, 't -> a', 'a -> a')
    expect(found(graph, true).map(([, code]) => code)).not.toContain('cycle')
  })

  test('an unreachable group is allowed, because it is a frame', () => {
    expect(found(graphOf({ a: note(), frame: ['group'] }, 't -> a'), true)).toEqual([])
  })

  test.each([
    [
      'legs with their own quantity',
      { legs: [{ offset: 'ATM', optionType: 'CE', action: 'SELL', quantity: 2 }] },
    ],
    ['legs under their other name', { orderLegs: [{ offset: 'ATM', quantity: 1 }] }],
    ['legs from a variable', { legs: '{{legs}}' }],
    ['a quantity of the node', { strategy: 'straddle', quantity: 1 }],
  ])('an option strategy with %s is not refused', (_what, data) => {
    expect(found(one('optionsMultiOrder', { underlying: 'NIFTY', ...data }), true)).toEqual([])
  })

  test('a valid graph is not refused', () => {
    const graph = graphOf(
      { a: yes, b: no, g: ['andGate'], o: order, x: broken },
      't -> a',
      't -> b',
      'a true> g',
      'b no> g',
      'g yes> o',
      'g false> x',
    )
    expect(found(graph, true)).toEqual([])
  })

  test('a chain of 500 nodes is checked', () => {
    const nodes = [start, ...Array.from({ length: 499 }, (_, i) => node(`n${i}`, 'log'))]
    const wires = nodes.slice(1).map(({ id }, i) => `${i === 0 ? 't' : `n${i - 1}`} -> ${id}`)
    expect(found({ nodes, edges: edges(...wires) }, true)).toEqual([])
    expect(found({ nodes, edges: edges(...wires, 'n498 -> n0') }, true)).toEqual([['/edges', 'cycle']])
  })
})

test('a required field may have its old name', () => {
  expect(found(one('fundCheck', { threshold: 5 }), true)).toEqual([])
})

test.each([
  [' ', 'required'],
  [undefined, 'required'],
  [5, 'required'],
  ['a'.repeat(256), 'too_large'],
  ['a'.repeat(255), undefined],
])('the name %j: %s', (name, code) => {
  expect(nameProblems(name)[0]?.code).toBe(code)
})

describe('hostile graphs', () => {
  const hostile: readonly unknown[] = [
    { toString: 1, valueOf: 1 },
    JSON.parse('{"__proto__":{"x":1}}'),
    'x'.repeat(200_000),
    '{{'.repeat(50_000),
    '1'.repeat(100_000),
    [[[[]]]],
    1e308,
    -0,
    null,
  ]

  test.each(Object.keys(NODES))('%s survives any values in its fields', (type) => {
    const fields = [...Object.keys(NODES[type]?.fields ?? {}), 'exchange', 'priceType', 'quantity', 'price']
    for (const value of hostile) {
      const data = Object.fromEntries(fields.map((field) => [field, value]))
      for (const strict of [false, true])
        expect(Array.isArray(validateGraph(one(type, data), { strict }))).toBe(true)
      expect(() =>
        migrateNodes([{ ...node('a', type, { ...data, operator: value }), id: value }]),
      ).not.toThrow()
    }
  })

  test('of any values give problems, not exceptions', () => {
    const value = fc.anything({ withNullPrototype: true, maxDepth: 4 })
    const things = fc.oneof(
      value,
      fc.record({ nodes: value, edges: value }),
      fc.record({
        nodes: fc.array(
          fc.record(
            {
              id: fc.oneof(fc.constantFrom('a', 'b', '__proto__'), value),
              type: fc.oneof(fc.constantFrom(...Object.keys(NODES)), value),
              position: value,
              data: fc.oneof(fc.object(), value),
            },
            { requiredKeys: [] },
          ),
          { maxLength: 5 },
        ),
        edges: fc.array(
          fc.record(
            {
              id: value,
              source: fc.oneof(fc.constantFrom('a', 'b', '__proto__'), value),
              target: fc.oneof(fc.constantFrom('a', 'b'), value),
              sourceHandle: value,
              targetHandle: value,
            },
            { requiredKeys: [] },
          ),
          { maxLength: 5 },
        ),
      }),
    )
    fc.assert(
      fc.property(things, fc.boolean(), (graph, strict) => {
        for (const { path, code, message } of validateGraph(graph, { strict })) {
          expect(path === '' || path.startsWith('/')).toBe(true)
          expect(typeof code).toBe('string')
          expect(message.length).toBeGreaterThan(0)
        }
      }),
      { numRuns: 400 },
    )
  })
})
