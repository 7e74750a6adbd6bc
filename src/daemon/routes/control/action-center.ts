import type { Context } from 'hono'
import {
  type ApprovalOutcome,
  type Approvals,
  type ApproveAllOutcome,
  emptyStatistics,
  instrumentsOf,
  type PendingOrderView,
} from '../../../core/approvals/index.js'
import { publicMessageOf, ServiceError, type Veto } from '../../../core/errors/index.js'
import { type SymbolRef, symbolKey } from '../../../core/market/schema.js'
import { expired } from '../../../core/orders/index.js'
import type { Clock } from '../../../core/time/index.js'
import { parseWith } from '../../../core/validation/index.js'
import { readOptionalJson } from '../../http/body/body.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { deadlineOf } from '../../http/orders/deadline.js'
import { errorStatusOf } from '../../http/response/error-status.js'
import { CODE_HEADER } from '../../http/response/errors.js'
import { rejectPayload } from '../../operations/control/payloads.js'
import type { AnswerGiven, QueryOf } from '../../operations/types.js'
import type { AppEnv } from '../../process/env.js'

interface ActionCenterParts {
  approvals: Approvals
  clock: Pick<Clock, 'monotonic'>
  /** Returns last prices by symbol key. Symbols whose price is not available quickly are missing. */
  lastPrices?: (refs: readonly SymbolRef[]) => Promise<ReadonlyMap<string, number>>
  /** Returns the position that each queued smart order would change, by the order's id, as far as it is known. */
  positionsNow?: (user: string, orders: readonly PendingOrderView[]) => Promise<ReadonlyMap<number, number>>
  /** Returns the last price that is at hand, without asking anybody. */
  priceAtHand?: (ref: SymbolRef) => number | undefined
  /** Returns the value of a queued request with each of its orders, at these prices; null when it is not known. */
  worth?: (order: ListedOrder, priceNow: (ref: SymbolRef) => number | undefined) => number | null
  /** Returns what an approval would do now. */
  plan: (user: string, wanted: { ids?: readonly number[]; details?: number }) => Promise<ApprovalPlanBody>
}

/** A queued order, with what is known of it now. */
type ListedOrder = PendingOrderView & { position_now?: number | undefined }
type ApprovalPlanBody = AnswerGiven<'POST /action-center/plan'>['data']

/** Returns the handlers for the approval queue of the signed-in user. */
export function actionCenterHandlers(parts: ActionCenterParts) {
  const { approvals, clock } = parts
  const remove = async (id: string, user: string) => {
    await approvals.remove(user, orderId(id))
    return { status: 'success' as const, message: 'Order deleted successfully' }
  }
  return {
    'GET /action-center/api/data': async ({ query }, { username }) => ({
      status: 'success',
      data: await queueOf(username, query, parts),
    }),
    'GET /action-center': async ({ query: { confirm, order, ...query } }, { username }) => {
      const [data, decided, plan] = await Promise.all([
        queueOf(username, query, parts),
        order === undefined ? undefined : oneOf(username, order, approvals),
        confirm === undefined ? undefined : parts.plan(username, confirm === 'all' ? {} : { ids: [confirm] }),
      ])
      return { status: 'success', data: { ...data, ...(decided && { decided }), ...(plan && { plan }) } }
    },
    'POST /action-center/plan': async ({ body: { details, ids } }, { username }) => ({
      status: 'success',
      data: await parts.plan(username, { ...(ids && { ids }), ...(details !== undefined && { details }) }),
    }),
    'GET /action-center/count': (_input, { username }) => ({ count: approvals.count(username) }),
    'POST /action-center/approve/:id': httpHandler(async (c) => {
      const user = c.get('principal').username
      const veto = vetoOf(c, clock)
      return answerApproval(c, await approvals.approve(user, orderId(c.req.param('id')), user, veto))
    }),
    'POST /action-center/reject/:id': httpHandler(async (c) => {
      // An invalid id is refused before the body is read.
      const id = orderId(c.req.param('id'))
      const { reason } = parseWith(rejectPayload, await readOptionalJson(c))
      const user = c.get('principal').username
      await approvals.reject(user, id, user, reason ?? undefined)
      return c.json({ status: 'success', message: 'Order rejected successfully' })
    }),
    'DELETE /action-center/delete/:id': ({ params }, { username }) => remove(params.id, username),
    'POST /action-center/delete/:id': ({ params }, { username }) => remove(params.id, username),
    'POST /action-center/approve-all': httpHandler((c) => approveAll(c, parts)),
    'POST /action-center/approve-all/:id': httpHandler((c) =>
      approveAll(c, parts, orderId(c.req.param('id'))),
    ),
  } satisfies Partial<Handlers>
}

