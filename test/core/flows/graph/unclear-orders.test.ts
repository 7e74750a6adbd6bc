import { expect, test } from 'vitest'
import { ALWAYS } from '../../../../src/core/flows/graph/always.js'
import type { FlowGraph } from '../../../../src/core/flows/graph/graph.js'
import { unclearOrders } from '../../../../src/core/flows/graph/unclear-orders.js'
import { graphOf, note, order, yes } from '../graphs.js'

const NODES = {
  c: yes,
  d: yes,
  g: ['andGate'],
  say: note('x'),
  buy: order,
  alert: ['priceAlert'],
} as const
const graph = (...wires: string[]): FlowGraph => graphOf(NODES, ...wires)
const found = (one: FlowGraph) => unclearOrders(one).map(({ path, code, message }) => [path, code, message])
const text = (from: string, way: string) =>
  `Node '${from}': an edge without a branch leads to the order ${way}. A run follows it also on no. Use yes or no, or always if this is meant`

test.each([
  ['a named branch', ['c yes> buy', 'd no> buy', 'g yes> buy']],
  ['an edge of a node without branches', ['t -> buy', 'say -> buy']],
  ['an edge into a gate', ['c -> g', 'g yes> buy']],
  ['an edge to a message', ['c -> say', 'c yes> buy']],
  ['an edge to another decision', ['c -> say', 'say -> d', 'd yes> buy']],
  ['a price alert, which starts the run', ['alert -> buy']],
  ['a circle without an order', ['c -> say', 'say -> say']],
])('%s is clear', (_what, wires) => {
  expect(found(graph(...wires))).toEqual([])
})

test.each([
  ['a condition', ['t -> c', 'c -> buy'], ['/edges/1', 'unclear_order', text('c', "'buy'")]],
  ['a gate', ['c -> g', 'g -> buy'], ['/edges/1', 'unclear_order', text('g', "'buy'")]],
  [
    'a message in between',
    ['c -> say', 'say -> buy'],
    ['/edges/0', 'unclear_order', text('c', "'say', which leads to 'buy'")],
  ],
  ['a branch beside it', ['c yes> buy', 'c -> buy'], ['/edges/1', 'unclear_order', text('c', "'buy'")]],
])('an order after %s by an unnamed edge is unclear', (_what, wires, problem) => {
  expect(found(graph(...wires))).toEqual([problem])
})

test('an edge that says always is clear, as long as it has no branch', () => {
  const { nodes, edges } = graph('c -> buy')
  const marked = (data: unknown, sourceHandle: string | null = null) => ({
    nodes,
    edges: edges.map((edge) => ({ ...edge, sourceHandle, data })),
  })
  expect(found(marked(ALWAYS))).toEqual([])
  expect(found(marked({ always: 'true' }))).toHaveLength(1)
  expect(found(marked(null))).toHaveLength(1)
})
