import { Hono } from 'hono'
import type { Identity } from '../../core/identity/index.js'
import { type Answer, type OrderDesk, placeOrderBody } from '../../core/orders/index.js'
import type { AppEnv } from '../env.js'
import { parseKeyed } from '../http/api-route.js'
import { isDryRun, orderContext } from '../http/order-request.js'
import { sendAnswer } from '../http/reply.js'
import { readApiBody } from '../middleware/api-key.js'

export interface PlaceOrderParts {
  identity: Identity
  desk: OrderDesk
  /** Takes note of how long it took; never awaited. */
  recordLatency(sample: { symbol: string; answer: Answer; totalMs: number }): void
  /** A reading in milliseconds, for durations. */
  monotonic(): number
}

/** `POST /api/v1/placeorder` (specification, "Order placement"). */
export function placeOrderRoutes({
  identity,
  desk,
  recordLatency,
  monotonic,
}: PlaceOrderParts): Hono<AppEnv> {
  return new Hono<AppEnv>().post('/', async (c) => {
    const startedAt = monotonic()
    const { body, principal } = await parseKeyed(identity, placeOrderBody, await readApiBody(c))
    const { apikey: _, ...payload } = body
    const context = orderContext(c, principal)
    if (isDryRun(c)) return sendAnswer(c, await desk.preview(payload, context))
    const answer = await desk.place(payload, context)
    recordLatency({ symbol: payload.symbol, answer, totalMs: monotonic() - startedAt })
    return sendAnswer(c, answer)
  })
}
