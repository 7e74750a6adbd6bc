import type { z } from 'zod'
import type { ErrorCode } from '../../core/errors/index.js'
import {
  codeOf,
  type Failure,
  isPassed,
  isPlaced,
  isWhole,
  type LegResult,
  messageOfResult,
  type OrderResult,
  shortfallOf,
} from '../../core/orders/index.js'
import { errorStatusOf } from '../http/response/error-status.js'
import type { errorBody } from '../operations/common/answers.js'
import type * as answers from '../operations/orders/answers.js'
import type { Immutable } from '../operations/schema-types.js'

type Body = Record<string, unknown>

/** The body that a schema of the public API describes. Each outcome is rendered as one of them. */
type BodyOf<S extends z.ZodType> = Immutable<z.input<S>>
type Refusal = BodyOf<typeof errorBody>
type Closed = BodyOf<typeof answers.closedAll>
type ChangedGtt = BodyOf<typeof answers.changedGtt>

/** The answer to an order request: the status and body of the public API, and the code for scripts. */
export interface OrderAnswer {
  status: number
  code: 'ok' | ErrorCode
  body: Readonly<Body>
  /** Our reference, when the caller can follow the order or the request by it. */
  orderRef: string | undefined
}

/**
 * Renders the answer to a request. The members of the body keep this order: repeats compare byte for byte.
 */
export function answerTo(result: OrderResult): OrderAnswer {
  return { status: statusOf(result), code: codeOf(result), body: bodyOf(result), orderRef: result.orderRef }
}

function statusOf(result: OrderResult): number {
  switch (result.outcome) {
    case 'refused':
    case 'not_sent':
      return errorStatusOf(result)
    case 'in_doubt':
      return errorStatusOf({ code: 'outcome_unknown' })
    case 'closed':
    case 'sliced':
      return result.failure ? statusOf(result.failure) : 200
    default:
      return 200
  }
}

/** Renders the body of the answer, which events and logs carry, too. */
export function bodyOf(result: OrderResult): Readonly<Body> {
  const body = membersOf(result)
  if (result.mode !== undefined) body.mode = result.mode
  return body
}

function membersOf(result: OrderResult): Body {
  const { shown } = result
  switch (result.outcome) {
    case 'placed': {
      const { isGtt, orderId } = result
      if (isGtt) return { status: 'success', ...shown, trigger_id: orderId } satisfies ChangedGtt
      return { status: 'success', ...shown, orderid: orderId } satisfies BodyOf<typeof answers.placed>
    }
    case 'changed': {
      const { isGtt, message, orderId } = result
      const more = message !== undefined && { message }
      if (isGtt) return { status: 'success', trigger_id: orderId, ...more } satisfies ChangedGtt
      return {
        status: 'success',
        orderid: orderId,
        ...more,
      } satisfies BodyOf<typeof answers.changedOrder>
    }
    case 'refused':
    case 'not_sent': {
      const { message, orderId, rule } = result
      return {
        status: 'error',
        message,
        ...(rule !== undefined && { rule }),
        ...(orderId !== undefined && (result.isGtt ? { trigger_id: orderId } : { orderid: orderId })),
        ...shown,
      } satisfies Refusal
    }
    case 'in_doubt': {
      const { message, orderRef } = result
      return {
        status: 'error',
        message,
        ...(orderRef !== undefined && { order_ref: orderRef }),
      } satisfies Refusal
    }
    case 'executed':
      return { status: 'success', ...shown, results: result.legs.map(legRow) }
    case 'closed':
      return {
        status: result.failure ? 'error' : 'success',
        message: result.message,
        closed_positions: result.closed,
        failed_closures: result.stillOpen,
        ...(result.failure && factsOfFailure(result.failure)),
        ...(result.legs && { results: result.legs.map(positionRowOf) }),
      } satisfies Readonly<Record<Exclude<keyof Closed, 'mode' | 'results'>, unknown>>
    case 'sliced': {
      const { failure, legs, message, orderId } = result
      const { split_results: results, ...totals } = splitRowOf(legs[0])
      return {
        status: failure ? 'error' : 'success',
        ...(message !== undefined && { message }),
        ...(failure && factsOfFailure(failure)),
        ...(orderId !== undefined && { orderid: orderId }),
        ...totals,
        results,
      }
    }
    case 'all_cancelled': {
      const { message, cancelled, failed } = result
      return {
        status: 'success',
        message,
        canceled_orders: cancelled,
        failed_cancellations: failed,
      } satisfies BodyOf<typeof answers.cancelledAll>
    }
    case 'queued':
      return {
        status: 'success',
        message: 'Order queued for approval in Action Center',
        mode: 'semi_auto',
        pending_order_id: result.pendingOrderId,
        ...(result.warning !== undefined && { warning: result.warning }),
      } satisfies BodyOf<typeof answers.queued>
    case 'no_action':
      return { status: 'success', message: result.message } satisfies BodyOf<typeof answers.noAction>
    case 'previewed': {
      const { orderId, preview } = result
      return {
        status: 'success',
        ...shown,
        dry_run: true,
        mode: preview.mode,
        order: preview.order,
        last_price: preview.lastPrice ?? null,
        value: preview.value ?? null,
        margin_required: preview.margin ?? null,
        checks: preview.checks,
        ...(preview.notes.length > 0 && { notes: preview.notes }),
        ...(orderId !== undefined && { orderid: orderId }),
      } satisfies BodyOf<typeof answers.dryRun> & { readonly orderid?: string }
    }
    case 'rehearsed': {
      const { legs, preview } = result
      return {
        status: 'success',
        dry_run: true,
        mode: preview.mode,
        margin_required: preview.margin ?? null,
        orders: legs.flatMap(rehearsedRows),
      } satisfies Omit<BodyOf<typeof answers.ordersDryRun>, 'orders'> & { readonly orders: Body[] }
    }
  }
}

