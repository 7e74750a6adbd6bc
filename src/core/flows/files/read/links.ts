import { type Branch, branchOf, type FlowEdge, type FlowGraph, type FlowNode } from '../../graph/graph.js'
import { parseNumber } from '../../language/numbers.js'

/** One outgoing edge of a node in the readable form. */
export interface Link {
  to: string
  /** Absent: always followed. */
  on?: Branch
  /** The slot of a gate, where it is not the one its place among the incoming edges gives. */
  input?: number
}

const GATE_SLOTS: ReadonlySet<string> = new Set(['andGate', 'orGate'])
const SLOT = /^input-(\d+)$/

/** The outgoing edges of each node, in the order in which they are followed. */
export function linksOf(graph: FlowGraph): Map<string, Link[]> {
  const links = new Map<string, Link[]>(graph.nodes.map((node) => [node.id, []]))
  const slots = new Slots(graph.nodes)
  for (const edge of bySource(graph)) {
    const on = branchOf(edge.sourceHandle)
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

/** Edges for links, under ids that only depend on what they connect. */
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
        ...(on === undefined ? {} : { sourceHandle: on }),
        ...(handle === undefined ? {} : { targetHandle: handle }),
      })
    }
  }
  return edges
}

/** Edges by the order of their source nodes; those of one node keep their order. */
function bySource({ nodes, edges }: FlowGraph): FlowEdge[] {
  const rank = new Map(nodes.map((node, index) => [node.id, index]))
  const of = (edge: FlowEdge) => rank.get(edge.source) ?? nodes.length
  return [...edges].sort((a, b) => of(a) - of(b))
}

/** Hands out the slots of gates to incoming edges, one after the other. */
class Slots {
  readonly #nodes: ReadonlyMap<string, FlowNode>
  readonly #used = new Map<string, number>()

  constructor(nodes: readonly FlowNode[]) {
    this.#nodes = new Map(nodes.map((node) => [node.id, node]))
  }

  isGate(target: string): boolean {
    return GATE_SLOTS.has(this.#nodes.get(target)?.type ?? '')
  }

  /** The slot the next edge into a node gets; undefined where there are no slots, or no more. */
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