/**
 * Returns a page of a user's queue with its statistics.
 * @throws ServiceError whose body has the same `data` as a success, with an empty list
 */
async function queueOf(
  user: string,
  { status, prices, ...page }: QueryOf<'GET /action-center/api/data'>,
  { approvals, ...sources }: ActionCenterParts,
) {
  try {
    const query = { status: status === undefined ? 'pending' : status || 'all', ...page }
    const { orders, total, nextBefore } = await approvals.list(user, query)
    const statistics = approvals.statistics(user)
    return {
      orders: prices === 'false' ? orders.map(withValue(sources)) : await asOfNow(user, orders, sources),
      statistics,
      total,
      ...(nextBefore === undefined ? {} : { next_before: nextBefore }),
    }
  } catch (error) {
    // A failure carries empty `data`, so that screens can still render.
    const message = `Failed to retrieve action center data: ${publicMessageOf(error)}`
    const { brokerStatus, code, reason } =
      error instanceof ServiceError ? error : new ServiceError('internal', '')
    const extra = { data: { orders: [], statistics: emptyStatistics(), total: 0 } }
    throw new ServiceError(code, message, { brokerStatus, reason, extra, cause: error })
  }
}

async function approveAll(
  c: Context<AppEnv>,
  { approvals, clock }: ActionCenterParts,
  upTo?: number,
): Promise<Response> {
  const user = c.get('principal').username
  const all = await approvals.approveAll(user, user, vetoOf(c, clock), upTo)
  if (all.inDoubt.length > 0) c.header(CODE_HEADER, 'outcome_unknown')
  return c.json(approveAllBody(all))
}

/** Returns one order of a user; undefined when there is none. */
async function oneOf(user: string, id: number, approvals: Approvals): Promise<PendingOrderView | undefined> {
  const { orders } = await approvals.list(user, { status: 'all', before: id + 1, limit: 1 })
  return orders.find((order) => order.id === id)
}

/**
 * Adds the last price to each order, and the position now to each smart order, so that the approver sees what
 * the order would cost and trade. The list is returned even when neither is available.
 */
async function asOfNow(
  user: string,
  orders: PendingOrderView[],
  { lastPrices, positionsNow, ...sources }: Sources,
) {
  const waiting = orders.filter((order) => order.status === 'pending')
  const refs = [...waiting, ...waiting.flatMap(({ raw_order_data }) => instrumentsOf(raw_order_data))]
  const [prices, positions] = await Promise.all([lastPrices?.(refs), positionsNow?.(user, waiting)])
  return orders
    .map((order) => ({
      ...order,
      ...(prices && { last_price: prices.get(symbolKey(order)) ?? null }),
      ...(positions?.has(order.id) && { position_now: positions.get(order.id) }),
    }))
    .map(withValue(sources, prices))
}

/** Returns a function that adds the value of a request, with each of its orders, at the last prices. */
function withValue({ priceAtHand, worth }: Sources, prices?: ReadonlyMap<string, number>) {
  const priceNow = (ref: SymbolRef) => prices?.get(symbolKey(ref)) ?? priceAtHand?.(ref)
  return <T extends ListedOrder>(order: T) => ({
    ...order,
    ...(worth && { value: worth(order, priceNow) }),
  })
}

