import { isObject, member, textMember } from '../../../client/answers/json.js'
import { isQueued } from '../../../client/answers/queued.js'
import type { AnswerOf } from '../../../client/endpoints.js'
import type { Context, UncheckedBody } from '../../framework/context.js'
import { CliError, exitOf, usageError } from '../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'
import { failureOf } from '../../http/client.js'
import { showResults } from './send.js'

type BasketBody = UncheckedBody<'basketorder'>
type Order = Readonly<Record<string, unknown>>

/** What the daemon would do with one order of a basket. */
interface Checked {
  order_num: number
  symbol: string
  exchange: string
  action: string
  quantity: unknown
  status: 'ok' | 'refused'
  value: number | null
  margin: number | null
  message: string
}

const CHECKED = [
  { key: 'order_num', title: '#' },
  { key: 'symbol' },
  { key: 'exchange', title: 'EXCH', leaves: 2 },
  { key: 'action', kind: 'status' },
  { key: 'quantity', title: 'QTY', kind: 'quantity' },
  { key: 'status', kind: 'status' },
  { key: 'value', title: 'VALUE ₹', kind: 'money', leaves: 3 },
  { key: 'margin', title: 'MARGIN ₹', kind: 'money', leaves: 4 },
  { key: 'message', below: { status: ['refused'] } },
] as const

/** A basket may have more orders than the daemon takes in a second. */
const WAIT_MS = 1000
const MOST_WAITS = 60

/** Checks every order of a basket by a dry run, one after the other. Nothing is sent. */
export async function checkBasket(context: Context, body: BasketBody): Promise<readonly Checked[]> {
  const checked: Checked[] = []
  for (const [index, order] of ordersOf(body).entries()) {
    checked.push(
      await checkOrder(context, { strategy: textMember(body, 'strategy') ?? 'cli', ...order }, index + 1),
    )
  }
  return checked
}

async function checkOrder(context: Context, order: Order, number: number): Promise<Checked> {
  const call = { ...context.apiCall('placeorder', order), headers: { 'x-dry-run': '1' }, changes: false }
  let answer = await context.client().ask(call)
  for (let tries = 0; answer.code === 'rate_limited' && tries < MOST_WAITS; tries++) {
    await context.io.sleep(WAIT_MS)
    answer = await context.client().ask(call)
  }
  const exit = answer.status < 400 ? EXIT.done : exitOf(answer.code, answer.status)
  // Neither of them says anything about the order.
  if (exit === EXIT.denied || exit === EXIT.rateLimited) {
    throw failureOf(answer, call, context.shownContext?.name)
  }
  const failed = (member(answer.body, 'checks') ?? []).filter(({ ok }) => !ok)
  const isRefused = answer.status >= 400
  const words = isRefused
    ? (textMember(answer.body, 'message') ?? `status ${answer.status}`)
    : failed.map(({ message, rule }) => message ?? rule).join('; ')
  return {
    order_num: number,
    symbol: textMember(order, 'symbol') ?? '',
    exchange: textMember(order, 'exchange') ?? '',
    action: (textMember(order, 'action') ?? '').toUpperCase(),
    quantity: order.quantity ?? null,
    status: isRefused || failed.length > 0 ? 'refused' : 'ok',
    value: member(answer.body, 'value') ?? null,
    margin: member(answer.body, 'margin_required') ?? null,
    message: words,
  }
}

/** Shows the checks. @returns 5 if an order would be refused */
export async function showChecks(context: Context, checked: readonly Checked[]): Promise<ExitStatus> {
  await context.out.list({ rows: checked, columns: CHECKED, id: 'symbol', empty: 'The basket is empty.' })
  return checked.every(({ status }) => status === 'ok') ? EXIT.done : EXIT.refused
}

/**
 * Checks a basket that was not sent under its key before: a repeated one gets the answer of the first, whatever the checks
 * would say now.
 * @throws CliError (5) if an order would be refused, after it has shown the checks: then nothing is sent
 */
export async function requireAll(context: Context, body: BasketBody, key: string | undefined): Promise<void> {
  if (key !== undefined && (await wasSent(context, key))) return
  const checked = await checkBasket(context, body)
  const refused = checked.filter(({ status }) => status === 'refused').length
  if (refused === 0) return
  await showChecks(context, checked)
  throw new CliError(
    EXIT.refused,
    `${refused} of ${checked.length} orders would be refused; nothing was sent.`,
    {
      code: 'refused',
      hint: 'Without --all-or-nothing the others are placed.',
    },
  )
}

/** How long the daemon keeps the answer of a key, with a margin for clocks. */
const KEY_KEPT_MS = 23.5 * 3_600_000
/** More retries of one basket would be no retries. */
const MOST_RETRIES = 50

/**
 * Places again only those orders of a basket that certainly failed. The answers of the key and of its earlier retries are
 * asked for again, which sends nothing. Every retry has a key of its own that follows from the first, so a repeated command
 * never places an order twice. An order in doubt is not retried.
 */
export async function retryFailed(context: Context, body: BasketBody, key: string): Promise<ExitStatus> {
  let left = body
  let mode: Mode = null
  for (let attempt = 0; attempt <= MOST_RETRIES; attempt++) {
    const name = attempt === 0 ? key : `${key}~${attempt}`
    const asked = await askedBefore(context, name)
    if (asked === undefined && attempt === 0) {
      throw new CliError(EXIT.notFound, `No basket of the last day has the key ${key}.`, {
        code: 'not_found',
        hint: 'Without --retry-failed the whole basket is placed.',
      })
    }
    const isAnswered = asked?.isAnswered === true
    // A refused retry sent nothing, wherever orders went then.
    if (isAnswered || attempt === 0) mode = asked?.mode ?? null
    if (!isAnswered) await requireMode(context, mode)
    const answer = await send(context, left, name)
    if (!isAnswered) return showResults(context, answer)
    requireSettled(context, answer, asked.since)
    const failed = failedIn(left, answer)
    if (failed.length === 0) {
      context.out.note('Nothing to retry: no order of the basket certainly failed.')
      return showResults(context, answer)
    }
    left = { ...left, orders: failed }
  }
  throw usageError(`The basket was retried ${MOST_RETRIES} times.`)
}

