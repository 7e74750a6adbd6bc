import { type Context, Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { z } from 'zod'
import {
  type ApprovalOutcome,
  type Approvals,
  type ApproveAllOutcome,
  DEFAULT_PAGE,
  emptyStatistics,
  type PendingOrderView,
  type Veto,
} from '../../core/approvals/index.js'
import { publicMessageOf, ServiceError } from '../../core/errors/index.js'
import { type SymbolRef, symbolKey } from '../../core/market/schema.js'
import { expired } from '../../core/orders/index.js'
import type { Clock } from '../../core/time/index.js'
import { fields, parseWith } from '../../core/validation/index.js'
import type { AppEnv } from '../env.js'
import { readOptionalJson } from '../http/body.js'
import { deadlineOf } from '../http/deadline.js'
import { CODE_HEADER } from '../http/errors.js'

const MAX_REASON = 2000

export const rejectBody = z.strictObject({ reason: fields.text(MAX_REASON).nullable().optional() })

export const listQuery = z.object({
  status: z.string().optional(),
  limit: fields
    .integer()
    .refine((limit) => limit >= 1 && limit <= DEFAULT_PAGE, `Must be between 1 and ${DEFAULT_PAGE}.`)
    .optional(),
  before: fields.integer().optional(),
})

export interface ActionCenterParts {
  approvals: Approvals
  clock: Pick<Clock, 'monotonic'>
  /** The last prices of symbols by their key, as far as they can be had quickly. */
  lastPrices?: (refs: readonly SymbolRef[]) => Promise<ReadonlyMap<string, number>>
}

/**
 * The session routes of the approval queue (specification, "Action Center"), to be mounted at `/action-center`.
 * Refusals are thrown as `ServiceError` for the daemon's error handler.
 */
export function actionCenterRoutes(parts: ActionCenterParts): Hono<AppEnv> {
  const { approvals, clock } = parts
  return new Hono<AppEnv>()
    .get('/api/data', async (c) => {
      const query = parseWith(listQuery, c.req.query())
      return c.json({ status: 'success', data: await queueOf(userOf(c), query, parts) })
    })
    .get('/count', (c) => c.json({ count: approvals.count(userOf(c)) }))
    .post('/approve/:id', async (c) => {
      const user = userOf(c)
      const veto = vetoOf(c, clock)
      return answerApproval(c, await approvals.approve(user, orderId(c), user, veto))
    })
    .post('/reject/:id', async (c) => {
      const id = orderId(c)
      const { reason } = parseWith(rejectBody, await readOptionalJson(c))
      const user = userOf(c)
      await approvals.reject(user, id, user, reason ?? undefined)
      return c.json({ status: 'success', message: 'Order rejected successfully' })
    })
    .delete('/delete/:id', async (c) => {
      await approvals.remove(userOf(c), orderId(c))
      return c.json({ status: 'success', message: 'Order deleted successfully' })
    })
    .post('/approve-all', async (c) => {
      const user = userOf(c)
      const all = await approvals.approveAll(user, user, vetoOf(c, clock))
      if (all.inDoubt.length > 0) c.header(CODE_HEADER, 'outcome_unknown')
      return c.json(approveAllBody(all))
    })
}

/** A page of a user's queue with its statistics. @throws ServiceError with the contract's own failure body */
async function queueOf(
  user: string,
  { status, ...page }: z.output<typeof listQuery>,
  { approvals, lastPrices }: ActionCenterParts,
) {
  try {
    const query = { status: status === undefined ? 'pending' : status || 'all', ...page }
    const { orders, total, nextBefore } = await approvals.list(user, query)
    const statistics = approvals.statistics(user)
    return {
      orders: await withLastPrices(orders, lastPrices),
      statistics,
      total,
      ...(nextBefore === undefined ? {} : { next_before: nextBefore }),
    }
  } catch (error) {
    // Screens keep their shape.
    const message = `Failed to retrieve action center data: ${publicMessageOf(error)}`
    const { code, httpStatus } = error instanceof ServiceError ? error : new ServiceError('internal', '')
    const extra = { data: { orders: [], statistics: emptyStatistics(), total: 0 } }
    throw new ServiceError(code, message, { httpStatus, extra, cause: error })
  }
}

/** Whoever decides wants to know what it would cost now; without a price the list comes all the same. */
async function withLastPrices(orders: PendingOrderView[], lastPrices: ActionCenterParts['lastPrices']) {
  const waiting = orders.filter((order) => order.status === 'pending')
  const prices = await lastPrices?.(waiting)
  return prices
    ? orders.map((order) => ({ ...order, last_price: prices.get(symbolKey(order)) ?? null }))
    : orders
}

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
          ...{ status: 'warning', message: 'Order approved but execution failed', error: result.error },
          ...(result.executionError !== result.error && { execution_error: result.executionError }),
        },
        asStatus(result.httpStatus),
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
 * The three outcomes of the contract (api-orders 13.4); beside them what was left pending by a check of now, what was
 * placed only in part, and what may be at the broker: calling that a failure would invite to send it again.
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
    partly === 0 ? '' : `; ${partly} executed only in part`,
    left,
    inDoubt === 0 ? '' : `. What is in doubt may be at the broker: do not send it again`,
  ]
  return { status: 'warning', message: message.join('') }
}

/** Refuses what the caller of this request does not wait for any more. @throws ServiceError as {@link deadlineOf} */
function vetoOf(c: Context<AppEnv>, clock: Pick<Clock, 'monotonic'>): Veto {
  const deadline = deadlineOf(c, clock)
  return () => expired(clock, deadline)
}

function userOf(c: Context<AppEnv>): string {
  return c.get('principal').username
}

/** An id that cannot be one is the id of no order. */
function orderId(c: Context<AppEnv>): number {
  const text = c.req.param('id') ?? ''
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new ServiceError('not_found', 'Pending order not found')
  return Number(text)
}

/** A status of a refusal; a broker's success status with a failing body is no success of ours. */
function asStatus(status: number): ContentfulStatusCode {
  // Hono lists the known codes as a type; brokers may answer with any number.
  return (status >= 400 && status <= 599 ? status : 500) as ContentfulStatusCode
}
