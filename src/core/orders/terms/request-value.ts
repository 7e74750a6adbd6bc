import { formatMoney, toMoney } from '../../money/index.js'
import { parseWith } from '../../validation/index.js'
import { modifyOrderPayload } from '../change/schema.js'
import { ordersOf } from '../multi/plans/plan.js'
import { type OrderOperationName, openRequest } from '../operations/order-operations.js'
import type { OrderServices } from '../order-path.js'
import type { PlaceContext } from '../ports.js'
import { type OrderPayload, placeOrderPayload } from '../schema.js'

/**
 * Returns the value in rupees of the orders that a request would send now: 0 if it needs none, undefined if the value
 * cannot be known. Executes nothing. @throws ServiceError `validation`; `not_found` if no instrument of it is listed
 */
export async function requestValue(
  orders: OrderServices,
  operation: OrderOperationName,
  request: object,
  context: PlaceContext,
): Promise<number | undefined> {
  const planned = await ordersFor(orders, operation, request, context)
  const asked = await Promise.allSettled((planned ?? []).map((order) => orders.single.valueOf(order)))
  const failed = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  // One listed order of a basket may be sent while the others are refused.
  if (failed.length > 0 && failed.length === asked.length) throw failed[0]
  const values = asked.map((one) => (one.status === 'fulfilled' ? one.value : undefined))
  const known = values.flatMap((value) => (value === undefined ? [] : [toMoney(value)]))
  if (planned === undefined || known.length < values.length) return undefined
  return Number(formatMoney(known.reduce((sum, value) => sum + value, 0n)))
}

async function ordersFor(
  orders: OrderServices,
  operation: OrderOperationName,
  request: object,
  context: PlaceContext,
): Promise<readonly OrderPayload[] | undefined> {
  if (operation === 'placeorder') return [parseWith(placeOrderPayload, request)]
  if (operation === 'modifyorder') {
    // The order as it will be. It may be in a product of the broker, which no new order has.
    return [{ ...parseWith(modifyOrderPayload, request), underlying_ltp: null }]
  }
  const { plan } = openRequest(operation, (schema) => parseWith(schema, request))
  const planned = await plan?.(orders, context)
  if (planned === undefined) return undefined
  if ('plan' in planned) return ordersOf(planned.plan).map(({ order }) => order)
  return planned.result.outcome === 'no_action' ? [] : undefined
}
