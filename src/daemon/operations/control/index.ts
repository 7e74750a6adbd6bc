import { riskRulesChange } from '../../../core/risk/index.js'
import { messageOnly, ok } from '../common/answers.js'
import { signedIn } from '../running.js'
import * as answers from './answers.js'
import {
  brokerLoginPayload,
  faultRules,
  journalQuery,
  killSwitchPayload,
  orderHistoryQuery,
  planQueuePayload,
  queueQuery,
  rejectPayload,
  settlePayload,
  syncQuery,
  tradeHistoryQuery,
  useBrokerPayload,
} from './payloads.js'
import { debugMail, smtp, testMail } from './smtp-answers.js'
import { smtpPayload, testMailPayload } from './smtp-payloads.js'

const queue = signedIn('Action Center', 'api')
const control = signedIn('Control', 'api')

const json = ['validation', 'too_large', 'unsupported_media'] as const
const broker = ['broker_rejected', 'broker_missing', 'broker_protocol'] as const
const reading = { scopes: ['read', 'admin'] } as const
const changing = { scopes: ['admin'] } as const
const looking = { scopes: ['read', 'approvals'] } as const
const deciding = { scopes: ['approvals'], params: { id: 'The id of the order in the queue.' } } as const
const REF = { ref: 'The reference of an order, from X-Order-Ref or order_ref.' }

