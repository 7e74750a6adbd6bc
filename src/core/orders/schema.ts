import { z } from 'zod'
import { EXCHANGES, type Exchange } from '../instruments/schema.js'
import type { QuoteNeeds, SymbolRef } from '../market/schema.js'
import { istInstant } from '../time/index.js'
import { fields } from '../validation/index.js'
import {
  checkInstructions,
  instructionFields,
  instructionsOf,
  type OrderInstructions,
} from './terms/instructions.js'
import { hasPrice } from './terms/price-type.js'
import {
  type Action,
  type GttPriceType,
  type GttProduct,
  ORDER_PRODUCTS,
  ORDER_STATUSES,
  type OrderProduct,
  PRICE_TYPES,
  PRODUCTS,
  type PriceType,
  WRITTEN_ACTIONS,
  type WrittenAction,
} from './vocabulary.js'

export type { OrderState } from './journal/states.js'
export {
  algoIdField,
  checkInstructions,
  clientOrderIdField,
  type InstructedBroker,
  type InstructionTerms,
  instructionFields,
  instructionsIn,
  instructionsOf,
  instructionTerms,
  instructionText,
  lackOf,
  ORDER_INSTRUCTIONS,
  type OrderInstruction,
  type OrderInstructions,
  VALIDITIES,
} from './terms/instructions.js'
export {
  contradiction,
  hasPrice,
  ignoredPrices,
  ignoredTexts,
  impliedType,
  isWritten,
  mayShowAs,
  missingPrices,
  type PriceName,
  priceTypeNamed,
  type TermNames,
  type WaitingTerms,
  waitAlike,
} from './terms/price-type.js'
export {
  ACTIONS,
  type Action,
  FOREIGN_PRODUCTS,
  type ForeignProduct,
  GTT_PRICE_TYPES,
  GTT_PRODUCTS,
  type GttPriceType,
  type GttProduct,
  OPTION_PRODUCTS,
  ORDER_PRODUCTS,
  ORDER_STATUSES,
  type OrderProduct,
  type OrderStatus,
  PRICE_TYPES,
  PRODUCTS,
  type PriceType,
  type Product,
  WAITING,
  WRITTEN_ACTIONS,
  type WrittenAction,
} from './vocabulary.js'

/** The fields that identify a position of an account. */
export interface PositionRef extends SymbolRef {
  product: OrderProduct
}

/** Narrows a close of everything; an absent member matches all. */
export interface PositionFilter {
  symbol?: string | undefined
  exchange?: string | undefined
  product?: OrderProduct | undefined
}

/** A validated order, as the order path, the sandbox and the broker plugins receive it. */
export interface OrderRequest {
  strategy: string
  symbol: string
  exchange: Exchange
  action: Action
  /** Units (not lots); whole except on CRYPTO. */
  quantity: number
  product: OrderProduct
  priceType: PriceType
  /** Limit price; 0 when the price type has none. */
  price: number
  /** Stop trigger; 0 when the price type has none. */
  triggerPrice: number
  disclosedQuantity: number
  /** Absent for a plain order of the day; never empty. */
  instructions?: OrderInstructions
}

/** What an order is about: the members that decide how much it may trade, and when. */
export type OrderTerms = Pick<
  OrderRequest,
  'symbol' | 'action' | 'quantity' | 'priceType' | 'price' | 'triggerPrice'
> & { exchange: string; product: string }

/** One of the one or two orders a GTT sends: it fires at or below (`stop`), or at or above (`target`). */
export interface GttLeg {
  kind: 'stop' | 'target'
  triggerPrice: number
  /** Limit price; 0 for a market order. */
  price: number
}

/** A validated good-till-triggered order, as the sandbox and the broker plugins receive it. */
export interface GttRequest {
  strategy: string
  type: 'SINGLE' | 'OCO'
  symbol: string
  exchange: Exchange
  action: Action
  quantity: number
  product: GttProduct
  priceType: GttPriceType
  legs: readonly GttLeg[]
  /** The expiry as the client wrote it: see {@link gttExpiry}. */
  expiresAt: string | undefined
}

/** What a GTT is about. */
export type GttTerms = Pick<GttRequest, 'symbol' | 'action' | 'quantity' | 'priceType' | 'legs'> & {
  exchange: string
  product: string
}

const YEAR_MS = 365 * 86_400_000
const WALL_CLOCK = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}(?::\d{2})?))?$/
const WITH_ZONE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/

/** Reads an expiry: a date, a date and time (IST), or an ISO time with its zone. NaN for any other text. */
function instantOf(text: string): number {
  const [, date, time = '00:00'] = WALL_CLOCK.exec(text) ?? []
  if (date !== undefined) return istInstant(date, time)
  return WITH_ZONE.test(text) ? Date.parse(text) : Number.NaN
}

/**
 * Returns when a GTT expires. Without a readable expiry, it lasts a year. @param placedAt epoch milliseconds
 */
export function gttExpiry(text: string | undefined, placedAt: number): number {
  const at = instantOf(text?.trim() ?? '')
  return Number.isFinite(at) && at > placedAt ? at : placedAt + YEAR_MS
}

export const EXPIRED_GTT = { field: 'expires_at', rule: 'Must be in the future.' } as const

/** Returns why a GTT cannot be placed: its expiry has passed. */
export function gttExpiryProblem(text: string | undefined, now: number): string | undefined {
  const isPast = instantOf(text?.trim() ?? '') <= now
  return isPast ? `${EXPIRED_GTT.field}: ${EXPIRED_GTT.rule}` : undefined
}

/**
 * Refuses fractions except on CRYPTO, and quantities below the minimum of the exchange. `at` is the path of
 * the order in the body that contains it.
 */
