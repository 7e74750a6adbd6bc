import { z } from 'zod'
import { ACTIONS, PRODUCTS } from '../../../core/orders/index.js'
import { WEBHOOK_RESULTS } from '../../../core/strategies/index.js'
import { count, errorBody, message, text } from '../common/answers.js'

/** Answers of the webhook of strategies, and messages of alerts to paste at their sender. */

const end = {
  result: z.enum(WEBHOOK_RESULTS),
  message,
  run_id: count.optional(),
}

const delivered = {
  ...end,
  strategy_id: count.optional().meta({ description: 'Absent for an unknown token.' }),
  stop_pending: z
    .literal(true)
    .optional()
    .meta({ description: 'Present while positions are still to be closed: the run goes on until they are.' }),
  exits: z
    .array(
      z.strictObject({
        leg_id: count,
        ok: z.boolean(),
        position_ref: text,
        exit_owner: text,
        error: text.nullable(),
      }),
    )
    .optional()
    .meta({ description: 'The exit orders of a stop.' }),
  signals: z
    .array(z.strictObject({ symbol: text.nullable(), ...end }))
    .optional()
    .meta({ description: 'The end of each signal, for a body with several symbols.' }),
}

export const delivery = z.strictObject({ status: z.literal('success'), ...delivered })
export const refusedDelivery = z.strictObject({ status: z.literal('error'), ...delivered })
export const limitedDelivery = z.strictObject({
  status: z.literal('error'),
  message,
  retry_after: count,
  result: z.literal('rate_limited'),
})

/** A path with an unknown end belongs to no strategy. */
export const unknownDelivery = z.union([refusedDelivery, errorBody])

const order = {
  apikey: text,
  symbol: text,
  exchange: text,
  pricetype: z.literal('MARKET'),
  product: z.enum(PRODUCTS),
}

export const lineAlert = z.strictObject({
  ...order,
  strategy: z.enum(['TradingView Line Alert', 'GoCharting']),
  action: z.enum(ACTIONS),
  quantity: text,
})
export const strategyAlert = z.strictObject({
  ...order,
  strategy: z.literal('TradingView Strategy'),
  action: text,
  quantity: text,
  position_size: text,
})
