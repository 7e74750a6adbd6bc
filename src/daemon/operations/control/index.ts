import { QUEUE_OPERATIONS } from '../approvals/queue.js'
import { BROKER_ALGO_OPERATIONS } from './broker/algos.js'
import { BROKER_OPERATIONS } from './broker/broker.js'
import { BROKER_CALLBACK_OPERATIONS } from './broker/callbacks.js'
import { BROKER_SIGN_IN_OPERATIONS } from './broker/sign-in.js'
import { HISTORY_OPERATIONS } from './history.js'
import { JOURNAL_OPERATIONS } from './journal.js'
import { LIVE_CHECK_OPERATIONS } from './live-check.js'
import { MODE_OPERATIONS } from './mode.js'
import { RISK_OPERATIONS } from './risk.js'
import { SMTP_OPERATIONS } from './smtp.js'

/** The operations that govern orders: the approval queue, the mode, the limits, the journal, the broker and the mail server. */
export const CONTROL_OPERATIONS = {
  ...QUEUE_OPERATIONS,
  ...MODE_OPERATIONS,
  ...RISK_OPERATIONS,
  ...HISTORY_OPERATIONS,
  ...JOURNAL_OPERATIONS,
  ...BROKER_OPERATIONS,
  ...BROKER_ALGO_OPERATIONS,
  ...BROKER_SIGN_IN_OPERATIONS,
  ...BROKER_CALLBACK_OPERATIONS,
  ...LIVE_CHECK_OPERATIONS,
  ...SMTP_OPERATIONS,
}
