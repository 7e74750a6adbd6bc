import { textMember } from '../../../client/answers/json.js'
import { type ApprovalPlan, legTerms, type PlannedOrder } from '../../../views/approvals/plan.js'
import type { Context } from '../../framework/context.js'
import { CliError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { readPlan } from './plan.js'

/** Checks an approval right before it is sent. @throws CliError if it must not be sent */
export type BeforeApproval = (id: string) => Promise<void>

/** Returns why an order is not to be approved any more. */
type Limit = (order: PlannedOrder) => string | undefined

/**
 * Returns a check that an approval would still send what the person saw. What a request sends depends on the positions, the
 * prices and the mode of the moment, and every approval before it changes the positions. After the first that would send
 * anything else, all later ones are refused as well: the person decided about a whole list.
 * @param limit refuses one order, and not those after it
 */
export function sameAsShown(
  context: Context,
  seen: ApprovalPlan,
  limit: Limit = () => undefined,
): BeforeApproval {
  const shown = new Map(seen.orders.map((order) => [String(order.id), order]))
  let first: string | undefined
  return async (id) => {
    if (first !== undefined) throw notApproved(id, `approval ${first} is no longer as it was shown`)
    const before = shown.get(id)
    if (before === undefined) return
    const now = await withinLimit(context, () => readPlan(context, [Number(id)]))
    const [order] = now.orders
    // It does not wait any more. The daemon refuses it, and knows who decided.
    if (order === undefined) return
    const change = changeOf([placeOf(seen), placeOf(now)]) ?? changeOf([ordersOf(before), ordersOf(order)])
    if (change !== undefined) {
      first = id
      throw notApproved(id, change)
    }
    const problem = limit(order)
    if (problem !== undefined) throw notApproved(id, problem)
  }
}

function changeOf([shown, now]: readonly [string, string]): string | undefined {
  return shown === now ? undefined : `now it would send ${now}, and shown was ${shown}`
}

/** Returns what an approval would send, in words: two orders with the same words send the same. */
function ordersOf({ legs, note }: PlannedOrder): string {
  const sent = legs.map((leg) => (leg.problem === undefined ? legTerms(leg) : `no ${legTerms(leg)}`))
  return sent.length === 0 ? `nothing (${note ?? 'no order'})` : sent.join(', ')
}

function placeOf({ broker, mode }: ApprovalPlan): string {
  return mode === 'live' ? `LIVE to ${broker}` : 'to the simulated account'
}

function notApproved(id: string, why: string): CliError {
  return new CliError(EXIT.refused, `Approval ${id} was not approved: ${why}.`, {
    code: 'refused',
    hint: 'Repeat the command to see what is sent now.',
  })
}

/** A list may have more orders than the daemon answers in a second. */
const PAUSE_MS = 1000
const MOST_TRIES = 60

/** Sends a request again after a pause while the daemon's own limit of calls refuses it, which is before it does anything. */
export async function withinLimit<T>(context: Context, send: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await send()
    } catch (thrown) {
      if (!isOverLimit(thrown) || tries === MOST_TRIES) throw thrown
      await context.io.sleep(PAUSE_MS)
    }
  }
}

/** A `warning` is about an order that was approved: the limit was that of the broker. */
function isOverLimit(thrown: unknown): boolean {
  if (!(thrown instanceof CliError) || thrown.code !== 'rate_limited') return false
  return textMember(Object(thrown.response), 'status') !== 'warning'
}
