import { type SymbolRef, symbolKey } from '../market/schema.js'
import { exactQuantity } from '../money/index.js'
import type { Action } from '../orders/schema.js'
import type { ApprovalPayload } from './schema.js'

/** A request in one line, as the list of approvals shows it. */
export interface PayloadSummary {
  strategy: string
  symbol: string
  exchange: string
  action: string
  quantity: number
  price: string
  trigger_price: string
  price_type: string
  product_type: string
}

type Shown = Omit<PayloadSummary, 'strategy'>

const MULTIPLE = 'Multiple'

/**
 * Summaries by API type, in the shapes of the public API: each member keeps its type there, number or text.
 * A type that is not listed is summarized like a plain order.
 */
const SUMMARIES = new Map<string, (payload: ApprovalPayload) => Shown>([
  ['basketorder', summariseBasket],
  ['optionsorder', summariseOptions],
  ['optionsmultiorder', summariseMultiLeg],
  ['placegttorder', summariseGtt],
])

export function summarise(operation: string, payload: ApprovalPayload): PayloadSummary {
  const shown = (SUMMARIES.get(operation) ?? summariseSingle)(payload)
  return { strategy: payloadText(payload.strategy, 'N/A'), ...shown }
}

/** Returns the side of the whole request, for the statistics; null when it both buys and sells. */
export function sideOf(operation: string, payload: ApprovalPayload): Action | null {
  const action = SUMMARIES.has(operation) ? summarise(operation, payload).action : payload.action
  const side = typeof action === 'string' ? action.toUpperCase() : ''
  return side === 'BUY' || side === 'SELL' ? side : null
}

/**
 * Returns the instruments a request names, each once: its own, or those of the orders of a basket. Returns
 * none for option orders: their contract is chosen at execution.
 */
export function instrumentsOf(payload: ApprovalPayload): SymbolRef[] {
  const refs = [payload, ...objectsOf(payload.orders)].flatMap(({ symbol, exchange }) =>
    typeof symbol === 'string' && typeof exchange === 'string' ? [{ symbol, exchange }] : [],
  )
  return [...new Map(refs.map((ref) => [symbolKey(ref), ref])).values()]
}

/** Returns the payload without its credential, so that it can be stored and shown. */
export function withoutKey(payload: ApprovalPayload): ApprovalPayload {
  if (!('apikey' in payload) && !('api_key' in payload)) return payload
  const { apikey: _apikey, api_key: _apiKey, ...rest } = payload
  return rest
}

/** Reads a stored payload; undefined when it is not a JSON object. */
export function readPayload(orderData: string): ApprovalPayload | undefined {
  try {
    return asObject(JSON.parse(orderData))
  } catch {
    return undefined
  }
}

function summariseSingle(payload: ApprovalPayload): Shown {
  return {
    symbol: payloadText(payload.symbol),
    exchange: payloadText(payload.exchange),
    action: payloadText(payload.action),
    quantity: quantityOf(payload),
    price: payloadText(payload.price, '0'),
    trigger_price: payloadText(payload.trigger_price, '0'),
    price_type: payloadText(payload.pricetype ?? payload.price_type, 'MARKET'),
    product_type: payloadText(payload.product ?? payload.product_type),
  }
}

function summariseBasket(payload: ApprovalPayload): Shown {
  const orders = objectsOf(payload.orders)
  const shared = (field: string) => (orders.length > 1 ? MULTIPLE : payloadText(orders[0]?.[field]))
  return {
    symbol: `Basket (${orders.length} orders)`,
    exchange: shared('exchange'),
    action: shared('action'),
    quantity: sumOfQuantities(orders),
    price: MULTIPLE,
    trigger_price: '0',
    price_type: MULTIPLE,
    product_type: MULTIPLE,
  }
}

function summariseOptions(payload: ApprovalPayload): Shown {
  const parts = [payload.underlying, payload.offset, payload.option_type]
  return { ...summariseSingle(payload), symbol: parts.map((part) => payloadText(part)).join(' ') }
}

function summariseMultiLeg(payload: ApprovalPayload): Shown {
  const legs = objectsOf(payload.legs)
  return {
    symbol: `${payloadText(payload.underlying)} (${legs.length} legs)`,
    exchange: payloadText(payload.exchange),
    action: commonOf(legs.map((leg) => payloadText(leg.action).toUpperCase())) ?? 'MULTI',
    quantity: sumOfQuantities(legs),
    price: MULTIPLE,
    trigger_price: MULTIPLE,
    price_type: commonOf(legs.map((leg) => payloadText(leg.pricetype, 'MARKET').toUpperCase())) ?? MULTIPLE,
    product_type: commonOf(legs.map((leg) => payloadText(leg.product, 'MIS'))) ?? MULTIPLE,
  }
}

function summariseGtt(payload: ApprovalPayload): Shown {
  const single = summariseSingle(payload)
  const isOco = payloadText(payload.trigger_type).toUpperCase() === 'OCO'
  return {
    ...single,
    trigger_price: isOco
      ? `${payloadText(payload.triggerprice_sl, '0')} / ${payloadText(payload.triggerprice_tg, '0')}`
      : payloadText(payload.trigger_price ?? payload.triggerprice_sl ?? payload.triggerprice_tg, '0'),
    price_type: payloadText(payload.pricetype, 'LIMIT'),
  }
}

function payloadText(value: unknown, missing = ''): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : missing
}

/** Returns the common value; undefined when the values differ or there are none. */
function commonOf(values: readonly string[]): string | undefined {
  return values.every((value) => value === values[0]) ? values[0] || undefined : undefined
}

function quantityOf(item: ApprovalPayload): number {
  const quantity = Number(item.quantity)
  return Number.isFinite(quantity) ? quantity : 0
}

function sumOfQuantities(items: readonly ApprovalPayload[]): number {
  return exactQuantity(items.reduce((sum, item) => sum + quantityOf(item), 0))
}

function objectsOf(list: unknown): ApprovalPayload[] {
  if (!Array.isArray(list)) return []
  return list.map((item: unknown) => asObject(item) ?? {})
}

function asObject(value: unknown): ApprovalPayload | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.fromEntries(Object.entries(value))
}
