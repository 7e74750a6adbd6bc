import type { FlowGraph, Problem } from '../../graph/graph.js'
import { unclearOrders } from '../../graph/unclear-orders.js'
import { NODES } from '../../nodes/index.js'
import { valueProblems } from './field-values.js'
import { outputProblems } from './references.js'

const known = new WeakMap<FlowGraph, readonly Problem[]>()

/**
 * Returns the problems that keep a valid graph from being activated: it would run, but hardly as its author
 * means. A workflow with such problems can be stored, and one that is active keeps running.
 */
export function readinessProblems(graph: FlowGraph): readonly Problem[] {
  const found = known.get(graph) ?? [
    ...unclearOrders(graph),
    ...valueProblems(graph),
    ...outputProblems(graph, NODES),
  ]
  known.set(graph, found)
  return found
}

/** Returns the problems of a changed graph that the graph before did not have. */
export function addedProblems(before: FlowGraph, after: FlowGraph): Problem[] {
  const old = new Set(readinessProblems(before).map(({ message }) => message))
  return readinessProblems(after).filter(({ message }) => !old.has(message))
}
