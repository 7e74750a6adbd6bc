import { type Change, canonicalJson, changesBetween, changesWithin } from '../../../documents/index.js'
import { sha256Hex } from '../../../secrets/index.js'
import { isObject } from '../../../validation/index.js'
import { NODES, nodeOf } from '../../nodes/index.js'
import type { Folded } from '../condition/fold.js'
import { withMappings, withOneSpelling } from '../read/json-text.js'
import { type Link, linksOf } from '../read/links.js'
import { LINK_KEYS } from '../read/readable.js'
import { foldedLinks, foldsOf } from '../read/to-readable.js'
import type { Workflow } from '../workflow.js'

/**
 * Returns the differences of two workflows by node and field. Positions on a canvas, ids of edges and other
 * data of editors do not count.
 */
export function diff(before: Workflow, after: Workflow): Change[] {
  const { workflow, nodes, order } = differencesOf(before, after)
  const ofNodes = nodes.flatMap(({ id, changes }) =>
    changes.map((change) => ({ ...change, path: ['nodes', id, ...pathOf(change)].join('.') })),
  )
  return [...workflow, ...ofNodes, ...order]
}

const pathOf = ({ path }: Change) => (path === '' ? [] : [path])

/** The changes of one node. A path is of the node: `type`, `with.quantity`, `yes`; the whole node has an empty one. */
export interface NodeDifference {
  id: string
  kind: Change['kind']
  changes: Change[]
}

/** The differences of two workflows. */
export interface WorkflowDifferences {
  /** Of its name and its description. */
  workflow: Change[]
  nodes: NodeDifference[]
  /** Of the order of the nodes. */
  order: Change[]
}

type Folds = ReadonlyMap<string, Folded>

/** Longer workflows are compared node by node, as they are stored: to find their conditions takes too long. */
const MOST_FOLDED_NODES = 300

/** Returns the differences of two workflows by node. Of a step that is written as an `if`, they are those of its condition. */
export function differencesOf(before: Workflow, after: Workflow): WorkflowDifferences {
  const plain = contentDifferences(contentOf(before, withMappings), contentOf(after, withMappings))
  if (plain.nodes.length === 0) return plain
  const [old, now] = commonFolds(before, after)
  if (old.size === 0 && now.size === 0) return plain
  const read = contentDifferences(contentOf(before, withMappings, old), contentOf(after, withMappings, now))
  return read.nodes.length > 0 ? read : plain
}

/** Returns the conditions of several nodes, by the id of their step: those that both workflows have as such, or only one has at all. */
function commonFolds(before: Workflow, after: Workflow): [Folds, Folds] {
  if (Math.max(before.graph.nodes.length, after.graph.nodes.length) > MOST_FOLDED_NODES)
    return [new Map(), new Map()]
  const [old, now] = [foldsOf(before.graph, NODES), foldsOf(after.graph, NODES)]
  const ids = ({ graph }: Workflow) => new Set(graph.nodes.map(({ id }) => id))
  const [oldIds, nowIds] = [ids(before), ids(after)]
  const isMeant = (id: string) =>
    (old.has(id) || !oldIds.has(id)) &&
    (now.has(id) || !nowIds.has(id)) &&
    [old.get(id), now.get(id)].some((fold) => fold !== undefined && fold.hidden.size > 0)
  const meant = (folds: Folds) => new Map([...folds].filter(([id]) => isMeant(id)))
  return [meant(old), meant(now)]
}

function contentDifferences(old: Content, now: Content): WorkflowDifferences {
  const order = (from: Content['nodes'], other: Content['nodes']) =>
    [...from.keys()].filter((id) => other.has(id))
  return {
    workflow: [
      ...changesBetween('name', old.name, now.name),
      ...changesBetween('description', old.description, now.description),
    ],
    nodes: nodeDifferences(old.nodes, now.nodes),
    order: changesBetween('nodes', order(old.nodes, now.nodes), order(now.nodes, old.nodes)),
  }
}

/** Returns a SHA-256 that is equal for two workflows exactly when {@link diff} finds no difference. */
export function contentHash(workflow: Workflow): string {
  const { nodes, ...rest } = contentOf(workflow, withOneSpelling)
  return sha256Hex(canonicalJson({ ...rest, nodes: [...nodes] }))
}

