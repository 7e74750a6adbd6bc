import { z } from 'zod'
import { amount, count, text } from '../common/answers.js'
import { FILE_OPERATIONS } from './files.js'
import { LOT_OPERATIONS } from './lots.js'
import { RUN_OPERATIONS } from './runs.js'
import { SECRET_OPERATIONS } from './secrets.js'
import { VERSION_OPERATIONS } from './versions.js'
import { WEBHOOK_OPERATIONS } from './webhook.js'
import { WEBHOOK_SETTING_OPERATIONS } from './webhook-settings.js'
import { reading, workflows } from './workflow-facts.js'
import { WORKFLOW_OPERATIONS } from './workflows.js'

const monitor = z.strictObject({
  running: z.boolean(),
  alerts_count: count,
  poll_interval: amount,
  alerts: z.array(
    z.strictObject({
      workflow_id: count,
      symbol: text,
      exchange: text,
      condition: text,
      target_price: amount.nullable(),
      last_price: amount.nullable(),
      triggered: z.boolean(),
    }),
  ),
  order_updates: z.strictObject({
    watches_count: count,
    watches: z.array(
      z.strictObject({
        workflow_id: count,
        order_id: text,
        symbol: text,
        exchange: text,
        status: text,
        triggered: z.boolean(),
      }),
    ),
  }),
})

/** The operations of workflows (docs/flows.md). */
export const FLOW_OPERATIONS = {
  ...WORKFLOW_OPERATIONS,
  ...RUN_OPERATIONS,
  ...VERSION_OPERATIONS,
  ...WEBHOOK_SETTING_OPERATIONS,
  'GET /flow/api/monitor/status': workflows('Lists the active price alerts and order watches.', {
    ...reading,
    answer: monitor,
    run: ({ flows }) => flows.monitorStatus(),
  }),
  ...FILE_OPERATIONS,
  ...SECRET_OPERATIONS,
  ...LOT_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
}
