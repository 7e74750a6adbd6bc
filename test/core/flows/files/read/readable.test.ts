import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readWorkflow, type WorkflowFile } from '../../../../../src/core/flows/files/read/read.js'
import type { Workflow } from '../../../../../src/core/flows/files/workflow.js'
import { writeReadable } from '../../../../../src/core/flows/files/write.js'
import { isAlways } from '../../../../../src/core/flows/graph/always.js'
import { branchOf, type FlowEdge, type FlowGraph } from '../../../../../src/core/flows/graph/graph.js'
import { nodeOf } from '../../../../../src/core/flows/nodes/index.js'
import { graphs } from '../graphs.js'

function read(text: string, file = 'flow.yaml'): WorkflowFile {
  const result = readWorkflow(text, file)
  if (!result.ok) throw new Error(JSON.stringify(result.findings))
  return result.value
}

const workflow = (graph: FlowGraph): Workflow => ({
  name: 'A flow',
  description: null,
  graph,
})

/** Returns the branch of an edge that counts. Only nodes with branches have `always` edges. */
function branch(graph: FlowGraph, edge: FlowEdge): string {
  const type = graph.nodes.find(({ id }) => id === edge.source)?.type ?? ''
  const meant = nodeOf(type)?.branching && isAlways(edge) ? 'always' : 'next'
  return branchOf(edge.sourceHandle) ?? meant
}

/** Returns the edges of each node in order, with the branch that counts. */
const edgesBySource = (graph: FlowGraph) =>
  graph.nodes.map(({ id }) => [
    id,
    graph.edges.filter((edge) => edge.source === id).map((edge) => [edge.target, branch(graph, edge)]),
  ])

describe('the readable form', () => {
  it('contains the whole graph: nodes in order, their data, their edges in order', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const back = read(writeReadable(workflow(graph), { positions: true })).graph
        expect(back.nodes).toEqual(graph.nodes)
        expect(edgesBySource(back)).toEqual(edgesBySource(graph))
      }),
      { numRuns: 300 },
    )
  })

  it.each(['if price', 'next step', 'no $'])('reads a node back whose id begins with a field: %s', (id) => {
    const node = { id, type: 'start', position: { x: 0, y: 0 }, data: {} }
    const text = writeReadable(workflow({ nodes: [node], edges: [] }), { positions: true })
    expect(read(text).graph.nodes).toEqual([node])
  })

  it('writes an edge that is meant in any case as always, and reads it back as an edge without a handle', () => {
    const text = `name: A flow
nodes:
  go:
    type: start
    next: c
  c:
    type: varCondition
    yes: a
    always:
      - b
      - to: gate
        input: 1
    next: d
  gate:
    type: andGate
    next: [{to: b, on: always}, {to: a, on: yes}]
  a:
    type: log
  b:
    type: log
  d:
    type: log
`
    const { graph } = read(text)
    const of = (source: string) =>
      graph.edges.filter((edge) => edge.source === source).map(({ id: _, source: __, ...edge }) => edge)
    expect(of('c')).toEqual([
      { target: 'a', sourceHandle: 'yes' },
      { target: 'b', data: { always: true } },
      { target: 'gate', targetHandle: 'input-1', data: { always: true } },
      { target: 'd' },
    ])
    expect(of('gate')).toEqual([
      { target: 'b', data: { always: true } },
      { target: 'a', sourceHandle: 'yes' },
    ])
    expect(read(writeReadable(workflow(graph))).graph).toEqual(graph)
    expect(writeReadable(workflow(graph))).toContain('    always: [b, {to: gate, input: 1}]\n')
  })

  it('is canonical: a second write gives the same text, and edges keep their ids and slots', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const text = writeReadable(workflow(graph))
        const back = read(text)
        expect(writeReadable(back)).toBe(text)
        expect(read(writeReadable(back)).graph).toEqual(back.graph)
        expect(new Set(back.graph.edges.map((edge) => edge.id)).size).toBe(graph.edges.length)
      }),
    )
  })
})
