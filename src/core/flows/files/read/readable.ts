import type { NodeDefinition } from '../../nodes/definition.js'
import type { Position } from '../layout.js'
import type { Link } from './links.js'

export type NodeTable = Readonly<Record<string, NodeDefinition>>

/** A link as written: only the id if there is nothing else to say. */
export type WrittenLink = string | Link
type WrittenLinks = string | readonly WrittenLink[]

/** A node in the readable form, or a condition (`if`) that stands for several. Its key is its id. */
export interface ReadableNode {
  type?: string | undefined
  if?: string | undefined
  label?: string | undefined
  with?: Record<string, unknown> | undefined
  yes?: WrittenLinks | undefined
  no?: WrittenLinks | undefined
  always?: WrittenLinks | undefined
  next?: WrittenLinks | undefined
  position?: Position | undefined
}

/** The keys of a node that hold links, in the order the links are followed. */
export const LINK_KEYS = ['yes', 'no', 'always', 'next'] as const
export type LinkKey = (typeof LINK_KEYS)[number]

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
