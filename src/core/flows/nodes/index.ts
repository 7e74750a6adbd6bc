import { ACCOUNT_NODES } from './account.js'
import { BAR_NODES } from './bars.js'
import { CALENDAR_NODES } from './calendar-nodes.js'
import { CONDITION_NODES } from './conditions.js'
import type { NodeDefinition } from './definition.js'
import { GATE_NODES } from './gates.js'
import { MARKET_NODES } from './market-data.js'
import { ORDER_NODES } from './orders.js'
import { OUTBOUND_NODES } from './outbound.js'
import { STREAMING_NODES } from './streaming.js'
import { TRIGGER_NODES } from './triggers.js'
import { UTILITY_NODES } from './utility.js'
import { variable } from './variable.js'

/** The families, in the order in which documentation lists them. */
const ALL: readonly NodeDefinition[] = [
  ...TRIGGER_NODES,
  ...ORDER_NODES,
  ...MARKET_NODES,
  ...BAR_NODES,
  ...ACCOUNT_NODES,
  ...CALENDAR_NODES,
  ...CONDITION_NODES,
  ...GATE_NODES,
  ...STREAMING_NODES,
  variable,
  ...UTILITY_NODES,
  ...OUTBOUND_NODES,
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
