import { ServiceError, validationError } from '../../errors/index.js'
import type { WorkflowContent } from '../schema.js'
import { invalidBody } from '../views.js'
import { type FlowGraph, LIMITS, type Problem } from './graph.js'
import { migrateNodes, presentTypes } from './migrate.js'
import { nameProblems, validateGraph } from './validate.js'

/** Members of a workflow from a request, before validation. */
export interface ContentPatch {
  name?: unknown
  description?: unknown
  nodes?: unknown
  edges?: unknown
}

export function invalidGraph(error: string, problems: readonly Problem[]): ServiceError {
  const { message, ...extra } = invalidBody(error, problems)
  return new ServiceError('validation', message, { extra })
}

/** Returns content with the given members replaced. The graph may be incomplete, but not invalid. */
export function contentWith(before: WorkflowContent, patch: ContentPatch): WorkflowContent {
  const { name = before.name, description = before.description } = patch
  const touched = patch.nodes !== undefined || patch.edges !== undefined
  const graph = touched
    ? { nodes: presentTypes(patch.nodes ?? before.graph.nodes), edges: patch.edges ?? before.graph.edges }
    : before.graph
  const problems = [...nameProblems(name), ...(touched ? validateGraph(graph, { strict: false }) : [])]
  if (problems.length > 0) throw invalidGraph('Invalid workflow structure', problems)
  return checkedContent(name, description, graph)
}

/** Returns content that can run unchanged. @throws ServiceError `validation` */
export function runnableContent(patch: ContentPatch): WorkflowContent {
  return documentContent(patch, undefined).content
}

/** Returns the content of an import or a replacement, with old names migrated. The graph must be complete. */
export function documentContent(document: ContentPatch, before: WorkflowContent | undefined) {
  const { nodes, notes } = migrateNodes(document.nodes)
  const graph = { nodes, edges: document.edges ?? (before ? [] : undefined) }
  const name = document.name ?? before?.name
  const problems = [...nameProblems(name), ...validateGraph(graph, { strict: true })]
  if (problems.length > 0) throw invalidGraph('Invalid workflow format', problems)
  const description =
    document.description === undefined ? (before?.description ?? null) : document.description
  return { content: checkedContent(name, description, graph), migrations: notes }
}

const IMPORTED = ' (imported)'

/** Returns the name of an imported workflow, within the length limit. */
export function importedName(name: string): string {
  return `${name.slice(0, LIMITS.nameLength - IMPORTED.length)}${IMPORTED}`
}

/** Returns validated content with its type. */
export function checkedContent(
  name: unknown,
  description: unknown,
  graph: { nodes: unknown; edges: unknown },
): WorkflowContent {
  if (description !== null && typeof description !== 'string') {
    throw validationError({ description: ['Not a valid string.'] })
  }
  if (typeof name !== 'string' || !isGraph(graph)) throw new Error('the workflow was not validated')
  return { name: name.trim(), description, graph }
}

export function isGraph(graph: { nodes: unknown; edges: unknown }): graph is FlowGraph {
  return Array.isArray(graph.nodes) && Array.isArray(graph.edges)
}
