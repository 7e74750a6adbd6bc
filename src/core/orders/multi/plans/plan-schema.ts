import { z } from 'zod'
import { EXCHANGES } from '../../../instruments/schema.js'
import { ORDER_PRODUCTS, PRICE_TYPES, WRITTEN_ACTIONS } from '../../schema.js'
import type { StoredPlan } from './plan.js'

/*
 * The schema of a stored plan. The plan was validated before it was stored, so this schema checks only the
 * form: a newer rule must not make older orders unreadable.
 */

const body = z.record(z.string(), z.unknown())

const order = z.object({
  strategy: z.string(),
  exchange: z.enum(EXCHANGES),
  symbol: z.string(),
  action: z.enum(WRITTEN_ACTIONS),
  quantity: z.number(),
  pricetype: z.enum(PRICE_TYPES),
  product: z.enum(ORDER_PRODUCTS),
  price: z.number(),
  trigger_price: z.number(),
  disclosed_quantity: z.number(),
  underlying_ltp: z.number().nullable(),
})

const leg = z.object({
  name: z.string().optional(),
  shown: body,
  problem: z.string().optional(),
  orders: z.array(
    z.object({
      shown: body,
      order,
      opens: z.literal(true).optional(),
      closes: z.literal(true).optional(),
    }),
  ),
  split: z.object({ total_quantity: z.number(), split_size: z.number() }).optional(),
  inPieces: z.literal(true).optional(),
})

const executionPlan = z.object({
  plan: z.object({ shape: z.enum(['single', 'list', 'close']), head: body, legs: z.array(leg) }),
  pacing: z.object({ waves: z.array(z.array(z.number())), pauseMs: z.number(), perPause: z.number() }),
  gated: z.boolean(),
  resumable: z.boolean(),
  finishes: z.literal(true).optional(),
  orderIds: z.array(z.string()).optional(),
})

/** Reads a stored plan. @throws when the text is not a plan */
export function readExecutionPlan(text: string): StoredPlan {
  return executionPlan.parse(JSON.parse(text))
}
