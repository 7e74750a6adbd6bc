import { ALERT_TEMPLATE_OPERATIONS } from './templates.js'
import { STRATEGY_WEBHOOK_OPERATIONS } from './webhook.js'

/** The alerts of other systems: the public webhook of strategies, and the messages of alerts that place orders. */
export const ALERT_OPERATIONS = {
  ...STRATEGY_WEBHOOK_OPERATIONS,
  ...ALERT_TEMPLATE_OPERATIONS,
}
