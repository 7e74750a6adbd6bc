import type { RouteAnswer } from '../../client/endpoints.js'
import { rupees } from '../table/cells.js'
import type { Column } from '../table/column.js'

export type ApprovalPlan = RouteAnswer<'POST /action-center/plan'>['data']

export type PlannedOrder = ApprovalPlan['orders'][number]

type Leg = PlannedOrder['legs'][number]

/** A leg as a person sees it: the verdicts in words, and the request that it belongs to. */
export type ShownLeg = Omit<Leg, 'checks'> & { id: number; checks: string }

/** The orders that an approval would send. */
export const LEG_COLUMNS = [
  { key: 'id', title: 'APPROVAL', kind: 'quantity', leaves: 1 },
  { key: 'action', kind: 'status' },
  { key: 'quantity', title: 'QTY', kind: 'quantity' },
  { key: 'symbol' },
  { key: 'exchange', title: 'EXCH', leaves: 7 },
  { key: 'product', leaves: 4 },
  { key: 'pricetype', title: 'TYPE', leaves: 3 },
  { key: 'price', kind: 'price', leaves: 2 },
  { key: 'trigger_price', title: 'TRIGGER', kind: 'price', leaves: 9 },
  { key: 'instructions', title: 'ASKS', wide: true },
  { key: 'last_price', title: 'LAST', kind: 'price', leaves: 5 },
  { key: 'drift_percent', title: 'DRIFT %', kind: 'signed', leaves: 8 },
  { key: 'value', title: 'VALUE ₹', kind: 'money' },
  { key: 'margin', title: 'MARGIN ₹', kind: 'money', leaves: 10 },
  { key: 'checks' },
] as const satisfies readonly Column[]

/** The orders of which one plan has the legs. */
const PAGE = 100

/**
 * Reads the plan of any number of waiting orders, with all their legs, oldest first; undefined if none of them waits. Its
 * totals are those of the last page.
 * @param mostLegs the plan ends after the page with which it has so many legs
 */
export async function planInPages(
  ids: readonly number[],
  read: (page: readonly number[]) => Promise<ApprovalPlan>,
  mostLegs = Number.MAX_SAFE_INTEGER,
): Promise<ApprovalPlan | undefined> {
  const oldestFirst = ids.toSorted((one, other) => one - other)
  let plan: ApprovalPlan | undefined
  let legs = 0
  for (let start = 0; start < oldestFirst.length && legs < mostLegs; start += PAGE) {
    const page = await read(oldestFirst.slice(start, start + PAGE))
    plan = { ...page, orders: [...(plan?.orders ?? []), ...page.orders] }
    legs += page.orders.reduce((sum, order) => sum + order.legs.length, 0)
  }
  return plan === undefined || plan.orders.length === 0 ? undefined : plan
}

/** Returns what a person saw who was shown this order in this plan. The daemon refuses to send anything else. */
export function expectedOf({ broker, mode }: Pick<ApprovalPlan, 'broker' | 'mode'>, order: PlannedOrder) {
  return { mode, broker, legs: termsIn(order) }
}

/** Returns what a person saw of a whole plan. The orders that it does not have stay pending. */
export function expectedOfAll({ broker, mode, orders }: ApprovalPlan) {
  return { mode, broker, orders: orders.map((order) => ({ id: order.id, legs: termsIn(order) })) }
}

/** Returns what each leg asks of the broker, which alone is compared: a plan of many orders must fit into a request. */
function termsIn({ legs }: PlannedOrder) {
  return legs.map(
    ({ action, exchange, instructions, price, pricetype, product, quantity, symbol, trigger_price }) => ({
      ...{ symbol, exchange, action, quantity, pricetype, product, price, trigger_price },
      ...(instructions !== undefined && { instructions }),
    }),
  )
}

/** Returns every leg of a plan as a row. */
export function shownLegs({ orders }: Pick<ApprovalPlan, 'orders'>): readonly ShownLeg[] {
  return orders.flatMap(({ id, legs }) => legs.map((leg) => ({ ...leg, id, checks: verdictOf(leg) })))
}

/** The verdict of a leg that nothing refuses. */
export const PASSES = 'pass'

/** Returns why a leg would be refused, or that its checks pass. */
export function verdictOf({ checks, problem }: Leg): string {
  const failed = checks.filter(({ ok }) => !ok).map(({ message, rule }) => message ?? rule)
  const texts = problem === undefined ? failed : [problem, ...failed]
  return texts.length === 0 ? PASSES : texts.join('; ')
}

/** Returns what is said of an order beside its legs: another mode, why nothing is sent, or why it is refused now. */
export function notesOf(order: PlannedOrder): readonly string[] {
  const { margin, mode_change: modeChange, note, one_of: isOneOf, refusal } = order
  return [
    ...(modeChange === undefined ? [] : [modeChange]),
    ...(note === undefined ? [] : [note]),
    ...(refusal === undefined ? [] : [refusal]),
    ...(isOneOf ? ['only one of its orders is sent'] : []),
    ...(margin === null ? [] : [`margin ${rupees(margin)}`]),
  ]
}

/** Returns the legs of an order as fields of its record, a line each. */
export function legFields(order: PlannedOrder): Readonly<Record<string, string>> {
  return Object.fromEntries(legLines(order).map((line, index) => [`leg${index}`, line]))
}

/** Returns the columns of {@link legFields}, of which only the first has the title. */
export function legColumns(order: PlannedOrder): readonly Column[] {
  return legLines(order).map((_, index) => ({ key: `leg${index}`, title: index === 0 ? 'WOULD SEND' : ' ' }))
}

/** Returns each leg in a line, and what is said of the order: `BUY 10 NSE:SBIN MIS LIMIT 812.5, last 813, value ₹8,125.00, checks pass`. */
export function legLines(order: PlannedOrder): readonly string[] {
  const { legs, margin } = order
  const [only, ...others] = legs
  const isOne = only !== undefined && others.length === 0
  const notes = isOne ? notesOf({ ...order, margin: null }) : notesOf(order)
  return [...(isOne ? [legLine({ ...only, margin: only.margin ?? margin })] : legs.map(legLine)), ...notes]
}

/** Returns what a leg asks of the broker: `BUY 10 NSE:SBIN MIS LIMIT 812.5`. */
function legTerms(leg: Leg): string {
  const { action, exchange, instructions = '', price, pricetype, product, quantity, symbol } = leg
  const { trigger_price: trigger } = leg
  const parts = [
    action,
    quantity > 0 ? quantity : '',
    exchange === '' ? symbol : `${exchange}:${symbol}`,
    product,
    pricetype,
    price > 0 ? price : '',
    trigger > 0 ? `trigger ${trigger}` : '',
    instructions,
  ]
  return joined(parts, ' ')
}

function legLine(leg: Leg): string {
  const { drift_percent: drift, last_price: last, margin, value } = leg
  const facts = [
    last === null ? '' : `last ${last}`,
    drift === null || drift === 0 ? '' : `${drift > 0 ? '+' : ''}${drift} % since queued`,
    value === null ? 'value not known' : `value ${rupees(value)}`,
    margin === null ? '' : `margin ${rupees(margin)}`,
    `checks: ${verdictOf(leg)}`,
  ]
  return joined([legTerms(leg), ...facts], ', ')
}

function joined(parts: readonly unknown[], by: string): string {
  return parts.filter((part) => part !== '').join(by)
}
