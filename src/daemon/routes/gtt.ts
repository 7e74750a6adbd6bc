import type { Hono } from 'hono'
import { z } from 'zod'
import { cancelGttBody, modifyGttBody, placeGttBody } from '../../core/orders/index.js'
import { fields } from '../../core/validation/index.js'
import type { AppEnv } from '../env.js'
import { parseKeyed } from '../http/api-route.js'
import { readApiBody } from '../middleware/api-key.js'
import { type OrderRoutesParts, orderEndpoint, orderEndpoints } from './order-endpoint.js'

/** Good-till-triggered orders (contract, api-orders section 8). */
const ENDPOINTS = [
  orderEndpoint(
    { path: 'placegttorder', group: 'order', orderType: 'GTT_PLACE' },
    placeGttBody,
    ({ gtts }, payload, context) => gtts.place(payload, context),
  ),
  orderEndpoint(
    { path: 'modifygttorder', group: 'order', orderType: 'GTT_MODIFY' },
    modifyGttBody,
    ({ gtts }, payload, context) => gtts.modify(payload, context),
  ),
  orderEndpoint(
    { path: 'cancelgttorder', group: 'order', orderType: 'GTT_CANCEL' },
    cancelGttBody,
    ({ gtts }, payload, context) => gtts.cancel(payload, context),
  ),
]

const keyOnly = z.strictObject({ apikey: fields.apiKeyField() })

export function gttRoutes(parts: OrderRoutesParts): Hono<AppEnv> {
  return orderEndpoints(ENDPOINTS, parts).post('/gttorderbook', parts.limits.api, async (c) => {
    const { principal } = await parseKeyed(parts.identity, keyOnly, await readApiBody(c))
    return c.json({ status: 'success', ...(await parts.orders.gtts.book(principal.username)) })
  })
}
