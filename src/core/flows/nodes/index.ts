import { CONDITION_NODES } from './conditions.js'
import type { NodeDefinition } from './definition.js'
import { GATE_NODES } from './gates.js'
import { ORDER_NODES } from './orders.js'
import { UTILITY_NODES } from './utility.js'
import { variable } from './variable.js'

/** The families, in the order in which documentation lists them. */
const ALL: readonly NodeDefinition[] = [
  ...ORDER_NODES,
  ...CONDITION_NODES,
  ...GATE_NODES,
  variable,
  ...UTILITY_NODES,
]

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
