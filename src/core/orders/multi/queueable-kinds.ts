import type { QueueableOperation } from '../operations/order-operations.js'
import { BASKET_ORDER } from './basket.js'
import { OPTIONS_MULTI_ORDER, OPTIONS_ORDER } from './options.js'
import { SMART_ORDER } from './smart.js'
import { SPLIT_ORDER } from './split.js'

/** The operations that may wait for approval and become one order or one GTT. */
type Single = 'placeorder' | 'placegttorder'

/** Every kind of request that may wait for approval and becomes other orders, by its operation. */
export const QUEUEABLE_KINDS = {
  placesmartorder: SMART_ORDER,
  basketorder: BASKET_ORDER,
  splitorder: SPLIT_ORDER,
  optionsorder: OPTIONS_ORDER,
  optionsmultiorder: OPTIONS_MULTI_ORDER,
} as const satisfies { readonly [N in Exclude<QueueableOperation, Single>]: { operation: N } }
