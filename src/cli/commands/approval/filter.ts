import type { Approval } from '../../../views/approvals/approval.js'
import { type ApprovalPlan, legLines, type PlannedOrder } from '../../../views/approvals/plan.js'
import { type ApprovalRule, beyondRule, sendsSomething } from '../../../views/approvals/rule.js'
import type { Input } from '../../framework/command/command.js'
import type { OptionSpec } from '../../framework/command/option.js'
import type { Context } from '../../framework/context.js'
import { CliError, usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { sessionDestination, showLook } from '../../io/confirm.js'
import { symbolOf } from '../market/symbols.js'
import { lookOf, readPlan, readWholePlan, withOrders } from './plan.js'
import { queueView, readQueue } from './queue.js'
import { withinLimit } from './within-limit.js'

/** The options that choose waiting orders instead of their ids. */
export const FILTER_OPTIONS: readonly OptionSpec[] = [
  { flags: '--strategy <name>', summary: 'the waiting orders of this strategy', complete: 'strategies' },
  { flags: '--symbol <symbol>', summary: 'those of this symbol: SBIN or NSE:SBIN', complete: 'symbols' },
  { flags: '--max-value <rupees>', summary: 'those worth at most so much; one of unknown value is left out' },
  {
    flags: '--max-drift <percent>',
    summary:
      'those whose price has moved by at most so much since they were queued; of unknown drift, left out',
  },
]

/** What the help says of an approval by filter, and of a rejection. */
export const APPROVED_BY_FILTER =
  'With a filter instead of ids, every order that would be sent is shown first, with mode, broker and value, and one question is asked for all; a script answers it with --yes. The daemon compares each approval with that list in the moment in which it sends it. The first that would send anything else, such as another size, to another broker or in another mode, ends the command: it and those after it are named, and stay in the queue. Left out are requests that would send nothing now, and those beyond a limit of the filter.'
export const REJECTED_BY_FILTER =
  'With a filter instead of ids, the matching orders are listed first, and one question is asked for all of them; a script answers it with --yes. An order that came after the list stays in the queue.'

/**
 * Returns the filter of a command line; undefined if it has ids.
 * @throws a usage error for both, or for neither
 */
export function filterOf(input: Input, ids: readonly string[]): ApprovalRule | undefined {
  const isGiven = ['strategy', 'symbol', 'maxValue', 'maxDrift'].some((name) => input.isGiven(name))
  if (!isGiven && ids.length > 0) return undefined
  if (isGiven && ids.length > 0) throw usageError('Give ids or a filter, not both.')
  if (!isGiven)
    throw usageError(
      'Give the ids of approvals, or a filter: --strategy, --symbol, --max-value, --max-drift.',
    )
  const word = input.text('symbol')
  const { symbol, exchange } = word === undefined ? {} : symbolOf(word, undefined)
  return {
    strategy: input.text('strategy'),
    symbol,
    exchange,
    maxValue: atLeastZero(input, 'maxValue', '--max-value'),
    maxDrift: atLeastZero(input, 'maxDrift', '--max-drift'),
  }
}

function atLeastZero(input: Input, name: string, option: string): number | undefined {
  const value = input.number(name)
  if (value !== undefined && value < 0) throw usageError(`${option} must be at least 0, was "${value}".`)
  return value
}

/** Checks an approval right before it is sent. @throws CliError if it must not be sent */
export type BeforeApproval = (id: string) => Promise<void>

/** The approvals that a person agreed to, oldest first. */
interface Agreed {
  ids: string[]
  /** What was shown of them. */
  plan?: ApprovalPlan
  before?: BeforeApproval
}

/** Shows what the approval of the orders that match would send, and asks once. */
export async function confirmApproval(context: Context, filter: ApprovalRule): Promise<Agreed> {
  const all = await readWholePlan(context, numbersOf(await waiting(context, filter)))
  if (all === undefined) return nothingMatches(context, filter)
  const matching = all.orders.filter((order) => beyondRule(order, filter) === undefined)
  const orders = matching.filter(sendsSomething)
  await tellIdle(
    context,
    matching.filter((order) => !sendsSomething(order)),
  )
  if (orders.length === 0) return nothingMatches(context, filter)
  const plan = withOrders(all, orders)
  await showLook(context, lookOf(plan, await sessionDestination(context)))
  await context.prompts.confirm(`Approve and execute ${allOf(orders)}`)
  return { ids: idsOf(orders), plan, ...(hasLimit(filter) && { before: withinFilter(context, filter) }) }
}

/** Returns a check that price and value of an approval are still within the limits of a filter. */
function withinFilter(context: Context, filter: ApprovalRule): BeforeApproval {
  return async (id) => {
    const [order] = (await withinLimit(context, () => readPlan(context, [Number(id)]))).orders
    // It does not wait any more. The daemon refuses it, and knows who decided.
    const problem = order && beyondRule(order, filter)
    if (problem === undefined) return
    throw new CliError(EXIT.refused, `Approval ${id} was not approved: ${problem}.`, {
      code: 'refused',
      hint: 'Repeat the command to see what is sent now.',
    })
  }
}

/** Lists the waiting orders that match, and asks once whether to reject them. */
export async function confirmRejection(context: Context, filter: ApprovalRule): Promise<Agreed> {
  const all = await waiting(context, filter)
  const rows = hasLimit(filter) ? await within(context, all, filter) : all
  if (rows.length === 0) return nothingMatches(context, filter)
  await context.out.preview(queueView(context, rows), rows.length)
  await context.prompts.confirm(`Reject ${allOf(rows)}`)
  return { ids: idsOf(rows) }
}

function nothingMatches(context: Context, filter: ApprovalRule): Agreed {
  context.out.note(`No waiting order matches ${textOf(filter)}: nothing was done. See all: svc approval list`)
  return { ids: [] }
}

/** Returns a filter as the user gave it. */
function textOf({ exchange, maxDrift, maxValue, strategy, symbol }: ApprovalRule): string {
  const parts = {
    strategy,
    symbol: exchange === undefined ? symbol : `${exchange}:${symbol}`,
    'max-value': maxValue,
    'max-drift': maxDrift,
  }
  return Object.entries(parts)
    .flatMap(([name, value]) => (value === undefined ? [] : `--${name} ${value}`))
    .join(' ')
}

const numbersOf = (rows: readonly { id: number }[]): number[] => rows.map(({ id }) => id)

/** The oldest is decided first. */
const idsOf = (rows: readonly { id: number }[]): string[] =>
  numbersOf(rows)
    .toSorted((one, other) => one - other)
    .map(String)

const allOf = ({ length }: readonly unknown[]): string =>
  length === 1 ? 'this order' : `these ${length} orders`

/** Returns the waiting orders of a strategy and a symbol, in the order in which they are decided: the oldest first. */
async function waiting(
  context: Context,
  { exchange, strategy, symbol }: ApprovalRule,
): Promise<readonly Approval[]> {
  return (await readQueue(context, { status: 'pending', strategy, symbol, exchange })).toReversed()
}

/** Returns the rows that no limit of price or value excludes. */
async function within(
  context: Context,
  rows: readonly Approval[],
  filter: ApprovalRule,
): Promise<readonly Approval[]> {
  const { orders = [] } = (await readWholePlan(context, numbersOf(rows))) ?? {}
  const fit = new Set(orders.flatMap((order) => (beyondRule(order, filter) === undefined ? [order.id] : [])))
  return rows.filter(({ id }) => fit.has(id))
}

async function tellIdle(context: Context, idle: readonly PlannedOrder[]): Promise<void> {
  for (const order of idle)
    await context.out.warn(
      `approval ${order.id} would send nothing now, and is left out: ${legLines(order).join('; ')}`,
    )
}

const hasLimit = ({ maxDrift, maxValue }: ApprovalRule): boolean =>
  maxDrift !== undefined || maxValue !== undefined
