import type { Hono } from 'hono'
import {
  basketOrderBody,
  optionsMultiOrderBody,
  optionsOrderBody,
  smartOrderBody,
  splitOrderBody,
} from '../../core/orders/index.js'
import type { AppEnv } from '../env.js'
import { type OrderRoutesParts, orderEndpoint, orderEndpoints } from './order-endpoint.js'

/** Requests that become other orders (contract, api-orders 5.2, 6 and 7). */
const ENDPOINTS = [
  orderEndpoint(
    { path: 'placesmartorder', group: 'smart', orderType: 'SMART' },
    smartOrderBody,
    ({ multi }, payload, context) => multi.smart(payload, context),
  ),
  orderEndpoint(
    { path: 'basketorder', group: 'api', orderType: 'BASKET' },
    basketOrderBody,
    ({ multi }, payload, context) => multi.basket(payload, context),
  ),
  orderEndpoint(
    { path: 'splitorder', group: 'api', orderType: 'SPLIT' },
    splitOrderBody,
    ({ multi }, payload, context) => multi.split(payload, context),
  ),
  orderEndpoint(
    { path: 'optionsorder', group: 'order', orderType: 'OPTIONS' },
    optionsOrderBody,
    ({ multi }, payload, context) => multi.options(payload, context),
  ),
  orderEndpoint(
    { path: 'optionsmultiorder', group: 'order', orderType: 'OPTIONS_MULTI' },
    optionsMultiOrderBody,
    ({ multi }, payload, context) => multi.optionsMulti(payload, context),
  ),
]

export function orderEntryRoutes(parts: OrderRoutesParts): Hono<AppEnv> {
  return orderEndpoints(ENDPOINTS, parts)
}
