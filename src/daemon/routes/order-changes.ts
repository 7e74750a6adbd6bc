import type { Hono } from 'hono'
import { cancelOrderBody, modifyOrderBody, wholeAccountBody } from '../../core/orders/index.js'
import type { AppEnv } from '../env.js'
import { type OrderRoutesParts, orderEndpoint, orderEndpoints } from './order-endpoint.js'

/** Requests that change or end what is there (contract, api-orders 5.3 to 5.6). */
const ENDPOINTS = [
  orderEndpoint(
    { path: 'modifyorder', group: 'order', orderType: 'MODIFY' },
    modifyOrderBody,
    ({ changes }, payload, context) => changes.modify(payload, context),
  ),
  orderEndpoint(
    { path: 'cancelorder', group: 'order', orderType: 'CANCEL' },
    cancelOrderBody,
    ({ changes }, payload, context) => changes.cancel(payload, context),
  ),
  orderEndpoint(
    { path: 'cancelallorder', group: 'api', orderType: 'CANCEL_ALL' },
    wholeAccountBody,
    ({ changes }, payload, context) => changes.cancelAll(payload, context),
  ),
  orderEndpoint(
    { path: 'closeposition', group: 'api', orderType: 'CLOSE' },
    wholeAccountBody,
    ({ changes }, payload, context) => changes.close(payload, context),
  ),
]

export function orderChangeRoutes(parts: OrderRoutesParts): Hono<AppEnv> {
  return orderEndpoints(ENDPOINTS, parts)
}