export function checkQuantity(
  body: { exchange: string; quantity: number },
  ctx: z.RefinementCtx,
  at: readonly PropertyKey[] = [],
): void {
  const fail = (message: string) => ctx.addIssue({ code: 'custom', path: [...at, 'quantity'], message })
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

export const actionField = () => fields.oneOf(WRITTEN_ACTIONS)
const priceField = () => fields.nonNegative('Price must be a non-negative number.')
const triggerPriceField = () => fields.nonNegative('Trigger price must be a non-negative number.')
const disclosedField = () =>
  fields.integer().refine((value) => value >= 0, 'Disclosed quantity must be a non-negative integer.')

/** The optional fields that define how an order is filled. */
export const executionFields = {
  pricetype: fields.oneOf(PRICE_TYPES).default('MARKET'),
  product: fields.oneOf(PRODUCTS).default('MIS'),
  price: priceField().default(0),
  trigger_price: triggerPriceField().default(0),
  disclosed_quantity: disclosedField().default(0),
  ...instructionFields,
}

/** The product of something that exists already. The error text names the products of new orders. */
export const existingProductField = () => fields.oneOf(ORDER_PRODUCTS, PRODUCTS)

/** The fields of an execution, all required: a modify replaces every one of them. */
export const fullExecutionFields = {
  pricetype: fields.oneOf(PRICE_TYPES),
  product: existingProductField(),
  price: priceField(),
  trigger_price: triggerPriceField(),
  disclosed_quantity: disclosedField(),
}

/** The fields for an instrument, a side and a size. */
export const instrumentFields = {
  exchange: fields.oneOf(EXCHANGES),
  symbol: fields.symbol(),
  action: actionField(),
  quantity: fields.number(),
}

/** The fields of `POST /api/v1/placeorder` (docs/api.md, "Placing an order"), without the credential. */
const placeOrderFields = {
  strategy: fields.text(255),
  ...instrumentFields,
  ...executionFields,
  underlying_ltp: fields.number().nullable().default(null),
}

/** The payload of placeorder: public field names, normalised values. */
export const placeOrderPayload = z.strictObject(placeOrderFields).superRefine((body, ctx) => {
  checkQuantity(body, ctx)
  checkInstructions(body, ctx)
})
export type PlaceOrderPayload = z.output<typeof placeOrderPayload>
/** An order that leaves: one that somebody placed, or a close in the product of its position. */
export type OrderPayload = Omit<PlaceOrderPayload, 'product'> & { product: OrderProduct }

/** Returns the side in capital letters. */
export function sideOf(action: WrittenAction): Action {
  return action === 'BUY' || action === 'buy' ? 'BUY' : 'SELL'
}

/** Converts the public field names to those of the order path. A price that its type does not have is dropped. */
export function toOrderRequest(payload: Omit<OrderPayload, 'underlying_ltp'>): OrderRequest {
  const { pricetype } = payload
  const instructions = instructionsOf(payload)
  return {
    strategy: payload.strategy,
    symbol: payload.symbol,
    exchange: payload.exchange,
    action: sideOf(payload.action),
    quantity: payload.quantity,
    product: payload.product,
    priceType: pricetype,
    price: hasPrice(pricetype, 'price') ? payload.price : 0,
    triggerPrice: hasPrice(pricetype, 'trigger') ? payload.trigger_price : 0,
    disclosedQuantity: payload.disclosed_quantity,
    ...(instructions && { instructions }),
  }
}

/** Returns what the checks of an order need of a quote: the price band bounds its prices, and a MARKET order has none. */
export function quoteNeedsOf({ priceType }: Pick<OrderRequest, 'priceType'>): QuoteNeeds {
  return { withBand: priceType !== 'MARKET' }
}

/** The statuses of an order in the history; the journal of live orders has two that no order book has. */
export const PAST_STATUSES = [...ORDER_STATUSES, 'unknown', 'lapsed'] as const
export type PastStatus = (typeof PAST_STATUSES)[number]

/** A page of the history, newest first. Instants are epoch milliseconds; `until` itself is left out. */
export interface HistoryQuery {
  since?: number | undefined
  until?: number | undefined
  symbol?: string | undefined
  exchange?: string | undefined
  strategy?: string | undefined
  limit: number
  /** Only rows older than this one: the `key` of the last row of the page before. */
  before?: string | undefined
}

/** An order of any session, live or simulated. */
export interface PastOrder {
  key: string
  at: number
  /** Empty while the broker has given none. */
  orderId: string
  symbol: string
  exchange: string
  action: string
  product: string
  priceType: string
  quantity: number
  filledQuantity: number
  price: number
  triggerPrice: number
  averagePrice: number
  status: PastStatus
  reason: string
  strategy: string
}

/** The fills of an order of any session, live or simulated. */
export interface PastTrade {
  key: string
  at: number
  orderId: string
  symbol: string
  exchange: string
  action: string
  product: string
  quantity: number
  averagePrice: number
  strategy: string
}

/**
 * Returns whether a position of a book can be closed. A negative quantity of delivery (CNC, MTF) is a sale of shares that the
 * account held: an order that closed it would buy them again.
 */
export function isOpenPosition({ product, quantity }: { product: string; quantity: number }): boolean {
  return product === 'CNC' || product === 'MTF' ? quantity > 0 : quantity !== 0
}

/** Returns whether a position is a sale of shares that the account held. Their price after the sale is no profit or loss. */
export function isDeliverySale(position: { product: string; quantity: number }): boolean {
  return position.quantity < 0 && !isOpenPosition(position)
}
