import type { Approval } from '../../../views/approvals/approval.js'
import type { Context } from '../../framework/context.js'
import { CliError, usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { findApproval } from '../approval/queue.js'

/* The names that -q prints: an order may be placed at once or wait for approval, and ids alone do not tell. */

type Noun = 'order' | 'approval'
const NAME = /^(order|approval)\/(.+)$/

/** Returns the name of an order or an approval, as `svc order place -q` prints it. */
export function resourceName(noun: Noun, id: string | number): string {
  return `${noun}/${id}`
}

/** Splits a name into its noun and id; a bare id has no noun. */
function split(word: string): { noun: Noun | undefined; id: string } {
  const [, noun, id] = NAME.exec(word) ?? []
  return { noun: noun === 'order' || noun === 'approval' ? noun : undefined, id: id ?? word }
}

/** Returns the id of an approval from `approval/6` or `6`. @throws a usage error for anything else */
export function approvalId(word: string): string {
  const { noun, id } = split(word)
  if (noun === 'order') {
    throw usageError(`${word} is an order, not an approval.`, `See it: svc order status ${word}`)
  }
  if (!/^[1-9]\d*$/.test(id)) {
    throw usageError(`${word} is not the number of an approval.`, 'List them: svc approval list')
  }
  return id
}

/** The end of a list of ids that was too long to store: only the first one is known. */
const SHORTENED = / \(\+\d+ more\)$/

/** Returns the orders of an approval, none before it was sent; `others` says that there are more than are known. */
export function ordersOf({ broker_order_id, order_ref }: Pick<Approval, 'broker_order_id' | 'order_ref'>): {
  ids: readonly string[]
  others: boolean
} {
  const joined = broker_order_id ?? order_ref
  if (!joined) return { ids: [], others: false }
  return { ids: joined.replace(SHORTENED, '').split(','), others: SHORTENED.test(joined) }
}

/**
 * Returns the id of an order from `order/2611…`, a bare id, or the approval that it came from.
 * @throws CliError when the approval has no order, or several
 */
export async function orderId(context: Context, word: string): Promise<string> {
  const [first = word, ...others] = await orderIds(context, word)
  if (others.length === 0) return first
  throw usageError(`${word} has ${others.length + 1} orders.`, `Name one of them: svc order status ${word}`)
}

/**
 * Returns the ids of the orders of an approval, and of any other word the id of its order.
 * @throws CliError when the approval has no order
 */
export async function orderIds(context: Context, word: string): Promise<readonly string[]> {
  const { noun, id } = split(word)
  if (noun !== 'approval') return [id]
  const approval = await findApproval(context, id)
  const { ids, others } = ordersOf(approval)
  if (others) context.out.note(`Approval ${id} has more orders than are shown. See all: svc order list`)
  if (ids.length > 0) return ids
  const { status } = approval
  const hint = status === 'pending' ? `Decide it: svc approval approve ${id}, or reject ${id}` : undefined
  throw new CliError(EXIT.notFound, `Approval ${id} is ${status} and has no order.`, {
    code: 'not_found',
    ...(hint !== undefined && { hint }),
  })
}

/** Returns the id of an order without asking the daemon. @throws a usage error for the name of an approval */
export function plainOrderId(word: string): string {
  const { noun, id } = split(word)
  if (noun !== 'approval') return id
  throw usageError(`${word} is an approval, not an order.`, `See it: svc approval show ${id}`)
}
