import { z } from 'zod'
import { EXCHANGES } from '../../../instruments/schema.js'
import { ORDER_PRODUCTS, type OrderPayload, PRICE_TYPES, WRITTEN_ACTIONS } from '../../schema.js'
import { VALIDITIES } from '../../terms/instructions.js'
import type { BatchPlan, Pacing, PlannedLeg, PlannedOrder, StoredPlan } from './plan.js'

/*
 * The schema of a stored plan. The plan was validated before it was stored, so this schema checks only the
 * form: a newer rule must not make older orders unreadable.
 */

/** A schema for each member: one that is missing here would be lost between a stop of the service and a retry. */
type Members<Stored> = { [Name in keyof Required<Stored>]: z.ZodType<Stored[Name]> }

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
  validity: z.enum(VALIDITIES).optional(),
  validity_ttl: z.number().optional(),
  amo: z.boolean().optional(),
  iceberg_legs: z.number().optional(),
  market_protection: z.number().optional(),
  algo_id: z.string().optional(),
} satisfies Members<OrderPayload>)

const plannedOrder = z.object({
  shown: body,
  order,
  opens: z.literal(true).optional(),
  closes: z.literal(true).optional(),
} satisfies Members<PlannedOrder>)

const leg = z.object({
  name: z.string().optional(),
  shown: body,
  problem: z.string().optional(),
  orders: z.array(plannedOrder),
  split: z.object({ total_quantity: z.number(), split_size: z.number() }).optional(),
  inPieces: z.literal(true).optional(),
} satisfies Members<PlannedLeg>)

const plan = z.object({
  shape: z.enum(['single', 'list', 'close']),
  head: body,
  legs: z.array(leg),
} satisfies Members<BatchPlan>)

const pacing = z.object({
  waves: z.array(z.array(z.number())),
  pauseMs: z.number(),
  perPause: z.number(),
} satisfies Members<Pacing>)

const executionPlan = z.object({
  plan,
  pacing,
  gated: z.boolean(),
  resumable: z.boolean(),
  finishes: z.literal(true).optional(),
  orderIds: z.array(z.string()).optional(),
} satisfies Members<StoredPlan>)

/** Reads a stored plan. @throws when the text is not a plan */
export function readExecutionPlan(text: string): StoredPlan {
  return executionPlan.parse(JSON.parse(text))
}
