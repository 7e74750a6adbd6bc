import { z } from 'zod'
import { riskRulesChange } from '../../../core/risk/index.js'
import { listQuery as queueQuery, rejectBody } from '../../routes/action-center.js'
import { brokerLoginBody, useBody } from '../../routes/broker.js'
import { listQuery as journalQuery, settleBody } from '../../routes/journal.js'
import { killSwitchBody } from '../../routes/risk.js'
import { type Operation, signedIn } from '../operation.js'
import { said } from '../responses/common.js'
import * as answers from '../responses/control.js'

const queue = signedIn('Action Center')
const control = signedIn('Control')

const json = ['validation', 'too_large', 'unsupported_media'] as const
const broker = ['broker_rejected', 'broker_missing', 'broker_protocol'] as const
const reading = { scopes: ['read', 'admin'] } as const
const changing = { scopes: ['admin'] } as const
const looking = { scopes: ['read', 'approvals'] } as const
const deciding = { scopes: ['approvals'], params: { id: 'Its number in the queue.' } } as const
const REF = { ref: 'The reference of an order, from X-Order-Ref or order_ref.' }

/** Rules of the simulated broker's faults are its own; it says what is wrong with one. */
const faultRules = z.array(z.record(z.string(), z.unknown())).max(100)

export const CONTROL_OPERATIONS: readonly Operation[] = [
  queue('GET', '/action-center/api/data', 'The queue, newest first.', {
    ...looking,
    query: queueQuery,
    example: { status: 'pending' },
    answer: answers.pendingOrders,
    errors: ['validation'],
  }),
  queue('GET', '/action-center/count', 'How many orders wait.', { ...looking, answer: answers.pendingCount }),
  {
    ...queue('POST', '/action-center/approve/:id', 'Approves an order and executes it.', {
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
    }),
    answers: {
      200: answers.approved,
      400: answers.notExecuted,
      403: answers.notExecuted,
      404: answers.notExecuted,
      500: answers.notExecuted,
      502: answers.notExecuted,
      503: answers.notExecuted,
      504: answers.notExecuted,
    },
  },
  queue('POST', '/action-center/reject/:id', 'Rejects an order.', {
    ...deciding,
    body: rejectBody,
    bodyOptional: true,
    example: { reason: 'Too large' },
    answer: said,
    errors: ['not_found', 'not_pending', ...json],
  }),
  queue('DELETE', '/action-center/delete/:id', 'Deletes a decided order from the list.', {
    ...deciding,
    answer: said,
    errors: ['not_found', 'not_pending', 'refused', 'conflict'],
  }),
  queue('POST', '/action-center/approve-all', 'Approves and executes all that wait, oldest first.', {
    scopes: ['approvals'],
    answer: answers.approvedAll,
  }),
  control('GET', '/settings/analyze-mode', 'Whether Analyzer mode is on.', {
    scopes: ['read', 'settings'],
    answer: answers.analyzeMode,
  }),
  control('POST', '/settings/analyze-mode/:mode', 'Switches to Analyzer mode (1) or Live mode (0).', {
    scopes: ['settings'],
    params: { mode: '1 or 0.' },
    answer: answers.changedAnalyzeMode,
    errors: ['validation'],
  }),
  control('GET', '/risk', 'The rules of the risk gate, and the kill switch.', {
    ...reading,
    answer: answers.risk,
  }),
  control('PUT', '/risk', 'Changes rules; null switches one off.', {
    ...changing,
    body: riskRulesChange,
    example: { max_order_value: 500000 },
    answer: answers.risk,
    errors: json,
  }),
  control('POST', '/risk/kill-switch', 'Stops all new orders, or lets them through again.', {
    ...changing,
    body: killSwitchBody,
    example: { on: false, confirm: 'RESUME' },
    answer: answers.killSwitch,
    errors: json,
  }),
  control('GET', '/orders/journal', 'Journalled orders, newest first.', {
    scopes: ['read', 'orders'],
    query: journalQuery,
    example: { state: 'unknown' },
    answer: answers.journal,
    errors: ['validation'],
  }),
  control('GET', '/orders/journal/:ref', 'One journalled order with its history.', {
    scopes: ['read', 'orders'],
    params: REF,
    answer: answers.journalEntry,
    errors: ['not_found'],
  }),
  control('POST', '/orders/journal/:ref/settle', 'Decides what became of an order in doubt.', {
    scopes: ['orders'],
    params: REF,
    body: settleBody,
    example: { outcome: 'rejected', reason: 'Not in the book of the broker' },
    answer: said,
    errors: ['not_found', 'conflict', ...json],
  }),
  control('GET', '/broker/list', 'The brokers, and what each can do.', {
    ...reading,
    answer: answers.brokers,
  }),
  control('GET', '/broker/status', 'The broker: session, instruments, feed.', {
    ...reading,
    answer: answers.brokerStatus,
  }),
  control('POST', '/broker/use', 'Changes brokers.', {
    ...changing,
    body: useBody,
    example: { broker: 'simulated' },
    answer: answers.usedBroker,
    errors: ['not_found', 'conflict', ...json, ...broker],
  }),
  control('POST', '/broker/login', 'Signs in to the broker.', {
    ...changing,
    body: brokerLoginBody,
    example: { fields: {} },
    answer: said,
    errors: ['refused', ...json, ...broker],
  }),
  control('POST', '/broker/logout', 'Signs out of the broker.', { ...changing, answer: said }),
  control('POST', '/broker/sync', 'Loads the instruments, from the broker or from a dump.', {
    ...changing,
    query: z.object({ format: z.enum(['kite']).optional(), force: z.enum(['true', 'false']).optional() }),
    bodyText: 'text/csv',
    answer: answers.synced,
    errors: ['validation', 'refused', 'conflict', 'too_large', ...broker],
  }),
  control('GET', '/broker/simulated/faults', 'The faults of the simulated broker.', {
    ...reading,
    answer: answers.faults,
  }),
  control('PUT', '/broker/simulated/faults', 'Sets the faults of the simulated broker.', {
    ...changing,
    body: faultRules,
    example: [],
    answer: answers.faults,
    errors: json,
  }),
]
