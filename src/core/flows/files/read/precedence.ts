import { type Branch, branchOf, type FlowGraph } from '../../graph/graph.js'
import type { NodeTable } from './readable.js'

/** A set of nodes: bit n is the n-th node. */
type NodeSet = bigint

interface Exit {
  target: number
  branch: Branch | undefined
}

/**
 * Computes which nodes may have run before a node is reached. The walk goes depth first and follows edges in
 * order. These nodes are therefore the ancestors of the node, and the nodes below an earlier edge of an
 * ancestor. The two branches of a condition that is visited once exclude each other.
 */
export class Precedence {
  readonly #before: NodeSet[]
  readonly #count: number

  constructor(graph: FlowGraph, table: NodeTable) {
    const index = new Map(graph.nodes.map((node, at) => [node.id, at]))
    const isGate = graph.nodes.map((node) => table[node.type]?.effect === 'gate')
    const exits: Exit[][] = graph.nodes.map(() => [])
    for (const edge of graph.edges) {
      const [source, target] = [index.get(edge.source), index.get(edge.target)]
      if (source === undefined || target === undefined) continue
      exits[source]?.push({ target, branch: branchOf(edge.sourceHandle) })
    }
    const below = exits.map((_, start) => reach(start, exits))
    const often = visitedOften(exits, below, isGate)
    this.#count = graph.nodes.length
    this.#before = exits.map((_, node) => ancestors(node, exits, below))
    exits.forEach((own, node) => {
      const isOften = has(often, node)
      own.forEach((later, place) => {
        const earlier = own
          .slice(0, place)
          .filter((one) => isOften || !excludes(one, later, isGate))
          .reduce((set, one) => set | (below[one.target] ?? 0n), 0n)
        if (earlier !== 0n) this.#add(earlier, below[later.target] ?? 0n)
      })
    })
  }

  /** Returns whether the first node may run before the second. Both are indexes in the list of nodes. */
  mayPrecede(first: number, second: number): boolean {
    return has(this.#before[second] ?? 0n, first)
  }

  #add(earlier: NodeSet, nodes: NodeSet): void {
    for (let node = 0; node < this.#count; node++) {
      if (has(nodes, node)) this.#before[node] = (this.#before[node] ?? 0n) | earlier
    }
  }
}

function excludes(one: Exit, other: Exit, isGate: readonly boolean[]): boolean {
  // Edges into gates are followed for any result.
  if (isGate[one.target] || isGate[other.target]) return false
  return one.branch !== undefined && other.branch !== undefined && one.branch !== other.branch
}

/** Returns a node and all nodes reachable from it. */
function reach(start: number, exits: readonly (readonly Exit[])[]): NodeSet {
  let seen = bit(start)
  const open = [start]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const { target } of exits[node] ?? []) {
      if (has(seen, target)) continue
      seen |= bit(target)
      open.push(target)
    }
  }
  return seen
}

function ancestors(node: number, exits: readonly (readonly Exit[])[], below: readonly NodeSet[]): NodeSet {
  return exits.reduce((set, own, from) => {
    return own.some(({ target }) => has(below[target] ?? 0n, node)) ? set | bit(from) : set
  }, 0n)
}

/**
 * Returns nodes that several paths lead to, and all nodes below them. Gates run once, so they do not count.
 */
function visitedOften(
  exits: readonly (readonly Exit[])[],
  below: readonly NodeSet[],
  isGate: readonly boolean[],
): NodeSet {
  const entries = exits.map(() => 0)
  for (const { target } of exits.flat()) entries[target] = (entries[target] ?? 0) + 1
  return entries.reduce((set, count, node) => {
    return count > 1 && !isGate[node] ? set | (below[node] ?? 0n) : set
  }, 0n)
}

const bit = (node: number): NodeSet => 1n << BigInt(node)
const has = (set: NodeSet, node: number): boolean => ((set >> BigInt(node)) & 1n) === 1n
