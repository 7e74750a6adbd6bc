import type { Hono } from 'hono'
import {
  basketOrderBody,
  optionsMultiOrderBody,
  optionsOrderBody,
  smartOrderBody,
  splitOrderBody,
} from '../../core/orders/index.js'
import type { AppEnv } from '../env.js'
import { type OrderRoutesParts, orderDoor, orderDoors } from './order-door.js'

/** Requests that become other orders (contract, api-orders 5.2, 6 and 7). */
const DOORS = [
  orderDoor(
    { path: 'placesmartorder', group: 'smart', orderType: 'SMART' },
    smartOrderBody,
    ({ composites }, payload, context) => composites.smart(payload, context),
  ),
  orderDoor(
    { path: 'basketorder', group: 'api', orderType: 'BASKET' },
    basketOrderBody,
    ({ composites }, payload, context) => composites.basket(payload, context),
  ),
  orderDoor(
    { path: 'splitorder', group: 'api', orderType: 'SPLIT' },
    splitOrderBody,
    ({ composites }, payload, context) => composites.split(payload, context),
  ),
  orderDoor(
    { path: 'optionsorder', group: 'order', orderType: 'OPTIONS' },
    optionsOrderBody,
    ({ composites }, payload, context) => composites.options(payload, context),
  ),
  orderDoor(
    { path: 'optionsmultiorder', group: 'order', orderType: 'OPTIONS_MULTI' },
    optionsMultiOrderBody,
    ({ composites }, payload, context) => composites.optionsMulti(payload, context),
  ),
]

export function orderEntryRoutes(parts: OrderRoutesParts): Hono<AppEnv> {
  return orderDoors(DOORS, parts)
}
