import { ACCOUNT_NODES } from './account.js'
import { BAR_NODES } from './bars/index.js'
import { CALENDAR_NODES } from './control/calendar-nodes.js'
import { CONDITION_NODES } from './control/conditions.js'
import { GATE_NODES } from './control/gates.js'
import { UTILITY_NODES } from './control/utility.js'
import { variable } from './control/variable.js'
import type { NodeDefinition } from './definition.js'
import { MARKET_NODES } from './market/market-data.js'
import { STREAMING_NODES } from './market/streaming.js'
import { ORDER_NODES } from './orders/index.js'
import { OUTBOUND_NODES } from './outbound.js'
import { TRIGGER_NODES } from './triggers.js'

/** All nodes by family, in the order of the documentation. */
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
 * The single table of node types. The validator, the engine, the JSON Schema, the documentation and `svc flow
 * nodes` all use it.
 */
export const NODES: Readonly<Record<string, NodeDefinition>> = Object.fromEntries(
  ALL.map((definition) => [definition.type, definition]),
)

/** Returns the definition of a type; undefined for an unknown type. */
export function nodeOf(type: string): NodeDefinition | undefined {
  return Object.hasOwn(NODES, type) ? NODES[type] : undefined
}