async function send(context: Context, body: BasketBody, key: string): Promise<AnswerOf<'basketorder'>> {
  context.out.note(`idempotency key: ${key}`)
  const call = {
    ...context.apiCall('basketorder', body),
    headers: { 'idempotency-key': key },
    followUp: 'Repeat the command: it never places an order twice.',
  }
  return (await context.client().send(call)).body
}

type Mode = 'live' | 'analyze' | null

/** What the daemon knows of a key. */
interface Asked {
  /** Epoch milliseconds. */
  since: number
  /** Where its orders went. */
  mode: Mode
  /** False if the request was refused as a whole: nothing is kept under the key, and a repeat places its orders. */
  isAnswered: boolean
}

/**
 * Returns what the daemon knows of a key; undefined if it knows nothing. A key whose answer has expired would place its orders
 * again.
 */
async function askedBefore(context: Context, key: string): Promise<Asked | undefined> {
  const entries = await entriesOf(context, key)
  if (entries === undefined) return undefined
  const requests = entries.filter(({ kind }) => kind === 'request')
  // Requests are kept for a time, and may be lost in a crash: then a repeat is the oldest. The orders are older.
  const since = Math.min(...entries.map(({ at }) => Date.parse(at)))
  // A repeat has its own record.
  const ran = requests.find(wentOn) ?? requests.at(-1)
  if (ran !== undefined && context.io.now() - since < KEY_KEPT_MS) {
    return { since, mode: ran.mode, isAnswered: wentOn(ran) }
  }
  throw new CliError(EXIT.refused, `The answer of the key ${key} is no longer kept, or not known.`, {
    code: 'refused',
    hint: 'Look which orders were placed: svc order list; then place the others.',
  })
}

/** How long a repeat of a key sends what a stop of the daemon left unsent, with a margin for clocks. */
const RESUMED_MS = 16 * 60_000

/** @throws CliError (5) if a later repeat of the key may itself send one of its orders: a retry would be the second */
function requireSettled(context: Context, answer: AnswerOf<'basketorder'>, since: number): void {
  const results = member(answer, 'results') ?? []
  const isOpen = results.some((row) => row.status === 'error' && row.message?.startsWith('Not sent:'))
  if (!isOpen || context.io.now() - since > RESUMED_MS) return
  throw new CliError(
    EXIT.refused,
    'The daemon stopped before it came to some orders; the same key may still send them.',
    {
      code: 'refused',
      hint: 'Repeat the basket with its key and without --retry-failed, or retry 16 minutes after it was placed.',
    },
  )
}

/** @throws CliError (5) if orders now go elsewhere than those of the basket went: its other orders are not there */
async function requireMode(context: Context, mode: Mode): Promise<void> {
  const now = (await context.apiRead('desk', {})).body.data.mode
  if (mode === null || mode === now) return
  const [was, is] = mode === 'analyze' ? ['simulated', 'live'] : ['live', 'simulated']
  throw new CliError(EXIT.refused, `The basket was ${was}; orders are ${is} now. Nothing was sent.`, {
    code: 'refused',
    hint: `Retry while orders are ${was} (svc analyze status), or place the basket under a new key.`,
  })
}

/** Returns whether a request under a key went further than a refusal. */
async function wasSent(context: Context, key: string): Promise<boolean> {
  const entries = await entriesOf(context, key)
  return entries?.some((entry) => entry.kind === 'request' && wentOn(entry)) === true
}

const wentOn = ({ state }: { state: string | null }) => state !== 'refused'

/** Returns what is recorded about a key; undefined if nothing is. */
async function entriesOf(context: Context, key: string) {
  try {
    return (await context.apiRead('why', { id: `key:${key}` })).body.data.entries
  } catch (thrown) {
    if (thrown instanceof CliError && thrown.exit === EXIT.notFound) return undefined
    throw thrown
  }
}

/** Returns the orders that certainly failed, in the order of the results: buy orders first. */
function failedIn(body: BasketBody, answer: AnswerOf<'basketorder'>): readonly Order[] {
  if (isQueued(answer)) {
    throw new CliError(EXIT.refused, `The basket waits for approval ${answer.pending_order_id}.`, {
      code: 'refused',
      hint: `Decide it: svc approval show ${answer.pending_order_id}`,
    })
  }
  const orders = ordersOf(body)
  const sorted = ['BUY', 'SELL'].flatMap((side) =>
    orders.filter((order) => (textMember(order, 'action') ?? '').toUpperCase() === side),
  )
  const results = member(answer, 'results') ?? []
  if (results.length !== sorted.length) {
    throw new CliError(
      EXIT.failed,
      'The answer does not fit the basket: compare the file with the first one.',
    )
  }
  return sorted.filter((order, index) => {
    const row = results[index]
    if (row === undefined || row.symbol !== textMember(order, 'symbol')) return false
    // An order in doubt has a reference to follow; it may have been placed.
    return row.status === 'error' && textMember(row, 'order_ref') === undefined
  })
}

function ordersOf(body: BasketBody): readonly Order[] {
  const orders = Reflect.get(body, 'orders')
  return Array.isArray(orders) ? orders.filter(isObject) : []
}
