import { Hono, type MiddlewareHandler } from 'hono'
import type { z } from 'zod'
import { ServiceError } from '../../core/errors/index.js'
import type { Identity } from '../../core/identity/index.js'
import type { OrderPath, OrderResult, PlaceContext } from '../../core/orders/index.js'
import { parseWith } from '../../core/validation/index.js'
import type { AppEnv } from '../env.js'
import { type ExecuteOrderParts, executeOrder } from '../http/execute-order.js'
import { isDryRun, orderContext } from '../http/order-request.js'
import { principalOf, readOrderBody } from '../middleware/api-key.js'

/** Groups of routes that share a limit; each route counts by itself (contract, api-orders 2.2). */
export type LimitGroup = 'order' | 'smart' | 'api'

export interface OrderRoutesParts {
  identity: Identity
  orders: OrderPath
  limits: Readonly<Record<LimitGroup, MiddlewareHandler<AppEnv>>>
  stage: ExecuteOrderParts
}

/** One order-changing endpoint: its path below `/api/v1/`, its limit, its kind in the latency log, its work. */
export interface OrderEndpoint {
  path: string
  group: LimitGroup
  orderType: string
  open(body: unknown): { apikey: string; payload: Readonly<Record<string, unknown>>; run: Run }
}

type Run = (orders: OrderPath, context: PlaceContext) => Promise<OrderResult>

/** An endpoint for bodies of one shape. The credential goes no further than here. */
export function orderEndpoint<B extends { apikey: string }>(
  place: Pick<OrderEndpoint, 'path' | 'group' | 'orderType'>,
  schema: z.ZodType<B>,
  run: (orders: OrderPath, payload: Omit<B, 'apikey'>, context: PlaceContext) => Promise<OrderResult>,
): OrderEndpoint {
  return {
    ...place,
    open: (body) => {
      const { apikey, ...payload } = parseWith(schema, body)
      return { apikey, payload, run: (orders, context) => run(orders, payload, context) }
    },
  }
}

/** Mounts the endpoints of a family: each checks the fields, then the key, calls the order path once and replies. */
export function orderEndpoints(endpoints: readonly OrderEndpoint[], parts: OrderRoutesParts): Hono<AppEnv> {
  const app = new Hono<AppEnv>()
  const { stage } = parts
  for (const { path, group, orderType, open } of endpoints) {
    app.post(`/${path}`, parts.limits[group], async (c) => {
      const startedAt = stage.monotonic()
      const { apikey, payload, run } = open(await readOrderBody(c))
      const principal = await principalOf(parts.identity, apikey)
      // Sent here by mistake, the header would not stop anything from being executed.
      if (isDryRun(c)) throw new ServiceError('validation', 'X-Dry-Run: Only placeorder knows a dry run.')
      const context = orderContext(c, principal, stage)
      const { brokerTimer, userId } = context
      const call = { operation: path, orderType, userId, payload, brokerTimer, startedAt }
      return executeOrder(c, stage, call, () => run(parts.orders, context))
    })
  }
  return app
}
