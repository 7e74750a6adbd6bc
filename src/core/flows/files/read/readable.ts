import type { FlowGraph, FlowNode } from '../../graph/graph.js'
import type { NodeDefinition } from '../../nodes/definition.js'
import { layout, type Position } from '../layout.js'
import { edgesOf, type Link, linksOf } from './links.js'

export type NodeTable = Readonly<Record<string, NodeDefinition>>

/** A link as written: only the id if there is nothing else to say. */
type WrittenLink = string | Link
type WrittenLinks = string | readonly WrittenLink[]

/** A node in the readable form. Its key is its id. */
export interface ReadableNode {
  type: string
  label?: string | undefined
  with?: Record<string, unknown> | undefined
  yes?: WrittenLinks | undefined
  no?: WrittenLinks | undefined
  next?: WrittenLinks | undefined
  position?: Position | undefined
}

/** The keys of a node that hold links, in the order the links are followed. */
export const LINK_KEYS = ['yes', 'no', 'next'] as const
type LinkKey = (typeof LINK_KEYS)[number]

/** Returns the links of a node in the order they are followed, with their positions in the node. */
export function linksOfNode(node: ReadableNode): { link: Link; at: (string | number)[] }[] {
  return LINK_KEYS.flatMap((key) => {
    const written = node[key] ?? []
    const isList = typeof written !== 'string'
    return (isList ? written : [written]).map((one, index) => {
      const link = typeof one === 'string' ? { to: one } : one
      return { link: key === 'next' ? link : { ...link, on: key }, at: isList ? [key, index] : [key] }
    })
  })
}

/** Returns the graph of nodes in the readable form, in their order. Computes missing positions. */
export function fromReadable(nodes: ReadonlyMap<string, ReadableNode>): FlowGraph {
  const made = [...nodes].map(([id, node]): FlowNode => {
    const data = { ...(node.label === undefined ? {} : { label: node.label }), ...node.with }
    return { id, type: node.type, position: node.position ?? { x: 0, y: 0 }, data }
  })
  const links = new Map([...nodes].map(([id, node]) => [id, linksOfNode(node).map((one) => one.link)]))
  const edges = edgesOf(made, links)
  const places = layout([...nodes.keys()], edges)
  for (const node of made) {
    if (nodes.get(node.id)?.position === undefined) node.position = places.get(node.id) ?? node.position
  }
  return { nodes: made, edges }
}

export interface WriteOptions {
  /** Keep the positions of nodes on an editor's canvas. */
  positions?: boolean
}

/**
 * Returns the readable form of a valid graph, with keys in a fixed order and without data of editors. {@link
 * fromReadable} turns it back into the same nodes, data and edges in the same order.
 */
export function toReadable(
  graph: FlowGraph,
  table: NodeTable,
  options: WriteOptions = {},
): Map<string, ReadableNode> {
  const links = linksOf(graph)
  return new Map(
    graph.nodes.map((node) => {
      const { label, ...rest } = node.data
      const data = typeof label === 'string' ? rest : node.data
      const fields = sortedFields(data, table[node.type])
      return [
        node.id,
        {
          type: node.type,
          ...(typeof label === 'string' ? { label } : {}),
          ...(Object.keys(fields).length > 0 ? { with: fields } : {}),
          ...written(links.get(node.id) ?? []),
          ...(options.positions ? { position: { x: node.position.x, y: node.position.y } } : {}),
        },
      ]
    }),
  )
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