/** Renders the results of a request of several orders; none for any other request. */
export function rowsOf(result: OrderResult): readonly Readonly<Body>[] {
  return result.outcome === 'executed' ? result.legs.map(legRow) : []
}

function legRow(leg: LegResult): Body {
  const { orders, problem, shown, split } = leg
  if (problem !== undefined) return { ...shown, status: 'error', message: problem }
  if (!split) return { ...shown, ...orders.map(rowOfOrder)[0] }
  return { ...shown, status: isPlaced(leg) ? 'success' : 'error', ...splitRowOf(leg) }
}

/** Renders a position of a close: it is a success only if all of it was ordered. */
function positionRowOf(leg: LegResult): Body {
  if (!leg.split) return legRow(leg)
  const message = shortfallOf(leg)
  return {
    ...leg.shown,
    status: isWhole(leg) ? 'success' : 'error',
    ...(message !== undefined && { message }),
    ...splitRowOf(leg),
  }
}

/** Renders the orders of a leg that would be sent, or the reason why none would. */
function rehearsedRows({ orders, problem, shown }: LegResult): Body[] {
  if (problem !== undefined) return [unsendableRow(shown, problem)]
  return orders.map(({ result, shown: terms }) => rehearsedRow({ ...shown, ...terms }, result))
}

function rehearsedRow(shown: Body, result: LegResult['orders'][number]['result']): Body {
  if (result.outcome !== 'previewed') return unsendableRow(shown, messageOfResult(result))
  const { checks, lastPrice, margin, value } = result.preview
  const failed = checks.filter(({ ok }) => !ok)
  const [first] = failed
  return {
    ...shown,
    ok: isPassed(result),
    ...(first && {
      rule: first.rule,
      message: failed.map(({ message, rule }) => message ?? rule).join('; '),
    }),
    last_price: lastPrice ?? null,
    value: value ?? null,
    margin_required: margin ?? null,
    checks,
  }
}

const unsendableRow = (shown: Body, message: string): Body => ({
  ...{ ...shown, ok: false, message },
  ...{ value: null, margin_required: null, checks: [] },
})

function splitRowOf({ orders, split }: LegResult): Body {
  return { ...split, split_results: orders.map(rowOfOrder) }
}

function rowOfOrder({ result, shown }: LegResult['orders'][number]): Body {
  return { ...shown, ...bodyOf(result) }
}

/** Returns what a caller can act on: the rule that refused, or the reference of an order in doubt. */
function factsOfFailure(failure: Failure): Body {
  if (failure.outcome === 'in_doubt')
    return failure.orderRef === undefined ? {} : { order_ref: failure.orderRef }
  return failure.rule === undefined ? {} : { rule: failure.rule }
}