interface NodeContent {
  /** Absent for a step that is written as an `if`. */
  type?: string
  if?: string
  label?: unknown
  with: Record<string, unknown>
  yes: string[]
  no: string[]
  /** Absent if empty, so that the hashes of earlier versions stay. */
  always?: string[]
  next: string[]
  /** Set only if yes, no, always and next do not give the order of the edges. */
  order?: string[]
}

interface Content {
  name: string
  description: string | null
  nodes: ReadonlyMap<string, NodeContent>
}

/**
 * Returns the canonical form: everything that matters to a run or a reader, without data of editors. `spelled` gives the
 * fields that hold JSON text one form. `folds` are the steps that are read as their condition.
 */
function contentOf(
  { name, description, graph }: Workflow,
  spelled: typeof withMappings,
  folds: Folds = new Map(),
): Content {
  const links = linksOf(graph)
  const hidden = new Set([...folds.values()].flatMap((fold) => [...fold.hidden]))
  const shown = graph.nodes.filter(({ id }) => !hidden.has(id))
  const nodes = new Map(
    shown.map(({ id, type, data }): [string, NodeContent] => {
      const { label, ...rest } = data
      const fold = folds.get(id)
      const own = foldedLinks(links.get(id) ?? [], folds)
      const always = branch(own, 'always')
      return [
        id,
        {
          ...(fold === undefined ? { type } : { if: fold.condition }),
          ...(label === undefined ? {} : { label }),
          with: fold === undefined ? spelled(rest, nodeOf(type)) : {},
          yes: branch(own, 'yes'),
          no: branch(own, 'no'),
          ...(always.length > 0 ? { always } : {}),
          next: branch(own, undefined),
          ...(isGrouped(own) ? {} : { order: own.map((link) => `${link.on ?? 'next'} ${target(link)}`) }),
        },
      ]
    }),
  )
  return { name, description: description === '' ? null : description, nodes }
}

function branch(links: readonly Link[], on: Link['on']): string[] {
  return links.filter((link) => link.on === on).map(target)
}

function target({ to, input }: Link): string {
  return input === undefined ? to : `${to} (input ${input})`
}

function isGrouped(links: readonly Link[]): boolean {
  const ranks = links.map((link) => LINK_KEYS.indexOf(link.on ?? 'next'))
  return ranks.every((rank, index) => index === 0 || (ranks[index - 1] ?? 0) <= rank)
}

function nodeDifferences(old: Content['nodes'], now: Content['nodes']): NodeDifference[] {
  const removed = [...old].filter(([id]) => !now.has(id))
  return [
    ...removed.map(([id, node]): NodeDifference => {
      return { id, kind: 'removed', changes: [{ kind: 'removed', path: '', before: summary(node) }] }
    }),
    ...[...now].flatMap(([id, node]): NodeDifference[] => {
      const before = old.get(id)
      if (before === undefined) {
        return [{ id, kind: 'added', changes: [{ kind: 'added', path: '', after: summary(node) }] }]
      }
      const changes = memberChanges(before, node)
      return changes.length === 0 ? [] : [{ id, kind: 'changed', changes }]
    }),
  ]
}

function memberChanges(before: NodeContent, node: NodeContent): Change[] {
  return Object.keys({ ...before, ...node }).flatMap((key) => {
    const [from, to] = [member(before, key), member(node, key)]
    return key === 'with' ? changesWithin(key, from, to) : changesBetween(key, listed(from), listed(to))
  })
}

function member(node: NodeContent, key: string): unknown {
  return Object.entries(node).find(([name]) => name === key)?.[1]
}

/** Returns a node as one value, without empty members. */
function summary(node: NodeContent | undefined): unknown {
  const entries = Object.entries(node ?? {}).filter(([, value]) => !isEmpty(value))
  return Object.fromEntries(entries.map(([key, value]) => [key, listed(value)]))
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0
}

/** Returns a list of one as its element and an empty list as undefined, as the readable form writes links. */
function listed(value: unknown): unknown {
  if (!Array.isArray(value) || value.length > 1) return value
  return value[0]
}
