import type { NodeDefinition } from '../definition.js'
import { BASKET_ORDER_NODES } from './basket-nodes.js'
import { CHANGE_ORDER_NODES } from './change-nodes.js'
import { OPTION_ORDER_NODES } from './option-nodes.js'
import { SINGLE_ORDER_NODES } from './single-nodes.js'

/** Nodes that place, change and cancel orders. */
export const ORDER_NODES: readonly NodeDefinition[] = [
  ...SINGLE_ORDER_NODES,
  ...OPTION_ORDER_NODES,
  ...BASKET_ORDER_NODES,
  ...CHANGE_ORDER_NODES,
]
