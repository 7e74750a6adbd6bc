import type { Approval } from '../../../views/approvals/approval.js'
import type { ApprovalPlan } from '../../../views/approvals/plan.js'
import { countText } from '../../../views/text/count.js'
import type { Input } from '../../framework/command/command.js'
import type { OptionSpec } from '../../framework/command/option.js'
import type { Context } from '../../framework/context.js'
import { usageError } from '../../framework/errors.js'
import { symbolOf } from '../market/symbols.js'
import { readPlan } from './plan.js'
import { queueView, readQueue } from './queue.js'

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

/** What the help of a command with a filter says. */
export const FILTERED =
  'With a filter instead of ids, the matching orders are listed first, and one question is asked for all of them; a script answers it with --yes. An order that came after the list, or that no longer matches or would trade another size than the list showed, is left out and named.'

/** The most orders that the daemon plans at once. */
const MOST_PLANNED = 100

/** A filter of waiting orders. Amounts are in rupees and percent. */
interface Filter {
  strategy: string | undefined
  symbol: string | undefined
  exchange: string | undefined
  maxValue: number | undefined
  maxDrift: number | undefined
}

/**
 * Returns the filter of a command line; undefined if it has ids.
 * @throws a usage error for both, or for neither
 */
export function filterOf(input: Input, ids: readonly string[]): Filter | undefined {
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

/**
 * Lists the waiting orders that match, asks once, and reads them again.
 * @returns the ids of those that are as they were shown; none if nothing matches
 */
export async function confirmMatching(context: Context, filter: Filter, verb: string): Promise<string[]> {
  const seen = await matching(context, filter)
  if (seen.length === 0) {
    context.out.note('No waiting order matches.')
    return []
  }
  // Every one of them: nobody approves what was not shown.
  await context.out.preview(
    queueView(
      context,
      seen.map(({ row }) => row),
    ),
    seen.length,
  )
  await context.prompts.confirm(`${verb} ${seen.length === 1 ? 'this order' : `these ${seen.length} orders`}`)
  const now = new Map((await matching(context, filter)).map(({ content, row }) => [row.id, content]))
  const [same, changed] = [true, false].map((isSame) =>
    seen
      .filter(({ content, row }) => (now.get(row.id) === content) === isSame)
      .map(({ row }) => String(row.id)),
  )
  if (changed !== undefined && changed.length > 0)
    await context.out.warn(
      `${countText(changed.length, 'order')} changed since the list, and ${changed.length === 1 ? 'is' : 'are'} left out: ${changed.join(', ')}`,
    )
  return (same ?? []).toReversed()
}

/** A waiting order with what its approval would send now, as text. */
interface Match {
  row: Approval
  content: string
}

type Planned = ApprovalPlan['orders'][number]

async function matching(context: Context, filter: Filter): Promise<readonly Match[]> {
  const { exchange, maxDrift, maxValue, strategy, symbol } = filter
  const rows = await readQueue(context, { status: 'pending', strategy, symbol, exchange })
  const worth = rows.filter(({ value }) => within(value, maxValue))
  const planned = new Map<number, Planned>()
  for (let start = 0; start < worth.length; start += MOST_PLANNED) {
    const ids = worth.slice(start, start + MOST_PLANNED).map(({ id }) => id)
    for (const order of (await readPlan(context, ids)).orders) planned.set(order.id, order)
  }
  return worth.flatMap((row) => {
    const order = planned.get(row.id)
    return order === undefined || !isNear(order, maxDrift) ? [] : [{ row, content: contentOf(order) }]
  })
}

function isNear({ legs }: Planned, maxDrift: number | undefined): boolean {
  // Of a request that cannot be planned now no leg is known, and so no drift.
  if (maxDrift !== undefined && legs.length === 0) return false
  return legs.every(({ drift_percent: drift }) => within(drift === null ? null : Math.abs(drift), maxDrift))
}

function within(value: number | null | undefined, most: number | undefined): boolean {
  return most === undefined || (value !== null && value !== undefined && value <= most)
}

/** Returns what an approval would send: its legs without the prices of the market. */
function contentOf({ legs }: Planned): string {
  return JSON.stringify(
    legs.map(({ action, exchange, price, pricetype, product, quantity, symbol, trigger_price: trigger }) => {
      return [symbol, exchange, action, quantity, pricetype, product, price, trigger]
    }),
  )
}
