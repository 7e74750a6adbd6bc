import { Hono } from 'hono'
import type { Identity } from '../../core/identity/index.js'
import { placeOrderBody, type SingleOrders } from '../../core/orders/index.js'
import { parseWith } from '../../core/validation/index.js'
import type { AppEnv } from '../env.js'
import { type ExecuteOrderParts, executeOrder } from '../http/execute-order.js'
import { isDryRun, orderContext } from '../http/order-request.js'
import { sendAnswer } from '../http/reply.js'
import { principalOf, readOrderBody } from '../middleware/api-key.js'

export interface PlaceOrderParts {
  identity: Identity
  orders: SingleOrders
  stage: ExecuteOrderParts
}

/** `POST /api/v1/placeorder`. Like every order endpoint, it checks the fields before the key. */
export function placeOrderRoutes({ identity, orders, stage }: PlaceOrderParts): Hono<AppEnv> {
  return new Hono<AppEnv>().post('/', async (c) => {
    const startedAt = stage.monotonic()
    const { apikey, ...payload } = parseWith(placeOrderBody, await readOrderBody(c))
    const principal = await principalOf(identity, apikey)
    const context = orderContext(c, principal, stage)
    if (isDryRun(c)) return sendAnswer(c, await orders.preview(payload, context))
    const { brokerTimer, userId } = context
    const call = { operation: 'placeorder', orderType: 'PLACE', userId, payload, brokerTimer, startedAt }
    return executeOrder(c, stage, call, () => orders.place(payload, context))
  })
}
