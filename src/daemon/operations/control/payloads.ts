import { z } from 'zod'
import { DEFAULT_PAGE } from '../../../core/approvals/index.js'
import { ORDER_STATES, PAST_STATUSES } from '../../../core/orders/index.js'
import { fields } from '../../../core/validation/index.js'
import { instant } from '../common/payloads.js'

const MAX_REASON = 2000

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
    .refine((limit) => limit >= 1 && limit <= DEFAULT_PAGE, `Must be between 1 and ${DEFAULT_PAGE}.`)
    .optional(),
  before: fields.integer().optional(),
  ...ofHistory,
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
    outcome: fields.oneOf(['accepted', 'rejected']),
    orderid: fields.text(100).optional(),
    reason: fields.text(500),
    force: z.boolean({ error: 'Not a valid boolean.' }).optional(),
  })
  .refine((body) => body.outcome === 'rejected' || body.orderid, {
    path: ['orderid'],
    message: 'Missing data for required field.',
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
