import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readWorkflow, type WorkflowFile } from '../../../../../src/core/flows/files/read/read.js'
import type { Workflow } from '../../../../../src/core/flows/files/workflow.js'
import { writeReadable } from '../../../../../src/core/flows/files/write.js'
import { branchOf, type FlowGraph } from '../../../../../src/core/flows/graph/graph.js'
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

/** Returns the edges of each node in order, with the handle that counts. */
const edgesBySource = (graph: FlowGraph) =>
  graph.nodes.map(({ id }) => [
    id,
    graph.edges
      .filter((edge) => edge.source === id)
      .map((edge) => [edge.target, branchOf(edge.sourceHandle) ?? 'next']),
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
