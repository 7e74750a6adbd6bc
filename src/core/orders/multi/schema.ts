import { z } from 'zod'
import { EXCHANGES } from '../../instruments/schema.js'
import { fields } from '../../validation/index.js'
import {
  actionField,
  checkInstructions,
  checkQuantity,
  executionFields,
  existingProductField,
  instructionTerms,
  instrumentFields,
  OPTION_PRODUCTS,
  type OrderPayload,
  PRODUCTS,
} from '../schema.js'

/**
 * Bodies of the requests that become other orders (docs/api.md, "Other orders"). Each request has a payload,
 * which is stored and queued, and a body: the payload with its credential.
 */

const strategy = fields.text(255)

const smartFields = {
  strategy,
  ...instrumentFields,
  quantity: fields.nonNegative('Quantity must be a non-negative number.'),
  /** The signed target net quantity. */
  position_size: fields.number(),
  ...executionFields,
  product: existingProductField().default('MIS'),
}

/**
 * Requires whole quantities except on CRYPTO. For a smart order, zero means "only the target counts". A product that
 * nobody can open is only closed.
 */
function checkSmart(
  body: { exchange: string; product: string; quantity: number; position_size: number },
  ctx: z.RefinementCtx,
): void {
  const opens = body.quantity !== 0 || body.position_size !== 0
  if (opens && !PRODUCTS.some((known) => known === body.product)) {
    ctx.addIssue({ code: 'custom', path: ['product'], message: `Must be one of: ${PRODUCTS.join(', ')}.` })
  }
  if (body.exchange === 'CRYPTO') return
  if (body.quantity > 0) checkQuantity(body, ctx)
  if (!Number.isInteger(body.position_size)) {
    const message = `Fractional position size (${body.position_size}) is not allowed for non-crypto exchanges.`
    ctx.addIssue({ code: 'custom', path: ['position_size'], message })
  }
}

export const smartOrderPayload = z.strictObject(smartFields).superRefine((body, ctx) => {
  checkSmart(body, ctx)
  checkInstructions(body, ctx)
})
export type SmartOrderPayload = z.output<typeof smartOrderPayload>

const basketItem = z.strictObject({ ...instrumentFields, ...executionFields })
/** The most orders of one basket: at ten orders per second they take 50 seconds. */
export const MAX_BASKET = 500
const basketFields = {
  strategy,
  orders: fields.list(basketItem).max(MAX_BASKET, `Longer than maximum length ${MAX_BASKET}.`),
}

function checkBasket(body: { orders: z.output<typeof basketItem>[] }, ctx: z.RefinementCtx): void {
  for (const [index, item] of body.orders.entries()) {
    checkQuantity(item, ctx, ['orders', index])
    checkInstructions(item, ctx, ['orders', index])
  }
}

export const basketOrderPayload = z.strictObject(basketFields).superRefine(checkBasket)
export type BasketOrderPayload = z.output<typeof basketOrderPayload>

const splitFields = {
  strategy,
  ...instrumentFields,
  ...executionFields,
  splitsize: fields.integer().refine((size) => size >= 1, 'Split size must be a positive integer.'),
}

/** Requires whole units for a split on every exchange. */
function checkSplit(body: { exchange: string; quantity: number }, ctx: z.RefinementCtx): void {
  const fail = (message: string) => ctx.addIssue({ code: 'custom', path: ['quantity'], message })
  if (body.quantity <= 0) fail('Total quantity must be a positive number.')
  else if (!Number.isInteger(body.quantity)) fail(`Fractional quantity (${body.quantity}) cannot be split.`)
  else checkQuantity(body, ctx)
}

export const splitOrderPayload = z.strictObject(splitFields).superRefine((body, ctx) => {
  checkSplit(body, ctx)
  checkInstructions(body, ctx)
})
export type SplitOrderPayload = z.output<typeof splitOrderPayload>

const OFFSET = /^(ATM|(ITM|OTM)([1-9]|[1-4][0-9]|50))$/i

/** The fields of one option and its size. An absent split size means 0: one order. */
const optionLegFields = {
  offset: fields
    .text(10)
    .refine((offset) => OFFSET.test(offset), 'Offset must be ATM, ITM1-ITM50, or OTM1-OTM50'),
  option_type: fields.oneOf(['CE', 'PE', 'ce', 'pe']),
  action: actionField(),
  quantity: fields.integer().refine((value) => value >= 1, 'Quantity must be a positive integer.'),
  splitsize: fields
    .integer()
    .refine((size) => size >= 0, 'Split size must be a non-negative integer.')
    .nullable()
    .default(0),
  ...executionFields,
  product: fields.oneOf(OPTION_PRODUCTS).default('MIS'),
}

/** A required name with its own error message. An empty one counts as missing. */
const requiredName = (message: string) => fields.symbol().refine((text) => text !== '', message)

const underlyingFields = {
  strategy,
  underlying: requiredName('Missing required option parameters: underlying'),
  exchange: fields.oneOf(EXCHANGES),
  expiry_date: fields.text(20).optional(),
  strike_int: fields
    .integer()
    .refine((step) => step >= 1, 'Must be greater than or equal to 1.')
    .nullable()
    .optional(),
}

const optionsFields = { ...underlyingFields, ...optionLegFields }
export const optionsOrderPayload = z
  .strictObject(optionsFields)
  .superRefine((body, ctx) => checkInstructions(body, ctx))
export type OptionsOrderPayload = z.output<typeof optionsOrderPayload>

const leg = z.strictObject({ ...optionLegFields, expiry_date: fields.text(20).optional() })
export const MAX_OPTION_LEGS = 20
const LEG_COUNT = `Legs must contain 1 to ${MAX_OPTION_LEGS} items.`
const multiFields = {
  ...underlyingFields,
  legs: fields.list(leg).min(1, LEG_COUNT).max(MAX_OPTION_LEGS, LEG_COUNT),
}
export const optionsMultiOrderPayload = z.strictObject(multiFields).superRefine(({ legs }, ctx) => {
  for (const [index, one] of legs.entries()) checkInstructions(one, ctx, ['legs', index])
})
export type OptionsMultiOrderPayload = z.output<typeof optionsMultiOrderPayload>

/** One order of a larger request: without the strategy, which the whole request has. */
export type OrderLine = Omit<OrderPayload, 'strategy' | 'underlying_ltp'>

/** Converts one order of a larger request for the order path. */
export function orderOf(
  line: OrderLine,
  strategyName: string,
  underlyingLtp: number | null = null,
): OrderPayload {
  return {
    strategy: strategyName,
    exchange: line.exchange,
    symbol: line.symbol,
    action: line.action,
    quantity: line.quantity,
    pricetype: line.pricetype,
    product: line.product,
    price: line.price,
    trigger_price: line.trigger_price,
    disclosed_quantity: line.disclosed_quantity,
    underlying_ltp: underlyingLtp,
    ...instructionTerms(line),
  }
}
