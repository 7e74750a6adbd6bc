import type { SymbolRef } from '../market/schema.js'
import { sumOfRupees } from '../money/index.js'
import type { ApprovalPayload } from './schema.js'

/** An order that a stored request names. A leg of an option strategy names no contract. */
export interface NamedOrder {
  ref: SymbolRef | undefined
  quantity: number
  /** The price of the request: its limit, or else its trigger; undefined at the market. */
  price: number | undefined
}

/** The orders that a stored request names. Of a GTT with two triggers only one order is ever sent. */
interface NamedOrders {
  orders: readonly NamedOrder[]
  isOneOf: boolean
}

/** Returns what an order is worth in rupees; undefined without a price. */
export type Worth = (order: NamedOrder) => number | undefined

/**
 * Returns the value of a whole stored request in rupees, with each of its orders; undefined when it is not known of one
 * of them.
 * @param trade how much a smart order would trade now, if it is known
 */
export function valueIn(
  operation: string,
  payload: ApprovalPayload,
  trade: number | undefined,
  worth: Worth,
): number | undefined {
  const { isOneOf, orders } = namedOrders(operation, payload, trade)
  const values = orders.map(worth)
  if (values.length === 0 || values.some((value) => value === undefined)) return undefined
  const known = values.map((value) => value ?? 0)
  return isOneOf ? Math.max(...known) : sumOfRupees(known)
}

function namedOrders(operation: string, payload: ApprovalPayload, trade: number | undefined): NamedOrders {
  const list =
    operation === 'basketorder' ? payload.orders : operation === 'optionsmultiorder' && payload.legs
  if (Array.isArray(list)) {
    return { orders: list.map((item: unknown) => named(objectOf(item))), isOneOf: false }
  }
  if (operation === 'smartorder') {
    const orders = trade === undefined ? [] : [{ ...named(payload), quantity: trade }]
    return { orders, isOneOf: false }
  }
  if (operation === 'placegttorder') return gtt(payload)
  return { orders: [named(payload)], isOneOf: false }
}

function gtt(payload: ApprovalPayload): NamedOrders {
  const own = named(payload)
  const isAtMarket = payload.pricetype === 'MARKET'
  const legs = [
    [payload.triggerprice_sl, payload.stoploss],
    [payload.triggerprice_tg, payload.target],
  ].flatMap(([trigger, limit]) => {
    const at = priceOf(trigger)
    if (at === undefined) return []
    return [{ ...own, price: (isAtMarket ? undefined : (priceOf(limit) ?? priceOf(payload.price))) ?? at }]
  })
  return { orders: legs, isOneOf: true }
}

function named(payload: ApprovalPayload): NamedOrder {
  const { exchange, quantity, symbol } = payload
  const ref = typeof symbol === 'string' && typeof exchange === 'string' ? { symbol, exchange } : undefined
  return { ref, quantity: Number(quantity) || 0, price: ownPrice(payload) }
}

/** Returns the price that an order will have: a price that its type does not use is ignored when it is sent. */
function ownPrice({ price, pricetype, trigger_price: trigger }: ApprovalPayload): number | undefined {
  if (pricetype === 'MARKET') return undefined
  return (
    (pricetype === 'SL-M' ? undefined : priceOf(price)) ??
    (pricetype === 'LIMIT' ? undefined : priceOf(trigger))
  )
}

function priceOf(value: unknown): number | undefined {
  const price = Number(value)
  return Number.isFinite(price) && price > 0 ? price : undefined
}

function objectOf(value: unknown): ApprovalPayload {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
}
