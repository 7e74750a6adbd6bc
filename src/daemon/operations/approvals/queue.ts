import { z } from 'zod'
import type { ExpectationOfAll } from '../../../core/approvals/index.js'
import type { Veto } from '../../../core/errors/index.js'
import { expired } from '../../../core/orders/index.js'
import { fields } from '../../../core/validation/index.js'
import type { RunningService } from '../../daemon.js'
import type { Caller, SignedInCaller } from '../../http/caller.js'
import { lostRightOf } from '../../http/orders/lost-right.js'
import { Reply } from '../../http/response/reply.js'
import type { ActRequest } from '../audit-facts.js'
import { amount, count, messageOnly, ok, text } from '../common/answers.js'
import { rowId } from '../common/row-id.js'
import { brokerRefusals, json } from '../control/control-facts.js'
import { signedIn } from '../running.js'
import { approvalAnswer, approveAllBody, approvedAll, approvedOne, notExecuted } from './approval-answers.js'
import { approvalId } from './approval-id.js'
import { approvalPlan } from './approval-plan.js'
import { approveAllPayload, approvePayload, expectationIn, expectationOfAllIn } from './expected.js'
import { oneOf, pendingOrder, pendingOrderState, pendingOrders, queueOf, queueQuery } from './queue-list.js'

const queue = signedIn('Action Center', 'api')
const looking = { scopes: ['read', 'approvals'] } as const
const deciding = { scopes: ['approvals'], params: { id: 'The id of the order in the queue.' } } as const

const MAX_REASON = 2000

const rejectPayload = z.strictObject({ reason: fields.text(MAX_REASON).nullable().optional() })

/** The most orders that a plan shows in full, and the most that it may name. */
const MOST_DETAILED = 100
const MOST_PLANNED = 10_000

const planQueuePayload = z.strictObject({
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
        'The orders whose legs are shown, oldest first, as approve-all executes them; the others are only in the totals. Default 20.',
    }),
})

/** The queue, and one order of it besides, whatever its status. */
const queuePageQuery = queueQuery.extend({
  order: approvalId.optional().meta({ description: 'An order to return besides the list, as data.decided.' }),
  confirm: z
    .union([z.literal('all'), approvalId])
    .optional()
    .meta({ description: 'The order, or all, whose approval data.plan describes.' }),
})

const check = z.strictObject({ rule: text, ok: z.boolean(), message: text.optional() })
const plannedLeg = z.strictObject({
  symbol: text,
  exchange: text,
  action: text,
  quantity: amount,
  pricetype: text,
  product: text,
  price: amount,
  trigger_price: amount,
  instructions: text.optional().meta({ description: 'The order instructions in words, such as "IOC".' }),
  last_price: amount.nullable(),
  queued_price: amount.nullable().meta({ description: 'The last price when the request was queued.' }),
  drift_percent: amount.nullable(),
  value: amount.nullable(),
  margin: amount.nullable(),
  problem: text.optional().meta({ description: 'Why nothing would be sent for this leg.' }),
  checks: z.array(check),
})
const approvalPlanData = z.strictObject({
  mode: z.enum(['live', 'analyze']),
  broker: text,
  orders: z.array(
    z.strictObject({
      id: count,
      api_type: text,
      strategy: text,
      legs: z.array(plannedLeg),
      one_of: z.boolean().meta({ description: 'A GTT: only one of its legs is ever sent.' }),
      value: amount.nullable(),
      margin: amount.nullable().meta({ description: 'Of all legs together.' }),
      note: text.optional().meta({ description: 'Why nothing would be sent.' }),
      queued_mode: z.enum(['live', 'analyze']).nullable(),
      mode_change: text
        .optional()
        .meta({ description: 'That the mode is another one than when it was queued.' }),
      refusal: text.optional().meta({ description: 'Why the drift of its prices forbids the approval now.' }),
    }),
  ),
  totals: z.strictObject({
    orders: count,
    value: amount.meta({
      description: 'The sum of all orders whose value is known, also of those that are not listed.',
    }),
    unknown: count.meta({ description: 'The orders whose value is not known.' }),
    newest_id: count.nullable(),
  }),
})
const plannedApproval = ok({ data: approvalPlanData })
const pendingCount = z.strictObject({ count })

const queuePage = ok({
  data: pendingOrders.shape.data.extend({
    decided: pendingOrder.optional().meta({ description: 'The order of the query, if there is one.' }),
    plan: approvalPlanData.optional().meta({ description: 'The orders that an approval would send now.' }),
  }),
})

