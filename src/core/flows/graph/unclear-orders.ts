import { nodeOf } from '../nodes/index.js'
import { isAlways } from './always.js'
import { branchOf, type FlowGraph, type FlowNode, type Problem } from './graph.js'

/**
 * Finds orders that follow a condition or a gate through an edge without a branch. A run follows such an edge
 * also on no, and when the condition is undecided. The edge must say that this is meant.
 */
export function unclearOrders({ nodes, edges }: FlowGraph): Problem[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const targets = new Map<string, string[]>()
  for (const { source, target } of edges) targets.set(source, [...(targets.get(source) ?? []), target])
  return edges.flatMap((edge, index): Problem[] => {
    const { source, target, sourceHandle } = edge
    const [from, to] = [byId.get(source), byId.get(target)]
    if (!from || !to || !decides(from) || isGate(to)) return []
    if (branchOf(sourceHandle) !== undefined || isAlways(edge)) return []
    const order = firstOrder(target, byId, targets)
    if (order === undefined) return []
    const way = order === target ? `'${order}'` : `'${target}', which leads to '${order}'`
    const message =
      `Node '${source}': an edge without a branch leads to the order ${way}. A run follows it also on no. ` +
      'Use yes or no, or always if this is meant'
    return [{ path: `/edges/${index}`, code: 'unclear_order', message, expected: ['yes', 'no', 'always'] }]
  })
}

/** Returns the first order that is reached without another decision. */
function firstOrder(
  start: string,
  nodes: ReadonlyMap<string, FlowNode>,
  targets: ReadonlyMap<string, readonly string[]>,
): string | undefined {
  const seen = new Set([start])
  for (const id of seen) {
    const node = nodes.get(id)
    if (node === undefined || decides(node)) continue
    if (nodeOf(node.type)?.family === 'order') return id
    for (const target of targets.get(id) ?? []) seen.add(target)
  }
  return undefined
}

function decides({ type }: FlowNode): boolean {
  const effect = nodeOf(type)?.effect
  return effect === 'condition' || effect === 'gate'
}

const isGate = ({ type }: FlowNode): boolean => nodeOf(type)?.effect === 'gate'