type Sources = Pick<ActionCenterParts, 'lastPrices' | 'positionsNow' | 'priceAtHand' | 'worth'>

function answerApproval(c: Context<AppEnv>, result: ApprovalOutcome): Response {
  switch (result.outcome) {
    case 'executed':
      return c.json({
        status: 'success',
        message: 'Order approved and executed successfully',
        broker_order_id: result.brokerOrderId,
        ...(result.executionError !== null && { execution_error: result.executionError }),
      })
    case 'failed':
      c.header(CODE_HEADER, result.code)
      return c.json(
        {
          status: 'warning',
          message: 'Order approved but execution failed',
          error: result.error,
          ...(result.executionError !== result.error && { execution_error: result.executionError }),
        },
        errorStatusOf(result),
      )
    case 'unknown':
      c.header(CODE_HEADER, 'outcome_unknown')
      return c.json(
        {
          status: 'warning',
          message: 'Order approved but its outcome at the broker is not known yet',
          error: result.error,
          order_ref: result.executionRef,
        },
        504,
      )
  }
}

/**
 * Returns the body of "approve all". The public API has three outcomes: all executed, some executed, none
 * executed. This service also lists the orders that a check refused now (they stay pending), the orders that
 * were placed only in part, and the orders that may be at the broker. The last are not called failures: a
 * caller would send them again.
 */
function approveAllBody(all: ApproveAllOutcome): Record<string, unknown> {
  const { approvedCount, executedCount, failed, inDoubt, partly, refused } = all
  if (approvedCount === 0 && refused.length === 0) {
    return { status: 'info', message: 'No pending orders to approve' }
  }
  return {
    ...approveAllHeadline(all),
    approved_count: approvedCount,
    executed_count: executedCount,
    failed_executions: [...failed, ...refused].sort((a, b) => a.orderId - b.orderId).map(shownFailure),
    ...(inDoubt.length > 0 && {
      in_doubt: inDoubt.map((one) => ({ ...shownFailure(one), order_ref: one.executionRef })),
    }),
    ...(partly.length > 0 && { partly_executed: partly.map(shownFailure) }),
  }
}

function shownFailure({ orderId, error }: { orderId: number; error: string }) {
  return { order_id: orderId, error }
}

function approveAllHeadline(all: ApproveAllOutcome): { status: string; message: string } {
  const { approvedCount: approved, executedCount: executed } = all
  const [failed, inDoubt, partly] = [all.failed.length, all.inDoubt.length, all.partly.length]
  const left = all.refused.length === 0 ? '' : `; ${all.refused.length} refused and still pending`
  if (executed === 0 && inDoubt === 0) {
    const message =
      approved === 0 ? 'No order was approved' : `Approved ${approved} orders but all executions failed`
    return { status: 'error', message: message + left }
  }
  if (executed === approved && partly === 0 && left === '') {
    return { status: 'success', message: `Successfully approved and executed all ${approved} orders` }
  }
  const message = [
    `Approved ${approved} orders. ${executed} executed successfully, ${failed} failed`,
    inDoubt === 0 ? '' : `, ${inDoubt} in doubt`,
    partly === 0 ? '' : `; ${partly} partly executed`,
    left,
    inDoubt === 0 ? '' : `. An order in doubt may be at the broker: do not send it again`,
  ]
  return { status: 'warning', message: message.join('') }
}

/**
 * Returns a check that vetoes an approval after its caller's deadline.
 * @throws ServiceError as {@link deadlineOf}
 */
function vetoOf(c: Context<AppEnv>, clock: Pick<Clock, 'monotonic'>): Veto {
  const deadline = deadlineOf(c, clock)
  return () => expired(clock, deadline)
}

/** Parses an order id. @throws ServiceError `not_found` for a text that cannot be an id */
function orderId(text = ''): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new ServiceError('not_found', 'Pending order not found')
  return Number(text)
}
