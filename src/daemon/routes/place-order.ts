import { Hono } from 'hono'
import type { Identity } from '../../core/identity/index.js'
import { type OrderDesk, placeOrderBody } from '../../core/orders/index.js'
import { parseWith } from '../../core/validation/index.js'
import type { AppEnv } from '../env.js'
import { isDryRun, orderContext } from '../http/order-request.js'
import { executeOrder, type OrderStageParts } from '../http/order-stage.js'
import { sendAnswer } from '../http/reply.js'
import { principalOf, readOrderBody } from '../middleware/api-key.js'

export interface PlaceOrderParts {
  identity: Identity
  desk: OrderDesk
  stage: OrderStageParts
}

/** `POST /api/v1/placeorder`. Like every endpoint of orders, it checks the fields before the key. */
export function placeOrderRoutes({ identity, desk, stage }: PlaceOrderParts): Hono<AppEnv> {
  return new Hono<AppEnv>().post('/', async (c) => {
    const startedAt = stage.monotonic()
    const { apikey, ...payload } = parseWith(placeOrderBody, await readOrderBody(c))
    const principal = await principalOf(identity, apikey)
    const context = orderContext(c, principal, stage)
    if (isDryRun(c)) return sendAnswer(c, await desk.preview(payload, context))
    const { userId } = context
    const call = { apiType: 'placeorder', orderType: 'PLACE', userId, payload, startedAt }
    return executeOrder(c, stage, call, () => desk.place(payload, context))
  })
}
