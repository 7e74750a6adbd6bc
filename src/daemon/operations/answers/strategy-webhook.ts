import { z } from 'zod'
import { WEBHOOK_RESULTS } from '../../../core/strategies/index.js'
import { count, message, text } from './common.js'

/** Answers of the public webhook of strategies. */

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
