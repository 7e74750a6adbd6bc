import { z } from 'zod'
import { EXCHANGES, type Exchange } from '../instruments/schema.js'
import { fields } from '../validation/index.js'

export const ACTIONS = ['BUY', 'SELL'] as const
export const PRICE_TYPES = ['MARKET', 'LIMIT', 'SL', 'SL-M'] as const
/** In the order in which the validation texts list them. */
export const PRODUCTS = ['MIS', 'NRML', 'CNC'] as const

export type Action = (typeof ACTIONS)[number]
export type PriceType = (typeof PRICE_TYPES)[number]
export type Product = (typeof PRODUCTS)[number]

/** Statuses of an order as books show them. */
export const ORDER_STATUSES = ['open', 'trigger pending', 'complete', 'cancelled', 'rejected'] as const
export type OrderStatus = (typeof ORDER_STATUSES)[number]

/** An order after validation: what the order path, the sandbox and the broker plugins work on. */
export interface OrderRequest {
  strategy: string
  symbol: string
  exchange: Exchange
  action: Action
  /** Units (not lots); whole except on CRYPTO. */
  quantity: number
  product: Product
  priceType: PriceType
  /** Limit price; 0 when the price type has none. */
  price: number
  /** Stop trigger; 0 when the price type has none. */
  triggerPrice: number
  disclosedQuantity: number
}

const quantity = fields.number()

/** Refuses fractions off CRYPTO and quantities below the least of the exchange. */
function checkQuantity(body: { exchange: string; quantity: number }, ctx: z.RefinementCtx): void {
  const fail = (message: string) => ctx.addIssue({ code: 'custom', path: ['quantity'], message })
  if (body.exchange === 'CRYPTO') {
    if (body.quantity <= 0) fail('Quantity must be a positive number.')
  } else if (body.quantity < 1 && (Number.isInteger(body.quantity) || body.quantity <= 0)) {
    fail('Must be greater than or equal to 1.')
  } else if (!Number.isInteger(body.quantity)) {
    fail(`Fractional quantity (${body.quantity}) is not allowed for non-crypto exchanges.`)
  } else if (!Number.isSafeInteger(body.quantity)) {
    fail('Number too large.')
  }
}

/** The fields of `POST /api/v1/placeorder` (specification, "Order request"), without the credential. */
export const placeOrderFields = {
  strategy: fields.text(255),
  exchange: fields.oneOf(EXCHANGES),
  symbol: fields.text(100),
  action: fields.oneOf(['BUY', 'SELL', 'buy', 'sell']),
  quantity,
  pricetype: fields.oneOf(PRICE_TYPES).default('MARKET'),
  product: fields.oneOf(PRODUCTS).default('MIS'),
  price: fields.nonNegative('Price must be a non-negative number.').default(0),
  trigger_price: fields.nonNegative('Trigger price must be a non-negative number.').default(0),
  disclosed_quantity: fields
    .integer()
    .refine((value) => value >= 0, 'Disclosed quantity must be a non-negative integer.')
    .default(0),
  underlying_ltp: fields.number().nullable().default(null),
}

/** Body of placeorder: the public field names, values normalised. */
export const placeOrderBody = z
  .strictObject({ apikey: fields.apiKeyField(), ...placeOrderFields })
  .superRefine(checkQuantity)
export type PlaceOrderBody = z.output<typeof placeOrderBody>

/** What is stored and shown: the body without its credential. */
export type PlaceOrderPayload = Omit<PlaceOrderBody, 'apikey'>

/** The payload of a queued placeorder, read back from its row. */
export const placeOrderPayload = z.strictObject(placeOrderFields).superRefine(checkQuantity)

/** Public field names to the order path's own. */
export function toOrderRequest(payload: PlaceOrderPayload): OrderRequest {
  return {
    strategy: payload.strategy,
    symbol: payload.symbol,
    exchange: payload.exchange,
    action: payload.action === 'BUY' || payload.action === 'buy' ? 'BUY' : 'SELL',
    quantity: payload.quantity,
    product: payload.product,
    priceType: payload.pricetype,
    price: payload.price,
    triggerPrice: payload.trigger_price,
    disclosedQuantity: payload.disclosed_quantity,
  }
}
