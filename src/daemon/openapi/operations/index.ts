import type { Operation } from '../operation.js'
import { ACCESS_OPERATIONS } from './access.js'
import { ACCOUNT_OPERATIONS } from './account.js'
import { CONTROL_OPERATIONS } from './control.js'
import { FLOW_OPERATIONS } from './flows.js'
import { MARKET_OPERATIONS } from './market.js'
import { ORDER_OPERATIONS } from './orders.js'
import { SANDBOX_OPERATIONS } from './sandbox.js'

/** Every operation of the HTTP interface. A test fails while a route is missing here. */
export const OPERATIONS: readonly Operation[] = [
  ...ORDER_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
  ...MARKET_OPERATIONS,
  ...CONTROL_OPERATIONS,
  ...SANDBOX_OPERATIONS,
  ...FLOW_OPERATIONS,
  ...ACCESS_OPERATIONS,
]
