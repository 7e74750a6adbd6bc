import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Precedence } from '../../../../../src/core/flows/files/read/precedence.js'
import { branchOf, type FlowGraph } from '../../../../../src/core/flows/graph/graph.js'
import { NODES } from '../../../../../src/core/flows/nodes/index.js'

const TYPES = ['log', 'varCondition', 'andGate'] as const

/** Graphs without cycles: edges lead to later nodes. */
const acyclic = fc
  .array(fc.constantFrom(...TYPES), { minLength: 2, maxLength: 8 })
  .chain((types) =>
    fc.record({
      types: fc.constant(types),
      edges: fc.array(
        fc.tuple(fc.nat(types.length - 1), fc.nat(types.length - 1), fc.constantFrom(undefined, 'yes', 'no')),
        { maxLength: 12 },
      ),
    }),
  )
  .map(
    ({ types, edges }): FlowGraph => ({
      nodes: types.map((type, index) => ({ id: `n${index}`, type, position: { x: 0, y: 0 }, data: {} })),
      edges: edges
        .filter(([from, to]) => from < to)
        .map(([from, to, handle], index) => ({
          id: `e${index}`,
          source: `n${from}`,
          target: `n${to}`,
          ...(handle && types[from] !== 'log' ? { sourceHandle: handle } : {}),
        })),
    }),
  )

/** Returns the order of visits of one run, in which the conditions return `answers`, visit by visit. */
function walk(graph: FlowGraph, answers: readonly boolean[]): number[] {
  const visits: number[] = []
  const given = new Map<string, boolean>()
  const fired = new Set<string>()
  let asked = 0
  const gates = new Set(graph.nodes.filter((node) => node.type === 'andGate').map((node) => node.id))
  const visit = (id: string): void => {
    if (visits.length > 40) return
    const index = graph.nodes.findIndex((node) => node.id === id)
    const type = graph.nodes[index]?.type
    let answer: boolean | undefined
    if (type === 'andGate') {
      const inputs = graph.edges.filter((edge) => edge.target === id).map((edge) => given.get(edge.source))
      if (fired.has(id) || inputs.some((input) => input === undefined)) return
      fired.add(id)
      answer = inputs.every(Boolean)
    } else if (type === 'varCondition') {
      answer = answers[asked++ % answers.length] ?? true
    }
    visits.push(index)
    given.set(id, answer ?? true)
    for (const edge of graph.edges.filter((one) => one.source === id)) {
      const branch = branchOf(edge.sourceHandle)
      const isTaken = branch === undefined || answer === undefined || (branch === 'yes') === answer
      if (isTaken || gates.has(edge.target)) visit(edge.target)
    }
  }
  visit('n0')
  return visits
}

describe('nodes that may have run before', () => {
  it('is correct for every possible order of visits', () => {
    fc.assert(
      fc.property(acyclic, fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }), (graph, answers) => {
        const precedence = new Precedence(graph, NODES)
        const visits = walk(graph, answers)
        const wrong = visits.flatMap((later, at) =>
          visits
            .slice(0, at)
            .filter((earlier) => earlier !== later && !precedence.mayPrecede(earlier, later))
            .map((earlier) => `${earlier} before ${later}`),
        )
        expect(wrong).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  it('excludes later nodes and the other branch of a condition', () => {
    const graph: FlowGraph = {
      nodes: ['a', 'c', 'y', 'n', 'later'].map((id) => ({
        id,
        type: id === 'c' ? 'varCondition' : 'log',
        position: { x: 0, y: 0 },
        data: {},
      })),
      edges: [
        { id: '1', source: 'a', target: 'c' },
        { id: '2', source: 'a', target: 'later' },
        { id: '3', source: 'c', target: 'y', sourceHandle: 'yes' },
        { id: '4', source: 'c', target: 'n', sourceHandle: 'no' },
      ],
    }
    const precedence = new Precedence(graph, NODES)
    const before = (node: number) => [0, 1, 2, 3, 4].filter((other) => precedence.mayPrecede(other, node))
    expect([0, 1, 2, 3, 4].map(before)).toEqual([[], [0], [0, 1], [0, 1], [0, 1, 2, 3]])
  })
})
