import { type Branch, branchOf, type FlowGraph } from '../../graph/graph.js'
import type { NodeTable } from './readable.js'

const WORD = 32

/** A set of numbers from 0 to one below its size. */
class NodeSet {
  readonly #words: Uint32Array

  constructor(readonly size: number) {
    this.#words = new Uint32Array(Math.ceil(size / WORD))
  }

  has(node: number): boolean {
    return (((this.#words[node >>> 5] ?? 0) >>> (node & 31)) & 1) === 1
  }

  add(node: number): void {
    this.#words[node >>> 5] = (this.#words[node >>> 5] ?? 0) | (1 << (node & 31))
  }

  /** Adds all members of another set. */
  addAll(other: NodeSet): void {
    for (let word = 0; word < this.#words.length; word++) {
      this.#words[word] = (this.#words[word] ?? 0) | (other.#words[word] ?? 0)
    }
  }
}

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
      const earlier = new Earlier(this.#count, often.has(node))
      for (const exit of own) {
        const nodes = below[exit.target]
        if (!nodes) continue
        const decides = isGate[exit.target] === true ? undefined : exit.branch
        this.#add(earlier.than(decides), nodes)
        earlier.add(nodes, decides)
      }
    })
  }

  /** Returns whether the first node may run before the second. Both are indexes in the list of nodes. */
  mayPrecede(first: number, second: number): boolean {
    return this.#before[second]?.has(first) === true
  }

  #add(earlier: NodeSet | undefined, nodes: NodeSet): void {
    if (earlier === undefined) return
    for (let node = 0; node < this.#count; node++) {
      if (nodes.has(node)) this.#before[node]?.addAll(earlier)
    }
  }
}

/**
 * The nodes below the exits of a node that come before an exit. The two branches of a node that is visited once exclude each
 * other; edges without a branch, and edges into gates, are followed for any result.
 */
class Earlier {
  readonly #byBranch = new Map<Branch | undefined, NodeSet>()
  readonly #all: NodeSet
  #isEmpty = true

  constructor(
    private readonly size: number,
    private readonly isOften: boolean,
  ) {
    this.#all = new NodeSet(size)
  }

  add(nodes: NodeSet, branch: Branch | undefined): void {
    this.#isEmpty = false
    this.#all.addAll(nodes)
    this.#of(branch).addAll(nodes)
  }

  /** Returns the nodes before an exit of a branch; undefined if there are none. */
  than(branch: Branch | undefined): NodeSet | undefined {
    if (this.#isEmpty) return undefined
    if (this.isOften || branch === undefined) return this.#all
    const nodes = new NodeSet(this.size)
    nodes.addAll(this.#of(undefined))
    nodes.addAll(this.#of(branch))
    return nodes
  }

  #of(branch: Branch | undefined): NodeSet {
    const found = this.#byBranch.get(branch) ?? new NodeSet(this.size)
    this.#byBranch.set(branch, found)
    return found
  }
}

/** Returns a node and all nodes reachable from it. */
function reach(start: number, exits: readonly (readonly Exit[])[]): NodeSet {
  const seen = new NodeSet(exits.length)
  seen.add(start)
  const open = [start]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const { target } of exits[node] ?? []) {
      if (seen.has(target)) continue
      seen.add(target)
      open.push(target)
    }
  }
  return seen
}

function ancestors(node: number, exits: readonly (readonly Exit[])[], below: readonly NodeSet[]): NodeSet {
  const found = new NodeSet(exits.length)
  exits.forEach((own, from) => {
    if (own.some(({ target }) => below[target]?.has(node))) found.add(from)
  })
  return found
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
  const often = new NodeSet(exits.length)
  entries.forEach((count, node) => {
    const nodes = below[node]
    if (count > 1 && !isGate[node] && nodes) often.addAll(nodes)
  })
  return often
}
