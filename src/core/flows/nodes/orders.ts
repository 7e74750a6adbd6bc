import type { NodeDefinition } from './definition.js'
import { BASKET_ORDER_NODES } from './orders-basket.js'
import { CHANGE_ORDER_NODES } from './orders-change.js'
import { OPTION_ORDER_NODES } from './orders-options.js'
import { SINGLE_ORDER_NODES } from './orders-single.js'

/** Nodes that place, change and end orders (specification, "Workflow node types"; contract, flow 2.2). */
export const ORDER_NODES: readonly NodeDefinition[] = [
  ...SINGLE_ORDER_NODES,
  ...OPTION_ORDER_NODES,
  ...BASKET_ORDER_NODES,
  ...CHANGE_ORDER_NODES,
]
