import type { FlowGraph } from '../graph/graph.js'

/** A workflow as files have it. */
export interface Workflow {
  name: string
  description: string | null
  graph: FlowGraph
}
