import type { NodeDefinition } from './definition.js'

/** The families, in the order in which documentation lists them. */
const ALL: readonly NodeDefinition[] = []

/**
 * The one table of node types (specification, "Workflow node types"): validator, engine, schema, documentation and
 * `svc flow nodes` are all derived from it.
 */
export const NODES: Readonly<Record<string, NodeDefinition>> = Object.fromEntries(
  ALL.map((definition) => [definition.type, definition]),
)

/** The definition of a type; undefined for any other text. */
export function nodeOf(type: string): NodeDefinition | undefined {
  return Object.hasOwn(NODES, type) ? NODES[type] : undefined
}
