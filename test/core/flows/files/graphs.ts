import fc from 'fast-check'
import type { FlowEdge, FlowGraph, FlowNode } from '../../../../src/core/flows/graph/graph.js'

const TYPES = ['start', 'log', 'varCondition', 'andGate', 'notGate', 'placeOrder'] as const
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    'yes',
    'no',
    '09:15',
    '{{a.b[0]}}',
    '0.45',
    'null',
    '',
    '- a',
    'a: b',
    '#',
    'line\nline\n',
    ' x',
    '<<',
  ),
)
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.boolean(),
    fc.constant(null),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e12, max: 1e12 }).map((n) => n + 0),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.string({ minLength: 1 }), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value

const data = fc.dictionary(
  fc.oneof(fc.constantFrom('message', 'level', 'label', 'inputCount', 'symbol', '1', 'yes'), fc.string()),
  value,
  { maxKeys: 5, noNullPrototype: true },
)

/**
 * Returns whether a value survives JSON unchanged. -0 and `__proto__` keys do not, and are not the subject
 * here.
 */
const isPlain = (one: unknown) => !JSON.stringify(one).includes('__proto__')

/** Graphs as editors make them: any node may lead to any other, also twice, through any handle. */
export const graphs: fc.Arbitrary<FlowGraph> = fc
  .uniqueArray(fc.oneof(fc.constantFrom('1', '01', 'true', 'a', 'b', 'yes'), fc.string({ minLength: 1 })), {
    minLength: 1,
    maxLength: 8,
  })
  .filter((ids) => ids.every((id) => id !== '__proto__'))
  .chain((ids) =>
    fc.record({
      nodes: fc.tuple(
        ...ids.map((id) =>
          fc.record({
            id: fc.constant(id),
            type: fc.constantFrom(...TYPES),
            position: fc.record({ x: fc.integer(), y: fc.integer() }),
            data: data.filter(isPlain),
          }),
        ),
      ),
      edges: fc.array(
        fc.record({
          source: fc.constantFrom(...ids),
          target: fc.constantFrom(...ids),
          sourceHandle: fc.constantFrom(null, undefined, '', 'yes', 'no', 'true', 'false'),
          targetHandle: fc.constantFrom(null, undefined, 'input-0', 'input-1', 'left'),
          data: fc.constantFrom(
            undefined,
            {},
            { always: true },
            { always: 'yes' },
            { always: true, stroke: 1 },
          ),
        }),
        { maxLength: 14 },
      ),
    }),
  )
  .map(({ nodes, edges }) => ({
    nodes: nodes as FlowNode[],
    edges: edges.map((edge, index): FlowEdge => ({ id: `e${index}`, ...edge })),
  }))
