import { z } from 'zod'
import { ACTIONS } from '../../../orders/schema.js'

/* Kite's JSON of good-till-triggered orders, as far as we read it. */

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '')

export const gttAnswer = z.object({ trigger_id: z.number().int().positive() })

/** What became of the order of a leg that fired. */
const legResult = z.object({
  order_result: z
    .object({ status: text, order_id: text, rejection_reason: text })
    .nullish()
    .transform((result) => result ?? undefined),
})

const gttLeg = z.object({
  transaction_type: z.enum(ACTIONS),
  product: z.string(),
  order_type: z.string(),
  quantity: z.number(),
  price: z.number(),
  result: legResult.nullish().transform((result) => result?.order_result),
})

/** What we place: of one leg, and of two. */
export const GTT_TYPES = { SINGLE: 'single', OCO: 'two-leg' } as const

export const gttRow = z.object({
  id: z.number().int().positive(),
  /** One of {@link GTT_TYPES}, or another that Kite's own programs place. */
  type: z.string(),
  status: z.string(),
  created_at: text,
  updated_at: text,
  expires_at: text,
  condition: z.object({
    exchange: z.string(),
    tradingsymbol: z.string(),
    last_price: z.number(),
    trigger_values: z.array(z.number()).min(1),
  }),
  orders: z.array(gttLeg).min(1),
})
export type KiteGtt = z.output<typeof gttRow>
