import { ALWAYS, isAlways } from '../../graph/always.js'
import { type Branch, branchOf, type FlowEdge, type FlowGraph, type FlowNode } from '../../graph/graph.js'
import { parseNumber } from '../../language/numbers.js'
import { nodeOf } from '../../nodes/index.js'

/** One outgoing edge of a node in the readable form. */
export interface Link {
  to: string
  /** `always` is followed in any case on purpose. If absent, the edge is followed in any case too. */
  on?: Branch | 'always'
  /** The input slot of a gate, if it differs from the edge's position among the incoming edges. */
  input?: number
}

const GATE_SLOTS: ReadonlySet<string> = new Set(['andGate', 'orGate'])
const SLOT = /^input-(\d+)$/

/** Returns the outgoing edges of each node in the order they are followed. */
export function linksOf(graph: FlowGraph): Map<string, Link[]> {
  const links = new Map<string, Link[]>(graph.nodes.map((node) => [node.id, []]))
  const slots = new Slots(graph.nodes)
  const branching = new Set(graph.nodes.filter(isBranching).map((node) => node.id))
  for (const edge of bySource(graph)) {
    const meant = branching.has(edge.source) && isAlways(edge) ? 'always' : undefined
    const on = branchOf(edge.sourceHandle) ?? meant
    const given = slots.next(edge.target)
    const input = slotOf(edge.targetHandle, slots.isGate(edge.target))
    links.get(edge.source)?.push({
      to: edge.target,
      ...(on === undefined ? {} : { on }),
      ...(input === undefined || input === given ? {} : { input }),
    })
  }
  return links
}

/** Returns the edges for links. Their ids depend only on the nodes they connect. */
export function edgesOf(nodes: readonly FlowNode[], links: ReadonlyMap<string, readonly Link[]>): FlowEdge[] {
  const slots = new Slots(nodes)
  const taken = new Set<string>()
  const edges: FlowEdge[] = []
  for (const { id: source } of nodes) {
    for (const { to, on, input } of links.get(source) ?? []) {
      const given = slots.next(to)
      const handle = slots.handle(to, input ?? given)
      edges.push({
        id: free(`${source}-${on ?? 'next'}-${to}`, taken),
        source,
        target: to,
        ...(on === 'yes' || on === 'no' ? { sourceHandle: on } : {}),
        ...(handle === undefined ? {} : { targetHandle: handle }),
        ...(on === 'always' ? { data: ALWAYS } : {}),
      })
    }
  }
  return edges
}

/** Returns whether a node has branches. A node of unknown type may have them. */
function isBranching({ type }: FlowNode): boolean {
  return nodeOf(type)?.branching ?? true
}

/** Sorts edges by their source nodes and keeps the order of edges with the same source. */
function bySource({ nodes, edges }: FlowGraph): FlowEdge[] {
  const rank = new Map(nodes.map((node, index) => [node.id, index]))
  const of = (edge: FlowEdge) => rank.get(edge.source) ?? nodes.length
  return [...edges].sort((a, b) => of(a) - of(b))
}

/** Assigns the slots of gates to incoming edges in order. */
class Slots {
  readonly #nodes: ReadonlyMap<string, FlowNode>
  readonly #used = new Map<string, number>()

  constructor(nodes: readonly FlowNode[]) {
    this.#nodes = new Map(nodes.map((node) => [node.id, node]))
  }

  isGate(target: string): boolean {
    return GATE_SLOTS.has(this.#nodes.get(target)?.type ?? '')
  }

  /** Returns the slot of the next edge into a node; undefined if the node has no slots or none are left. */
  next(target: string): number | undefined {
    if (!this.isGate(target)) return undefined
    const slot = this.#used.get(target) ?? 0
    this.#used.set(target, slot + 1)
    return slot < inputCount(this.#nodes.get(target)) ? slot : undefined
  }

  handle(target: string, slot: number | undefined): string | undefined {
    if (this.#nodes.get(target)?.type === 'notGate') return 'input'
    return slot === undefined ? undefined : `input-${slot}`
  }
}

function inputCount(gate: FlowNode | undefined): number {
  const count = parseNumber(gate?.data.inputCount)
  return count === undefined ? 2 : Math.max(1, Math.trunc(count))
}

function slotOf(handle: string | null | undefined, isGate: boolean): number | undefined {
  const digits = isGate ? SLOT.exec(handle ?? '')?.[1] : undefined
  return digits === undefined ? undefined : Number(digits)
}

function free(id: string, taken: Set<string>): string {
  let candidate = id
  for (let count = 2; taken.has(candidate); count++) candidate = `${id}-${count}`
  taken.add(candidate)
  return candidate
}
