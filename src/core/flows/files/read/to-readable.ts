import type { FlowGraph } from '../../graph/graph.js'
import type { NodeDefinition } from '../../nodes/definition.js'
import { type Folded, foldable, type LinkedNodes } from '../condition/fold.js'
import { withMappings } from './json-text.js'
import { type Link, linksOf } from './links.js'
import { LINK_KEYS, type LinkKey, type NodeTable, type ReadableNode, type WrittenLink } from './readable.js'
import { graphOfSteps, stepsOf } from './steps.js'

export interface WriteOptions {
  /** Keep the positions of nodes on an editor's canvas. */
  positions?: boolean
}

/**
 * Returns the readable form of a valid graph, with keys in a fixed order and without data of editors. {@link stepsOf}
 * turns it back into the same nodes, data and edges in the same order. Conditions are written as `if` where that gives the
 * same nodes back.
 */
export function toReadable(
  graph: FlowGraph,
  table: NodeTable,
  options: WriteOptions = {},
): Map<string, ReadableNode> {
  const nodes = linkedNodes(graph)
  const written = (folds: ReadonlyMap<string, Folded>) => writtenNodes(nodes, folds, table, options)
  // An `if` has one position, so its parts would lose theirs.
  const folds = options.positions ? new Map<string, Folded>() : foldable(nodes)
  const isKept = (some: ReadonlyMap<string, Folded>) => givesBack(written(some), nodes)
  if (folds.size === 0 || isKept(folds)) return written(folds)
  const kept = new Map<string, Folded>()
  for (const [id, fold] of folds) {
    kept.set(id, fold)
    if (!isKept(kept)) kept.delete(id)
  }
  return written(kept)
}

/**
 * Returns the steps that can be written as an `if`, by id: all of them, or none if they do not give the same nodes back together.
 */
export function foldsOf(graph: FlowGraph, table: NodeTable): ReadonlyMap<string, Folded> {
  const nodes = linkedNodes(graph)
  const folds = foldable(nodes)
  const isKept = folds.size > 0 && givesBack(writtenNodes(nodes, folds, table, {}), nodes)
  return isKept ? folds : new Map()
}

function linkedNodes(graph: FlowGraph): LinkedNodes {
  const links = linksOf(graph)
  return new Map(graph.nodes.map((node) => [node.id, { node, links: links.get(node.id) ?? [] }]))
}

function writtenNodes(
  nodes: LinkedNodes,
  folds: ReadonlyMap<string, Folded>,
  table: NodeTable,
  options: WriteOptions,
): Map<string, ReadableNode> {
  const hidden = new Set([...folds.values()].flatMap((fold) => [...fold.hidden]))
  const visible = [...nodes.values()].filter(({ node }) => !hidden.has(node.id))
  return new Map(
    visible.map(({ node, links }) => {
      const { label, ...rest } = node.data
      const fold = folds.get(node.id)
      const definition = table[node.type]
      const data = typeof label === 'string' ? rest : node.data
      const fields = fold === undefined ? sortedFields(withMappings(data, definition), definition) : {}
      return [
        node.id,
        {
          ...(fold === undefined ? { type: node.type } : { if: fold.condition }),
          ...(typeof label === 'string' ? { label } : {}),
          ...(Object.keys(fields).length > 0 ? { with: fields } : {}),
          ...written(foldedLinks(links, folds)),
          ...(options.positions ? { position: { x: node.position.x, y: node.position.y } } : {}),
        },
      ]
    }),
  )
}

/** Replaces the links to the parts of an `if` by one link to its step. */
export function foldedLinks(links: readonly Link[], folds: ReadonlyMap<string, Folded>): Link[] {
  const starts = new Map([...folds].map(([id, { entries }]) => [entries[0], { id, entries }]))
  const folded: Link[] = []
  for (let place = 0; place < links.length; ) {
    const link = links[place]
    if (link === undefined) break
    const step = starts.get(link.to)
    const isWhole = step?.entries.every((entry, index) => {
      const one = links[place + index]
      return one?.to === entry && one.on === link.on && one.input === undefined
    })
    folded.push(step !== undefined && isWhole ? { ...link, to: step.id } : link)
    place += isWhole ? (step?.entries.length ?? 1) : 1
  }
  return folded
}

/** Returns whether the readable form gives back the ids, types and links of the nodes in their order. */
function givesBack(readable: ReadonlyMap<string, ReadableNode>, nodes: LinkedNodes): boolean {
  const { steps, mistakes } = stepsOf(readable)
  if (mistakes.length > 0) return false
  const graph = graphOfSteps(steps)
  const links = linksOf(graph)
  const shape = [...nodes.values()].map(({ node, links: own }) => [node.id, node.type, own])
  const again = graph.nodes.map(({ id, type }) => [id, type, links.get(id) ?? []])
  return JSON.stringify(shape.map(comparable)) === JSON.stringify(again.map(comparable))
}

/** Returns links as lists, because the order of their members does not matter. */
function comparable([id, type, links]: (string | readonly Link[])[]): unknown {
  return [id, type, Array.isArray(links) ? links.map(({ to, on, input }: Link) => [to, on, input]) : []]
}

/** Sorts fields in the order of the node type, then by name. */
function sortedFields(
  data: Readonly<Record<string, unknown>>,
  definition: NodeDefinition | undefined,
): Record<string, unknown> {
  const names = Object.keys(data)
  const known = Object.keys(definition?.fields ?? {}).filter((name) => Object.hasOwn(data, name))
  const others = names.filter((name) => !known.includes(name)).sort(byCode)
  return Object.fromEntries([...known, ...others].map((name) => [name, data[name]]))
}

/** Writes links under `yes`, `no` and `next` if that keeps their order, otherwise all under `next`. */
function written(links: readonly Link[]): Pick<ReadableNode, LinkKey> {
  const rank = (link: Link) => LINK_KEYS.indexOf(link.on ?? 'next')
  const isGrouped = links.every((link, index) => {
    const before = links[index - 1]
    return before === undefined || rank(before) <= rank(link)
  })
  if (!isGrouped) return { next: links.map(short) }
  return Object.fromEntries(
    LINK_KEYS.flatMap((key) => {
      const own = links.filter((link) => (link.on ?? 'next') === key).map(({ on: _, ...link }) => short(link))
      const [first] = own
      if (first === undefined) return []
      return [[key, own.length === 1 && typeof first === 'string' ? first : own]]
    }),
  )
}

function short(link: Link): WrittenLink {
  return link.on === undefined && link.input === undefined ? link.to : link
}

function byCode(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
