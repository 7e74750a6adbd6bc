import { z } from 'zod'
import { EXCHANGES } from '../../instruments/schema.js'
import { fields } from '../../validation/index.js'
import {
  actionField,
  checkQuantity,
  GTT_PRICE_TYPES,
  GTT_PRODUCTS,
  type GttLeg,
  type GttPriceType,
  type GttRequest,
  type OrderRequest,
  sideOf,
  type WrittenAction,
} from '../schema.js'

/** Bodies of the GTT endpoints (docs/api.md, "Other orders"). */

const PRODUCT_TEXT = 'GTT supports only CNC (delivery) or NRML (overnight F&O); MIS is intraday-only.'

/** Treats an empty text as a missing field, because forms send empty texts. */
const blank = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema)

const trigger = (name: string) =>
  blank(fields.nonNegative(`${name} must be non-negative.`).default(0)).nullable()
const limit = () => blank(fields.number().nullable().default(null))

const gttFields = {
  strategy: fields.text(255),
  trigger_type: fields
    .text(10)
    .transform((text) => text.toUpperCase())
    .pipe(z.enum(['SINGLE', 'OCO'], { error: "Must be 'SINGLE' or 'OCO'." })),
  exchange: fields.oneOf(EXCHANGES),
  symbol: fields.symbol(),
  action: actionField(),
  product: fields.text(10).pipe(z.enum(GTT_PRODUCTS, { error: PRODUCT_TEXT })),
  quantity: fields.number(),
  pricetype: fields.oneOf(GTT_PRICE_TYPES).default('LIMIT'),
  price: fields.nonNegative('Price must be a non-negative number.'),
  triggerprice_sl: trigger('triggerprice_sl'),
  triggerprice_tg: trigger('triggerprice_tg'),
  stoploss: limit(),
  target: limit(),
}
const expiry = { expires_at: fields.text(40).nullable().default(null) }
const triggerId = fields.text(100).min(1, 'Shorter than minimum length 1.')

interface Triggers {
  trigger_type: 'SINGLE' | 'OCO'
  triggerprice_sl: number | null
  triggerprice_tg: number | null
  stoploss: number | null
  target: number | null
  pricetype: GttPriceType
  price: number
}

/** Rules over several fields, in the order of the checks. The answer reports the first broken rule. */
const OCO_RULES: readonly {
  field: keyof Triggers
  broken(body: Triggers): boolean
  message: string
}[] = [
  {
    field: 'triggerprice_sl',
    broken: (body) => !((body.triggerprice_sl ?? 0) > 0),
    message: 'Required for OCO (stoploss trigger).',
  },
  {
    field: 'stoploss',
    broken: (body) => !((body.stoploss ?? 0) > 0),
    message: 'Required for OCO (stoploss leg limit).',
  },
  {
    field: 'triggerprice_tg',
    broken: (body) => !((body.triggerprice_tg ?? 0) > 0),
    message: 'Required for OCO (target trigger).',
  },
  {
    field: 'target',
    broken: (body) => !((body.target ?? 0) > 0),
    message: 'Required for OCO (target leg limit).',
  },
  {
    field: 'triggerprice_sl',
    broken: (body) => (body.triggerprice_sl ?? 0) >= (body.triggerprice_tg ?? 0),
    message: 'Stoploss trigger must be less than target trigger (triggerprice_tg).',
  },
]

function checkTriggers(body: Triggers & { exchange: string; quantity: number }, ctx: z.RefinementCtx): void {
  // An invalid trigger price already has its message.
  if (ctx.issues.length > 0) return
  const fail = (field: string, message: string) => ctx.addIssue({ code: 'custom', path: [field], message })
  if (body.trigger_type === 'OCO') {
    const rule = OCO_RULES.find(({ broken }) => broken(body))
    if (rule) {
      fail(rule.field, rule.message)
      return
    }
  } else if (!((body.triggerprice_sl ?? 0) > 0 || (body.triggerprice_tg ?? 0) > 0)) {
    fail('triggerprice_sl', 'SINGLE GTT requires a positive triggerprice_sl or triggerprice_tg.')
    return
  } else if (body.pricetype === 'LIMIT' && body.price === 0) {
    // If it were accepted now, it would be refused when it fires.
    fail('price', 'A SINGLE LIMIT GTT requires a positive price.')
    return
  }
  checkQuantity(body, ctx)
}

type Parsed = Triggers & { action: WrittenAction }

/**
 * Returns the form that is stored, queued and passed on. A SINGLE keeps one trigger (the stop-loss trigger
 * when the client sent both) and no leg limits. `trigger_price` is the main trigger for a reader.
 */
function normalise<T extends Parsed>({ action, ...body }: T) {
  const side = sideOf(action)
  if (body.trigger_type === 'OCO') return { ...body, action: side, trigger_price: body.triggerprice_tg }
  const stop = (body.triggerprice_sl ?? 0) > 0
  const chosen = stop ? body.triggerprice_sl : body.triggerprice_tg
  return {
    ...body,
    action: side,
    triggerprice_sl: stop ? chosen : null,
    triggerprice_tg: stop ? null : chosen,
    stoploss: null,
    target: null,
    trigger_price: chosen,
  }
}

export const placeGttPayload = z
  .strictObject({ ...gttFields, ...expiry })
  .superRefine(checkTriggers)
  .transform(normalise)
/** A queued payload: the normalised form, which is a valid request again. */
export const queuedGttPayload = z
  .strictObject({ ...gttFields, ...expiry, trigger_price: z.unknown().optional() })
  .superRefine(checkTriggers)
  .transform(normalise)
export const modifyGttPayload = z
  .strictObject({ trigger_id: triggerId, ...gttFields })
  .superRefine(checkTriggers)
  .transform(normalise)
export const cancelGttPayload = z.strictObject({ strategy: fields.text(255), trigger_id: triggerId })

export type PlaceGttPayload = z.output<typeof placeGttPayload>
export type ModifyGttPayload = z.output<typeof modifyGttPayload>
export type CancelGttPayload = z.output<typeof cancelGttPayload>

type GttPayload = Omit<PlaceGttPayload, 'expires_at' | 'trigger_price'> & { expires_at?: string | null }

export function toGttRequest(payload: GttPayload): GttRequest {
  const { trigger_type: type, pricetype: priceType, price } = payload
  const priceOf = (legLimit: number | null) => (priceType === 'MARKET' ? 0 : (legLimit ?? price))
  const legs: GttLeg[] = []
  if (payload.triggerprice_sl) {
    legs.push({ kind: 'stop', triggerPrice: payload.triggerprice_sl, price: priceOf(payload.stoploss) })
  }
  if (payload.triggerprice_tg) {
    legs.push({ kind: 'target', triggerPrice: payload.triggerprice_tg, price: priceOf(payload.target) })
  }
  return {
    strategy: payload.strategy,
    type,
    symbol: payload.symbol,
    exchange: payload.exchange,
    action: payload.action,
    quantity: payload.quantity,
    product: payload.product,
    priceType,
    legs,
    expiresAt: payload.expires_at ?? undefined,
  }
}

/** Returns the order that the risk gate checks for a GTT: its most expensive leg. */
export function orderBehind(gtt: GttRequest): OrderRequest {
  const price = Math.max(...gtt.legs.map((leg) => leg.price || leg.triggerPrice))
  return {
    strategy: gtt.strategy,
    symbol: gtt.symbol,
    exchange: gtt.exchange,
    action: gtt.action,
    quantity: gtt.quantity,
    product: gtt.product,
    priceType: 'LIMIT',
    price,
    triggerPrice: 0,
    disclosedQuantity: 0,
  }
}
