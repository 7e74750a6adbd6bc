import { z } from 'zod'
import type { ApprovalOutcome, ApproveAllOutcome } from '../../../core/approvals/index.js'
import { errorStatusOf } from '../../http/response/error-status.js'
import { Reply } from '../../http/response/reply.js'
import { count, message, ok, text } from '../common/answers.js'
import { nullableText } from '../control/control-facts.js'

const warning = { status: z.literal('warning'), message, error: text }
const executionError = text.optional().meta({ description: 'The orders that were not placed, with reasons.' })
export const approvedOne = ok({
  message,
  broker_order_id: text.nullish(),
  execution_error: executionError,
})
/** The answer for an approved order that the broker or the sandbox refused, or whose outcome is unknown. */
export const notExecuted = z.strictObject({
  ...warning,
  execution_error: executionError,
  order_ref: text.optional(),
})

const failedApproval = { order_id: count, error: text }

export const approvedAll = z.union([
  z.strictObject({ status: z.literal('info'), message }),
  z.strictObject({
    status: z.enum(['success', 'warning', 'error']),
    message,
    approved_count: count,
    executed_count: count,
    failed_executions: z.array(z.strictObject(failedApproval)).meta({
      description: 'All orders that were not executed: those that failed, and those in `refused`.',
    }),
    refused: z
      .array(z.strictObject(failedApproval))
      .optional()
      .meta({ description: 'Refused and still pending: these were not approved.' }),
    in_doubt: z
      .array(z.strictObject({ ...failedApproval, order_ref: nullableText }))
      .optional()
      .meta({ description: 'Orders that may be at the broker: follow them, do not send them again.' }),
    partly_executed: z
      .array(z.strictObject(failedApproval))
      .optional()
      .meta({ description: 'Executed in part: some orders of the request were not placed.' }),
  }),
])

type Executed = z.input<typeof approvedOne>
interface Headline {
  status: 'success' | 'warning' | 'error'
  message: string
}

/** Returns the answer to the approval of one order. */
export function approvalAnswer(result: ApprovalOutcome): Executed | Reply {
  switch (result.outcome) {
    case 'executed':
      return {
        status: 'success',
        message: 'Order approved and executed successfully',
        broker_order_id: result.brokerOrderId,
        ...(result.executionError !== null && { execution_error: result.executionError }),
      }
    case 'failed':
      return new Reply(
        errorStatusOf(result),
        {
          status: 'warning',
          message: 'Order approved but execution failed',
          error: result.error,
          ...(result.executionError !== result.error && { execution_error: result.executionError }),
        },
        result.code,
      )
    case 'unknown':
      return new Reply(
        504,
        {
          status: 'warning',
          message: 'Order approved but its outcome at the broker is not known yet',
          error: result.error,
          order_ref: result.executionRef,
        },
        'outcome_unknown',
      )
  }
}

/**
 * Returns the body of "approve all". The public API has three outcomes: all executed, some executed, none
 * executed. This service also lists the orders that a check refused now (they stay pending), the orders that
 * were placed only in part, and the orders that may be at the broker. The last are not called failures: a
 * caller would send them again.
 */
export function approveAllBody(all: ApproveAllOutcome): z.input<typeof approvedAll> {
  const { approvedCount, executedCount, failed, inDoubt, partly, refused } = all
  if (approvedCount === 0 && refused.length === 0) {
    return { status: 'info', message: 'No pending orders to approve' }
  }
  return {
    ...approveAllHeadline(all),
    approved_count: approvedCount,
    executed_count: executedCount,
    failed_executions: [...failed, ...refused].sort((a, b) => a.orderId - b.orderId).map(shownFailure),
    ...(refused.length > 0 && { refused: refused.map(shownFailure) }),
    ...(inDoubt.length > 0 && {
      in_doubt: inDoubt.map((one) => ({ ...shownFailure(one), order_ref: one.executionRef })),
    }),
    ...(partly.length > 0 && { partly_executed: partly.map(shownFailure) }),
  }
}

function shownFailure({ orderId, error }: { orderId: number; error: string }) {
  return { order_id: orderId, error }
}

function approveAllHeadline(all: ApproveAllOutcome): Headline {
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
