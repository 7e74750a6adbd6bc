import { member } from '../../../client/answers/json.js'
import { isAtMarket } from '../../../client/answers/records.js'
import type { AnswerOf } from '../../../client/endpoints.js'
import { DETAIL_FIELDS } from '../../../views/orders/order.js'
import type { Context } from '../../framework/context.js'
import { CliError } from '../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'
import type { Output } from '../../output/output.js'
import { findApproval } from '../approval/queue.js'

/** An order as the broker or the journal reports it. */
export type FollowedOrder = AnswerOf<'orderstatus'>['data'] & { mode: 'live' | 'analyze' }

export function showOrder(out: Output, order: FollowedOrder): Promise<void> {
  const id = order.orderid ? 'orderid' : 'order_ref'
  return out.record({ record: order, fields: DETAIL_FIELDS, id })
}

/** The object to follow: an order, or an approval that becomes an order. */
export interface Followed {
  /** The broker's id or our reference. */
  orderId: string | undefined
  approvalId: string | undefined
  strategy: string
  timeoutMs: number | undefined
}

/** Pauses between two checks: short at first, because most orders end at once. */
const PAUSES_MS = [100, 200, 400, 800, 1000] as const

/** A status of the broker's book, or a state of the journal. */
type OrderState =
  | NonNullable<FollowedOrder['order_status']>
  | Extract<FollowedOrder, { state: unknown }>['state']

/** The exit status for each final state of an order; undefined while it is open. */
const ENDS: Readonly<Record<OrderState, ExitStatus | undefined>> = {
  claimed: undefined,
  sending: undefined,
  unknown: undefined,
  accepted: undefined,
  triggered: undefined,
  partial: undefined,
  open: undefined,
  'trigger pending': undefined,
  complete: EXIT.done,
  filled: EXIT.done,
  rejected: EXIT.refused,
  cancelled: EXIT.refused,
  // Its session is over, and its end is not known.
  lapsed: EXIT.unknown,
}

/** Waits until the order has ended, its approval included; the exit status is its outcome. */
export async function followOrder(context: Context, followed: Followed): Promise<ExitStatus> {
  const until = followed.timeoutMs === undefined ? Infinity : context.io.now() + followed.timeoutMs
  const orderId =
    followed.approvalId === undefined
      ? followed.orderId
      : await afterApproval(context, followed.approvalId, until)
  if (orderId === undefined) throw new CliError(EXIT.failed, 'The answer contains no order to wait for.')
  const order = await poll(context, until, `Order ${orderId}`, `svc order status ${orderId}`, async () => {
    const data = await orderStatus(context, orderId, followed.strategy)
    return endOf(data) === undefined ? undefined : data
  })
  await showOrder(context.out, order)
  return endOf(order) ?? EXIT.failed
}

function endOf(order: FollowedOrder): ExitStatus | undefined {
  const state = member(order, 'order_status') ?? member(order, 'state')
  return state && ENDS[state]
}

/** Returns an order with the same fields and meanings in Live and Analyzer mode. */
export async function orderStatus(
  context: Context,
  orderId: string,
  strategy: string,
): Promise<FollowedOrder> {
  const { body } = await context.apiRead('orderstatus', { strategy, orderid: orderId })
  const mode: FollowedOrder['mode'] = member(body, 'mode') ?? 'live'
  return { ...body.data, mode, ...(isAtMarket(member(body.data, 'pricetype')) && { price: 0 }) }
}

/** Returns the order of an approval; a refusal ends the command. */
async function afterApproval(context: Context, approvalId: string, until: number): Promise<string> {
  context.out.note(`Waiting for approval ${approvalId} …`)
  return poll(context, until, `Approval ${approvalId}`, `svc approval show ${approvalId}`, async () => {
    const row = await findApproval(context, approvalId)
    if (row.status === 'rejected') {
      throw refused(`Approval ${approvalId} was rejected: ${row.rejected_reason ?? 'no reason given'}.`)
    }
    // A daemon of another version may know more states.
    if (row.status !== 'pending' && row.status !== 'approved') {
      throw refused(`Approval ${approvalId} ended as ${String(row.status)}; nothing was executed.`)
    }
    if (row.broker_status === 'rejected') {
      throw refused(`The order was approved, but refused: ${row.execution_error ?? 'no reason given'}.`)
    }
    // A row that is still executing has its reference already, but only its end tells why an order was
    // refused.
    if (row.status !== 'approved' || row.execution === 'executing') return undefined
    return row.broker_order_id ?? row.order_ref ?? undefined
  })
}

function refused(message: string): CliError {
  return new CliError(EXIT.refused, message, { code: 'refused' })
}

/** Returns whether the same read may succeed later. */
function isTransient(thrown: unknown): boolean {
  return (
    thrown instanceof CliError &&
    [EXIT.failed, EXIT.noDaemon, EXIT.rateLimited, EXIT.unknown].some((exit) => exit === thrown.exit)
  )
}

async function poll<T>(
  context: Context,
  until: number,
  subject: string,
  look: string,
  read: () => Promise<T | undefined>,
): Promise<T> {
  for (let turn = 0; ; turn++) {
    const isLast = context.io.now() >= until
    const result = await read().catch((thrown: unknown) => {
      // With a time limit, a read that fails is repeated until then.
      if (until === Infinity || isLast || !isTransient(thrown)) throw thrown
      return undefined
    })
    if (result !== undefined) return result
    if (isLast) {
      throw new CliError(EXIT.failed, `${subject} is still open at the end of --wait-timeout.`, {
        code: 'timeout',
        hint: `Check it with: ${look}`,
      })
    }
    await context.io.sleep(PAUSES_MS[turn] ?? 1000)
  }
}
