import { nodeOf } from '../nodes/index.js'
import type { FlowEdge, FlowGraph, FlowNode, Problem } from './graph.js'

const SHOWN_IN_CYCLE = 6
const SHOWN_UNREACHABLE = 8

/**
 * Checks the rules for the whole graph: one trigger, and gates that can be decided. If no other check found a
 * problem (`complete`), also no cycles and no unreachable nodes.
 */
export function structureProblems({ nodes, edges }: FlowGraph, complete: boolean): Problem[] {
  const triggers = nodes.filter(({ type }) => nodeOf(type)?.family === 'trigger')
  const problems = [...triggerProblems(triggers), ...gateProblems(nodes, edges)]
  const [trigger] = triggers
  if (!complete || problems.length > 0 || !trigger) return problems
  const cycle = findCycle(nodes, edges)
  if (cycle) {
    const shown = cycle.slice(0, SHOWN_IN_CYCLE)
    const message = `The workflow has a cycle: ${shown.join(' -> ')}`
    return [{ path: '/edges', code: 'cycle', message, received: shown }]
  }
  return unreachableProblems(nodes, edges, trigger)
}

function triggerProblems(triggers: readonly FlowNode[]): Problem[] {
  if (triggers.length === 1) return []
  if (triggers.length === 0) {
    return [{ path: '/nodes', code: 'no_trigger', message: 'No trigger node found in workflow' }]
  }
  const received = triggers.map(({ id }) => id)
  const message = `A workflow must have one trigger, this has ${triggers.length}: ${received.join(', ')}`
  return [{ path: '/nodes', code: 'multiple_triggers', message, received }]
}

/** A gate that cannot be decided would wait without end and without a message. */
function gateProblems(nodes: readonly FlowNode[], edges: readonly FlowEdge[]): Problem[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  return nodes.flatMap((node, index) => {
    if (nodeOf(node.type)?.effect !== 'gate') return []
    const path = `/nodes/${index}`
    const sources = edges.filter(({ target }) => target === node.id).map(({ source }) => byId.get(source))
    if (sources.length === 0) {
      return [{ path, code: 'invalid_gate' as const, message: `Gate '${node.id}' has no input` }]
    }
    return sources
      .filter((source) => source && !nodeOf(source.type)?.branching)
      .map((source) => ({
        path,
        code: 'invalid_gate' as const,
        message: `Gate '${node.id}' takes '${source?.id ?? ''}' as an input, which is not a condition`,
        received: source?.id,
      }))
  })
}

/**
 * Returns the ids of one cycle, if there is any. It does not recurse, because a graph may be one long chain.
 */
function findCycle(nodes: readonly FlowNode[], edges: readonly FlowEdge[]): string[] | undefined {
  const next = successors(edges)
  const done = new Set<string>()
  for (const { id: start } of nodes) {
    const path: string[] = []
    const onPath = new Set<string>()
    const stack: { id: string; leaving: boolean }[] = [{ id: start, leaving: false }]
    for (let top = stack.pop(); top; top = stack.pop()) {
      const { id, leaving } = top
      if (leaving) {
        path.pop()
        onPath.delete(id)
        done.add(id)
        continue
      }
      if (onPath.has(id)) return [...path.slice(path.indexOf(id)), id]
      if (done.has(id)) continue
      path.push(id)
      onPath.add(id)
      stack.push({ id, leaving: true })
      for (const target of next.get(id) ?? []) stack.push({ id: target, leaving: false })
    }
  }
  return undefined
}

function unreachableProblems(
  nodes: readonly FlowNode[],
  edges: readonly FlowEdge[],
  trigger: FlowNode,
): Problem[] {
  const next = successors(edges)
  const reached = new Set([trigger.id])
  const open = [trigger.id]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const target of next.get(id) ?? []) {
      if (reached.has(target)) continue
      reached.add(target)
      open.push(target)
    }
  }
  const lost = nodes.filter(({ id, type }) => !reached.has(id) && type !== 'group').map(({ id }) => id)
  if (lost.length === 0) return []
  const shown = lost.slice(0, SHOWN_UNREACHABLE)
  const message = `Not reachable from the trigger: ${shown.join(', ')}`
  const index = nodes.findIndex(({ id }) => id === lost[0])
  return [{ path: `/nodes/${index}`, code: 'unreachable', message, received: shown }]
}

function successors(edges: readonly FlowEdge[]): Map<string, string[]> {
  const next = new Map<string, string[]>()
  for (const { source, target } of edges) {
    const targets = next.get(source)
    if (targets) targets.push(target)
    else next.set(source, [target])
  }
  return next
}