export const CONTROL_OPERATIONS = {
  'GET /action-center/api/data': queue('Lists the approval queue, newest first.', {
    ...looking,
    query: queueQuery,
    example: { status: 'pending' },
    answer: answers.pendingOrders,
    errors: ['validation'],
  }),
  'GET /action-center/count': queue('Returns the number of waiting orders.', {
    ...looking,
    limit: undefined,
    answer: answers.pendingCount,
  }),
  'POST /action-center/plan': queue(
    'Returns what the approval of waiting orders would send now: every leg with price, value, margin, drift and risk checks.',
    {
      ...looking,
      body: planQueuePayload,
      example: { ids: [42] },
      answer: answers.approvalPlan,
      errors: json,
    },
  ),
  'POST /action-center/approve/:id': queue('Approves an order and executes it.', {
    ...deciding,
    answer: answers.approved,
    errors: [
      'not_found',
      'not_pending',
      'validation',
      'refused',
      'risk_refused',
      'kill_switch',
      'price_stale',
      'conflict',
      'outcome_unknown',
      ...broker,
    ],
    others: {
      400: answers.notExecuted,
      403: answers.notExecuted,
      404: answers.notExecuted,
      500: answers.notExecuted,
      502: answers.notExecuted,
      503: answers.notExecuted,
      504: answers.notExecuted,
    },
  }),
  'POST /action-center/reject/:id': queue('Rejects an order.', {
    ...deciding,
    body: rejectPayload,
    bodyOptional: true,
    example: { reason: 'Too large' },
    answer: messageOnly,
    errors: ['not_found', 'not_pending', ...json],
  }),
  'DELETE /action-center/delete/:id': queue('Deletes an approved or rejected order from the queue.', {
    ...deciding,
    answer: messageOnly,
    errors: ['not_found', 'not_pending', 'refused', 'conflict'],
  }),
  'POST /action-center/approve-all': queue('Approves and executes all waiting orders, oldest first.', {
    scopes: ['approvals'],
    answer: answers.approvedAll,
  }),
  'GET /settings/analyze-mode': control('Returns whether Analyzer mode is on.', {
    scopes: ['read', 'settings'],
    answer: answers.analyzeMode,
  }),
  'POST /settings/analyze-mode/:mode': control('Switches to Analyzer mode (1) or Live mode (0).', {
    scopes: ['settings'],
    fresh: { mode: ['0'] },
    params: { mode: '1 or 0.' },
    answer: answers.changedAnalyzeMode,
    errors: ['validation'],
  }),
  'GET /risk': control('Returns the rules of the risk gate and the state of the kill switch.', {
    ...reading,
    answer: answers.risk,
  }),
  'PUT /risk': control('Changes risk rules; null switches a rule off.', {
    ...changing,
    body: riskRulesChange,
    example: { max_order_value: 500000 },
    answer: answers.risk,
    errors: json,
  }),
  'POST /risk/kill-switch': control(
    'Turns the kill switch on or off. While it is on, no new order is sent.',
    {
      ...changing,
      fresh: { on: [false] },
      body: killSwitchPayload,
      example: { on: false, confirm: 'RESUME' },
      answer: answers.killSwitch,
      errors: json,
    },
  ),
  'GET /orders/history': control('Lists the orders of all sessions, newest first.', {
    scopes: ['read', 'orders'],
    query: orderHistoryQuery,
    example: { since: '2026-11-20T00:00:00+05:30', status: 'complete' },
    answer: answers.orderHistory,
    errors: ['validation'],
  }),
  'GET /trades/history': control('Lists the trades of all sessions, newest first.', {
    scopes: ['read', 'orders'],
    query: tradeHistoryQuery,
    example: { since: '2026-11-20T00:00:00+05:30', strategy: 'demo' },
    answer: answers.tradeHistory,
    errors: ['validation'],
  }),
  'GET /orders/journal': control('Lists the journalled orders, newest first.', {
    scopes: ['read', 'orders'],
    query: journalQuery,
    example: { state: 'unknown' },
    answer: answers.journal,
    errors: ['validation'],
  }),
  'GET /orders/journal/:ref': control('Returns one journalled order with its history.', {
    scopes: ['read', 'orders'],
    params: REF,
    answer: answers.journalEntry,
    errors: ['not_found'],
  }),
  'POST /orders/journal/:ref/settle': control('Records how an order in doubt or a lapsed order ended.', {
    scopes: ['orders'],
    params: REF,
    body: settlePayload,
    example: { outcome: 'rejected', reason: 'Not in the book of the broker' },
    answer: messageOnly,
    errors: ['not_found', 'conflict', ...json],
  }),
  'GET /broker/list': control('Lists the brokers and their capabilities.', {
    ...reading,
    answer: answers.brokers,
  }),
  'GET /broker/status': control('Returns the state of the broker: session, instruments, feed.', {
    ...reading,
    answer: answers.brokerStatus,
  }),
  'POST /broker/use': control('Selects the broker.', {
    ...changing,
    fresh: true,
    body: useBrokerPayload,
    example: { broker: 'simulated' },
    answer: answers.usedBroker,
    errors: ['not_found', 'conflict', ...json, ...broker],
  }),
  'POST /broker/login': control('Signs in to the broker.', {
    ...changing,
    fresh: true,
    body: brokerLoginPayload,
    example: { fields: {} },
    answer: messageOnly,
    errors: ['refused', ...json, ...broker],
  }),
  'POST /broker/logout': control('Signs out of the broker.', { ...changing, answer: messageOnly }),
  'POST /broker/sync': control('Loads the instruments from the broker or from a dump.', {
    ...changing,
    query: syncQuery,
    bodyText: 'text/csv',
    answer: answers.synced,
    errors: ['validation', 'refused', 'conflict', 'too_large', ...broker],
  }),
  'GET /broker/simulated/faults': control('Returns the faults of the simulated broker.', {
    ...reading,
    answer: answers.faults,
  }),
  'PUT /broker/simulated/faults': control('Sets the faults of the simulated broker.', {
    ...changing,
    body: faultRules,
    example: [],
    answer: answers.faults,
    errors: json,
  }),
  'GET /auth/smtp-config': control('Returns the mail server without its password.', {
    ...reading,
    answer: ok({ data: smtp }),
  }),
  'POST /auth/smtp-config': control(
    'Sets the mail server. A field that is left out, and a blank password, keep the stored value.',
    {
      ...changing,
      fresh: true,
      body: smtpPayload,
      example: {
        smtp_server: 'mail.example.org',
        smtp_port: 587,
        smtp_username: 'desk',
        smtp_password: 'a password',
        smtp_use_tls: true,
        smtp_from_email: 'desk@example.org',
      },
      answer: messageOnly,
      errors: [...json, 'storage_full'],
    },
  ),
  'POST /auth/test-smtp': control('Sends a test mail and waits until the server has accepted it.', {
    ...changing,
    body: testMailPayload,
    example: { test_email: 'asha@example.org' },
    answer: testMail,
    errors: [...json, 'refused'],
  }),
  'POST /auth/debug-smtp': control('Connects to the mail server and signs in, without sending a mail.', {
    ...changing,
    answer: debugMail,
  }),
}
