import { z } from 'zod'
import { MAX_PAGE } from '../../../core/approvals/index.js'
import { ORDER_STATES, PAST_STATUSES } from '../../../core/orders/index.js'
import { fields } from '../../../core/validation/index.js'
import { instant } from '../common/payloads.js'

const MAX_REASON = 2000
/** The highest believable price of a fill. */
const MAX_PRICE = 1_000_000_000
const MISSING = 'Missing data for required field.'

export const rejectPayload = z.strictObject({ reason: fields.text(MAX_REASON).nullable().optional() })
/** The period and the orders that a list is limited to. */
const ofHistory = {
  since: instant.optional(),
  until: instant.optional(),
  symbol: fields.text(100).optional(),
  exchange: fields.text(20).optional(),
  strategy: fields.text().optional(),
}
const page = {
  limit: fields
    .integer()
    .refine((limit) => limit >= 1 && limit <= 1000, 'Must be between 1 and 1000.')
    .default(100),
  before: fields.text(100).optional(),
}

export const queueQuery = z.object({
  status: z.string().optional(),
  limit: fields
    .integer()
    .refine((limit) => limit >= 1 && limit <= MAX_PAGE, `Must be between 1 and ${MAX_PAGE}.`)
    .optional(),
  before: fields.integer().optional(),
  /** False leaves out what may wait for the broker: last prices and present positions. */
  prices: fields.oneOf(['true', 'false']).optional(),
  ...ofHistory,
})

/** The most orders that a plan shows in full, and the most that it may name. */
const MOST_DETAILED = 100
const MOST_PLANNED = 10_000

const approvalId = fields.integer().refine((id) => id >= 1, 'Must be the id of an order.')
export const planQueuePayload = z.strictObject({
  ids: z
    .array(approvalId)
    .min(1)
    .max(MOST_PLANNED)
    .optional()
    .meta({ description: 'By default all waiting orders.' }),
  details: fields
    .integer()
    .refine((count) => count >= 0 && count <= MOST_DETAILED, `Must be between 0 and ${MOST_DETAILED}.`)
    .optional()
    .meta({
      description:
        'The orders whose legs are shown, newest first; the others are only in the totals. Default 20.',
    }),
})

export const tradeHistoryQuery = z.object({
  mode: fields.oneOf(['live', 'analyze']).optional(),
  ...ofHistory,
  ...page,
})
export const orderHistoryQuery = tradeHistoryQuery.extend({ status: fields.oneOf(PAST_STATUSES).optional() })
export const journalQuery = z.object({
  state: fields.oneOf(ORDER_STATES).optional(),
  ...ofHistory,
  ...page,
})
export const settlePayload = z
  .strictObject({
    outcome: fields.oneOf(['accepted', 'rejected', 'filled']),
    orderid: fields.text(100).optional(),
    /** The filled quantity and its average price. */
    quantity: fields
      .integer()
      .refine((value) => value > 0, 'Must be greater than 0.')
      .optional(),
    price: fields
      .number()
      .refine((value) => value > 0 && value <= MAX_PRICE, `Must be greater than 0 and at most ${MAX_PRICE}.`)
      .optional(),
    reason: fields.text(500),
    force: z.boolean({ error: 'Not a valid boolean.' }).optional(),
  })
  .refine(({ outcome, orderid }) => outcome !== 'accepted' || orderid, {
    path: ['orderid'],
    message: MISSING,
  })
  .refine(({ outcome, price }) => outcome !== 'filled' || price !== undefined, {
    path: ['price'],
    message: MISSING,
  })
  .refine(({ outcome, price }) => outcome === 'filled' || price === undefined, {
    path: ['price'],
    message: 'Only an order that filled has a price.',
  })
  .refine(({ outcome, quantity }) => outcome === 'filled' || quantity === undefined, {
    path: ['quantity'],
    message: 'Only an order that filled has a quantity.',
  })

/**
 * The word that a person types to resume trading. To stop trading takes one key; to resume needs a decision.
 */
const RESUME_WORD = 'RESUME'

export const killSwitchPayload = z
  .strictObject({
    on: z.boolean({ error: 'Not a valid boolean.' }),
    reason: fields.text(500).optional(),
    confirm: fields.text(20).optional(),
  })
  .refine((body) => body.on || body.confirm === RESUME_WORD, {
    path: ['confirm'],
    message: `Must be ${RESUME_WORD} to switch trading on again.`,
  })

export const useBrokerPayload = z.strictObject({ broker: fields.text(50) })
export const brokerLoginPayload = z.strictObject({
  fields: z.record(z.string().max(100), fields.text(4096)).default({}),
})
export const syncQuery = z.object({
  format: z.enum(['kite']).optional(),
  force: z.enum(['true', 'false']).optional(),
})

/** The simulated broker validates the rules of its faults. */
export const faultRules = z.array(z.record(z.string(), z.unknown())).max(100)
