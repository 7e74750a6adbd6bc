import type { Change } from '../../../documents/index.js'
import { isObject } from '../../../validation/index.js'
import { LINK_KEYS, type LinkKey } from '../read/readable.js'
import type { Workflow } from '../workflow.js'
import { differencesOf, type NodeDifference } from './diff.js'

/** One difference of two workflows: of a node, an edge, or a field of a node or of the workflow. */
export interface Difference {
  kind: Change['kind']
  of: 'workflow' | 'node' | 'edge' | 'field' | 'order'
  /** The node that is meant, or that an edge leaves; null for what belongs to the whole workflow. */
  node: string | null
  /** The branch of an edge, the field of a node (`type`, `with.quantity`) or of the workflow (`name`). */
  field: string | null
  /** The node that an edge leads to. */
  to: string | null
  before: unknown
  after: unknown
}

const isLinkKey = (path: string): path is LinkKey => LINK_KEYS.some((key) => key === path)

/**
 * Returns the differences of two workflows, node by node. They are those of `diff`, with each edge by itself: a node that
 * is added or removed comes with its edges.
 */
export function graphDifferences(before: Workflow, after: Workflow): Difference[] {
  const { nodes, order, workflow } = differencesOf(before, after)
  return [
    ...workflow.map((change) => differenceOf(change, { of: 'workflow', field: change.path })),
    ...nodes.flatMap(ofNode),
    ...order.map((change) => differenceOf(change, { of: 'order' })),
  ]
}

function ofNode({ id: node, changes }: NodeDifference): Difference[] {
  return changes.flatMap((change) => {
    if (change.path === '') return wholeNode(node, change)
    if (isLinkKey(change.path)) return edgeDifferences(node, change.path, change)
    if (change.path === 'order') return [differenceOf(change, { of: 'order', node })]
    return [differenceOf(change, { of: 'field', node, field: change.path })]
  })
}

/** A node with its own fields, and its edges after it. */
function wholeNode(node: string, { kind, before, after }: Change): Difference[] {
  const [old, now] = [membersOf(before), membersOf(after)]
  const own = { kind, path: '', before: old && withoutLinks(old), after: now && withoutLinks(now) }
  return [
    differenceOf(own, { of: 'node', node }),
    ...LINK_KEYS.flatMap((key) =>
      edgeDifferences(node, key, { kind, path: key, before: old?.[key], after: now?.[key] }),
    ),
  ]
}

function membersOf(value: unknown): Record<string, unknown> | undefined {
  return isObject(value) ? { ...value } : undefined
}

function withoutLinks(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([key]) => !isLinkKey(key)))
}

function edgeDifferences(node: string, field: LinkKey, { before, after, kind }: Change): Difference[] {
  const [old, now] = [targets(before), targets(after)]
  const edge = (change: 'added' | 'removed', to: string) =>
    differenceOf({ kind: change, path: field }, { of: 'edge', node, field, to })
  const changed = [
    ...old.filter((to) => !now.includes(to)).map((to) => edge('removed', to)),
    ...now.filter((to) => !old.includes(to)).map((to) => edge('added', to)),
  ]
  if (changed.length > 0 || (old.length === 0 && now.length === 0)) return changed
  return [differenceOf({ kind, path: field, before: old, after: now }, { of: 'order', node, field })]
}

function targets(value: unknown): string[] {
  return value === undefined ? [] : [value].flat().map(String)
}

function differenceOf(
  { kind, before = null, after = null }: Change,
  where: Pick<Difference, 'of'> & Partial<Pick<Difference, 'node' | 'field' | 'to'>>,
): Difference {
  const { of, node = null, field = null, to = null } = where
  return { kind, of, node, field, to, before, after }
}
