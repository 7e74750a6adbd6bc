import type { AnswerOf } from '../../../../client/endpoints.js'
import { rupees } from '../../../../views/table/cells.js'
import type { Context, UncheckedBody } from '../../../framework/context.js'
import { CliError } from '../../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../../framework/exit-codes.js'
import { noteNothingSent } from '../../../framework/live/dry-run.js'
import { type ResultRow, showRows } from '../results.js'
import { askedIn, type BasketBody, linesOf } from './lines.js'

type Answer = AnswerOf<'basketorder'>
type Preview = Extract<Answer | AnswerOf<'optionsmultiorder'>, { dry_run: true }>

/** The answer to a basket that was sent, or that waits for approval. */
export type Kept = Exclude<Answer, { dry_run: true }>

/** The texts of the public API speak of an exit order, also when the position is what was asked for. */
const AT_TARGET = /^(Positions Already Matched|No OpenPosition Found)\b/

/** Returns why a smart order needs no order, as a person reads it. */
export function noOrderText(message: string): string {
  return AT_TARGET.test(message) ? 'The position is already at the target: no order is needed.' : message
}

/** A basket may have many orders whose prices a broker is asked for. */
const CHECK_TIMEOUT_MS = 120_000

/**
 * Asks what would become of a basket under a key: the answer that is kept under it, or else what would become of each order.
 * Nothing is sent.
 */
export async function askBefore(
  context: Context,
  body: BasketBody,
  key: string | undefined,
): Promise<Answer> {
  // Its own id would be a second key.
  const { client_order_id: _, ...basket } = body
  const call = {
    ...context.apiCall('basketorder', basket),
    headers: { 'x-dry-run': '1', ...(key !== undefined && { 'idempotency-key': key }) },
    changes: false,
    timeoutMs: CHECK_TIMEOUT_MS,
  }
  return (await context.client().send(call)).body
}

export function isPreview(answer: Answer): answer is Extract<Answer, { dry_run: true }> {
  return 'dry_run' in answer
}

/** Shows what would become of each order of a basket. Nothing is sent. @returns 5 if one would be refused */
export async function checkBasket(context: Context, body: BasketBody): Promise<ExitStatus> {
  const answer = await askBefore(context, body, undefined)
  if (!isPreview(answer)) throw new CliError(EXIT.failed, 'The answer is not that to a dry run.')
  return showDryRun(context, answer, askedIn(linesOf(body)))
}

/**
 * Shows the orders that a request would become, such as the parts of a split. Nothing is sent.
 * @returns 5 if one would be refused
 */
export async function checkOrders(
  context: Context,
  name: 'placesmartorder' | 'splitorder' | 'optionsorder' | 'optionsmultiorder',
  body: UncheckedBody<typeof name>,
): Promise<ExitStatus> {
  const call = { ...context.apiCall(name, body), headers: { 'x-dry-run': '1' }, changes: false }
  const answer = (await context.client().send({ ...call, timeoutMs: CHECK_TIMEOUT_MS })).body
  if ('dry_run' in answer) return showDryRun(context, answer)
  const fields = [{ key: 'mode', kind: 'status' }, { key: 'message' }] as const
  await context.out.record({
    record: { ...answer, ...('message' in answer && { message: noOrderText(answer.message) }) },
    fields,
    id: 'message',
  })
  noteNothingSent(context, answer.mode ?? 'live')
  return EXIT.done
}

async function showDryRun(
  context: Context,
  answer: Preview,
  asked?: readonly ResultRow[],
): Promise<ExitStatus> {
  const refused = await showChecks(context, answer, asked)
  const { margin_required: margin, mode } = answer
  if (margin !== null) context.out.note(`Margin of the orders that would be placed: ${rupees(margin)}.`)
  noteNothingSent(context, mode)
  return refused === 0 ? EXIT.done : EXIT.refused
}

/**
 * Checks a whole basket, unless it was sent under its key before: then it gets the answer of the first, whatever the checks
 * would say now.
 * @throws CliError (5) if an order would be refused, after it has shown the checks: then nothing is sent
 */
export async function requireAll(context: Context, body: BasketBody, key: string | undefined): Promise<void> {
  const preview = await previewUnlessSent(context, body, key)
  if (!preview) return
  // The checks hold in the mode that they were made in. A basket that waits is checked again when it is approved.
  if (preview.mode !== 'semi_auto') context.live.bind(preview.mode)
  if (preview.orders.every(({ ok }) => ok)) return
  const refused = await showChecks(context, preview, askedIn(linesOf(body)))
  throw new CliError(
    EXIT.refused,
    `${refused} of ${preview.orders.length} orders would be refused; nothing was sent.`,
    { code: 'refused', hint: 'Without --all-or-nothing the others are placed.' },
  )
}

async function previewUnlessSent(
  context: Context,
  body: BasketBody,
  key: string | undefined,
): Promise<Preview | undefined> {
  try {
    const answer = await askBefore(context, body, key)
    return isPreview(answer) ? answer : undefined
  } catch (thrown) {
    // A basket in doubt, and one of which a repeat still sends a part, have used their key as well.
    const isUsed = thrown instanceof CliError && USED.has(thrown.code)
    if (!isUsed) throw thrown
    return undefined
  }
}

const USED: ReadonlySet<string> = new Set(['outcome_unknown', 'conflict'])

/**
 * Shows what would become of each order. A document may leave the reasons out, so they are notes, too.
 * @param asked what the request says of each order; without it they have the numbers of the answer
 * @returns the number of orders that would be refused
 */
async function showChecks(
  context: Context,
  { mode, orders }: Preview,
  asked: readonly ResultRow[] = [],
): Promise<number> {
  const rows = orders.map((order: Preview['orders'][number], index): ResultRow => {
    const { action, exchange, margin_required: margin, message, ok, order_num, pricetype, rule } = order
    const { price, quantity, symbol, trigger_price, value } = order
    const terms = { action, quantity, pricetype, price, trigger_price }
    return {
      order_num: order_num ?? index + 1,
      mode,
      ...('leg' in order && { leg: order.leg }),
      ...terms,
      ...asked[index],
      ...{ symbol, exchange, status: ok ? 'ok' : 'refused', rule, value, margin, message },
    }
  })
  await showRows(context, rows)
  const refused = rows.filter(({ status }) => status === 'refused')
  if (context.settings.format) {
    for (const row of refused) noteRefused(context, row, `Order ${row.order_num}`)
  }
  return refused.length
}

/** Says on stderr why an order would be refused. */
export function noteRefused(
  context: Context,
  { message, rule }: { readonly message?: unknown; readonly rule?: unknown },
  subject: string,
): void {
  context.out.note(`${subject} would be refused: ${String(message ?? rule ?? 'no reason is known')}`)
}