/** The approval queue of the caller. */
export const QUEUE_OPERATIONS = {
  'GET /action-center/api/data': queue('Lists the approval queue, newest first.', {
    ...looking,
    query: queueQuery,
    example: { status: 'pending' },
    answer: pendingOrders,
    errors: ['validation'],
    run: async (service, { query }, { username }) => ({
      status: 'success',
      data: await queueOf(service, username, query),
    }),
  }),
  'GET /action-center/count': queue('Returns the number of waiting orders.', {
    ...looking,
    limit: undefined,
    answer: pendingCount,
    run: ({ approvals }, _input, { username }) => ({ count: approvals.count(username) }),
  }),
  'POST /action-center/plan': queue(
    'Returns what the approval of waiting orders would send now: every leg with price, value, margin, drift and risk checks.',
    {
      ...looking,
      body: planQueuePayload,
      example: { ids: [42] },
      answer: plannedApproval,
      errors: json,
      audit: { unrecorded: 'It changes nothing.' },
      run: async (service, { body }, { username }) => ({
        status: 'success',
        data: await approvalPlan(service, username, body),
      }),
    },
  ),
  'POST /action-center/approve/:id': queue('Approves an order and executes it.', {
    live: 'order',
    ...deciding,
    body: approvePayload,
    bodyOptional: true,
    example: { expected: { mode: 'live' } },
    answer: approvedOne,
    errors: [
      'not_found',
      'not_pending',
      'not_as_shown',
      'validation',
      'refused',
      'risk_refused',
      'kill_switch',
      'price_stale',
      'conflict',
      'outcome_unknown',
      ...brokerRefusals,
      ...json,
    ],
    others: {
      400: notExecuted,
      403: notExecuted,
      404: notExecuted,
      500: notExecuted,
      502: notExecuted,
      503: notExecuted,
      504: notExecuted,
    },
    audit: { act: 'approval.approve', values: pendingOrderState, ofTarget: true },
    run: async (service, { params: { id }, body }, caller) => {
      const { username: user } = caller
      const veto = vetoOf(service, caller)
      const expected = expectationIn(body)
      return approvalAnswer(await service.approvals.approve(user, rowId(id), user, veto, expected))
    },
  }),
  'POST /action-center/reject/:id': queue('Rejects an order.', {
    live: 'less',
    ...deciding,
    body: rejectPayload,
    bodyOptional: true,
    example: { reason: 'Too large' },
    answer: messageOnly,
    errors: ['not_found', 'not_pending', ...json],
    audit: { act: 'approval.reject', values: pendingOrderState, ofTarget: true },
    run: async ({ approvals }, { params: { id }, body: { reason } }, { username: user }) => {
      await approvals.reject(user, rowId(id), user, reason ?? undefined)
      return { status: 'success', message: 'Order rejected successfully' }
    },
  }),
  'DELETE /action-center/delete/:id': queue('Deletes an approved or rejected order from the queue.', {
    ...deciding,
    answer: messageOnly,
    errors: ['not_found', 'not_pending', 'refused', 'conflict'],
    audit: { act: 'approval.delete', values: pendingOrderState, ofTarget: true },
    run: removeOne,
  }),
  'POST /action-center/approve-all': queue('Approves and executes all waiting orders, oldest first.', {
    live: 'order',
    scopes: ['approvals'],
    body: approveAllPayload,
    bodyOptional: true,
    example: { expected: { mode: 'queued' } },
    answer: approvedAll,
    errors: json,
    audit: { act: 'approval.approve_all', values: queueValues },
    run: (service, { body }, caller) => approveAll(service, caller, { expected: expectationOfAllIn(body) }),
  }),
}

/** The page of the queue, and what its forms send. */
export const QUEUE_PAGES = {
  'GET /action-center': queue('Lists the approval queue, with one order besides.', {
    answerText: 'text/html',
    ...looking,
    query: queuePageQuery,
    example: { status: 'pending', order: 41 },
    answer: queuePage,
    errors: ['validation'],
    run: async (service, { query: { confirm, order, ...query } }, { username }) => {
      const plans = { details: MOST_DETAILED, ...(confirm !== 'all' && { ids: [confirm ?? 0] }) }
      const [data, decided, plan] = await Promise.all([
        queueOf(service, username, query),
        order === undefined ? undefined : oneOf(service, username, order),
        confirm === undefined ? undefined : approvalPlan(service, username, plans),
      ])
      return { status: 'success', data: { ...data, ...(decided && { decided }), ...(plan && { plan }) } }
    },
  }),
  'POST /action-center/approve-all/:id': queue(
    'Approves and executes the waiting orders up to one; those that arrived after it stay pending.',
    {
      live: 'order',
      scopes: ['approvals'],
      params: { id: 'The id of the newest order to approve.' },
      body: approveAllPayload,
      bodyOptional: true,
      example: { expected: { mode: 'live' } },
      answer: approvedAll,
      errors: ['not_found', ...json],
      audit: { act: 'approval.approve_all', values: queueValues },
      run: (service, { params: { id }, body }, caller) =>
        approveAll(service, caller, {
          upTo: rowId(id, 'Pending order not found'),
          expected: expectationOfAllIn(body),
        }),
    },
  ),
  'POST /action-center/delete/:id': queue('Deletes a decided order, for forms: they cannot send DELETE.', {
    scopes: ['approvals'],
    params: { id: 'The id of the order in the queue.' },
    answer: messageOnly,
    errors: ['not_found', 'not_pending', 'refused', 'conflict'],
    audit: { act: 'approval.delete', values: pendingOrderState, ofTarget: true },
    run: removeOne,
  }),
}

function queueValues({ service, username }: ActRequest<RunningService>) {
  return service.approvals.statistics(username)
}

async function removeOne(
  { approvals }: RunningService,
  { params: { id } }: { params: { id: string } },
  { username }: Caller,
) {
  await approvals.remove(username, rowId(id))
  return { status: 'success' as const, message: 'Order deleted successfully' }
}

/** Approves and executes waiting orders: all, or those up to one. */
async function approveAll(
  service: RunningService,
  caller: SignedInCaller,
  { expected, upTo }: { expected: ExpectationOfAll; upTo?: number },
) {
  const { username: user } = caller
  const all = await service.approvals.approveAll(user, user, vetoOf(service, caller), upTo, expected)
  const body = approveAllBody(all)
  return all.inDoubt.length > 0 ? new Reply(200, body, 'outcome_unknown') : body
}

/**
 * Returns a check that vetoes an approval after its caller's deadline, and after the end of the session or token that asks.
 * @throws ServiceError as {@link Visitor.deadline}
 */
function vetoOf({ clock, identity }: RunningService, caller: SignedInCaller): Veto {
  const deadline = caller.deadline()
  const lostRight = lostRightOf(identity, caller.principal)
  return () => lostRight() ?? expired(clock, deadline)
}
