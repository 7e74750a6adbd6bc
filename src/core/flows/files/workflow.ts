import type { FlowGraph } from '../graph/graph.js'

/** A workflow in a file. */
export interface Workflow {
  name: string
  description: string | null
  graph: FlowGraph
}
