import { CHANGING_OPERATIONS } from './changing.js'
import { GTT_OPERATIONS } from './gtt.js'
import { PLACING_OPERATIONS } from './placing.js'
import { REFUSED_OPERATIONS } from './refused.js'

/** The operations of orders (docs/api.md, "Placing an order" and "Other orders"). */
export const ORDER_OPERATIONS = {
  ...PLACING_OPERATIONS,
  ...CHANGING_OPERATIONS,
  ...GTT_OPERATIONS,
  ...REFUSED_OPERATIONS,
}
