import { z } from 'zod'
import { webhookEventView } from '../../../core/strategies/index.js'
import { WEBHOOK_RESULTS } from '../../../core/strategies/schema.js'
import { count, instant, ok, text } from '../common/answers.js'
import { ID, missing, ownedId, reading, strategies } from './strategy-facts.js'

/** Webhook calls that the page shows. */
const SHOWN_CALLS = 200

const webhookEventRow = z.strictObject({
  id: count,
  strategy_id: count.nullable(),
  action: text.nullable(),
  mode: text.nullable(),
  payload: z.unknown(),
  ip: text,
  user_agent: text,
  received_at: instant,
  result: z.enum(WEBHOOK_RESULTS),
  error: text.nullable(),
})
const webhookEventList = ok({ data: z.array(webhookEventRow) })

/** The calls of the webhooks of strategies. */
export const WEBHOOK_CALL_OPERATIONS = {
  'GET /strategy/api/strategies/:id/webhook_events': strategies('Lists the newest 200 webhook calls.', {
    ...reading,
    ...ID,
    answer: webhookEventList,
    errors: missing,
    run: async (service, { params }, caller) => {
      const id = await ownedId(service, params.id, caller)
      return {
        status: 'success',
        data: (await service.strategyWebhookEvents.newest(id, SHOWN_CALLS)).map(webhookEventView),
      }
    },
  }),
}
