import { member, textMember } from '../../../../client/answers/json.js'
import { isQueued } from '../../../../client/answers/queued.js'
import type { AnswerOf } from '../../../../client/endpoints.js'
import type { Context } from '../../../framework/context.js'
import { CliError, usageError } from '../../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../../framework/exit-codes.js'
import { outcomeOf, rowsOf, showResults, showRows } from '../results.js'
import { askBefore, isPreview, type Kept } from './check.js'
import { askedIn, type BasketBody, type Line, linesOf } from './lines.js'
import { showRefused } from './refused.js'

/** More retries of one basket would be no retries. */
const MOST_RETRIES = 50
/** The longest key: those of retries are longer, and the daemon takes up to 255 characters. */
const LONGEST_KEY = 248

type Mode = 'live' | 'analyze' | null

/**
 * Places again only those orders of a basket that certainly failed. Every retry has a key of its own that follows from the
 * first, and the daemon is asked what it keeps under each: that sends nothing. So a repeated command never places an order
 * twice. While an order is in doubt nothing is retried, because its end decides what the next retry consists of.
 */
export async function retryFailed(context: Context, given: BasketBody, key: string): Promise<ExitStatus> {
  // Its own id would be a second key.
  const { client_order_id: _, ...body } = given
  if (key.length > LONGEST_KEY) {
    throw usageError(`--retry-failed needs a key of at most ${LONGEST_KEY} characters.`)
  }
  let lines = linesOf(body)
  let request: BasketBody = body
  let mode: Mode = null
  for (let attempt = 0; attempt <= MOST_RETRIES; attempt++) {
    const name = attempt === 0 ? key : `${key}~${attempt}`
    const kept = await keptAnswer(context, request, name)
    if (kept === undefined) {
      // A basket that was refused as a whole keeps nothing, wherever orders went then.
      if (attempt === 0) mode = await modeOfRefused(context, key)
      await requireMode(context, mode)
      const answer = await send(context, request, name).catch((thrown) => showRefused(context, thrown, lines))
      return showResults(context, answer, askedIn(lines))
    }
    mode = member(kept, 'mode') === 'analyze' ? 'analyze' : 'live'
    const failed = failedIn(lines, kept)
    if (failed.length === 0) return nothingToRetry(context, kept, lines)
    lines = failed
    request = { ...body, orders: failed.map(({ order }) => order) }
  }
  throw usageError(`The basket was retried ${MOST_RETRIES} times.`)
}

/** Says that no order failed. A script gets the answer of the last request, in the format that it asked for. */
async function nothingToRetry(context: Context, kept: Kept, lines: readonly Line[]): Promise<ExitStatus> {
  const asked = askedIn(lines)
  const rows = isQueued(kept) ? [] : rowsOf(member(kept, 'results') ?? [], asked)
  const isPlaced = rows.length > 0 && rows.every(({ status }) => status === 'success')
  // A part of an order that was split may have another status than the order.
  if (!isPlaced) return showResults(context, kept, asked)
  context.out.note('Nothing to retry: all orders of the basket are placed.')
  if (context.settings.format !== undefined) await showRows(context, rows, kept)
  return EXIT.done
}

/**
 * Returns the answer that the daemon keeps under a key; undefined if it keeps none, so that a request would be executed.
 * @throws CliError if the key has another basket, or if a repeat of the basket still sends some of its orders
 */
async function keptAnswer(context: Context, body: BasketBody, key: string): Promise<Kept | undefined> {
  try {
    const answer = await askBefore(context, body, key)
    return isPreview(answer) ? undefined : answer
  } catch (thrown) {
    throw thrown instanceof CliError && thrown.code === 'conflict' ? conflict(thrown, key) : thrown
  }
}

function conflict({ message, requestId, response }: CliError, key: string): CliError {
  return new CliError(EXIT.refused, `${key}: ${message}`, {
    code: 'conflict',
    hint: 'If you changed the file: see which orders were placed (svc order list), and place the others under a new key. If you did not: send the basket again with the same key and without --retry-failed; that sends only the orders that were not sent.',
    ...(requestId !== undefined && { requestId }),
    response,
  })
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

/** @throws CliError (5) if orders now go elsewhere than those of the basket went: its other orders are not there */
async function requireMode(context: Context, mode: Mode): Promise<void> {
  const now = (await context.apiRead('desk', {})).body.data.mode
  if (mode === null) return
  // It may change until the others are sent.
  context.live.bind(mode)
  if (mode === now) return
  const [was, is] = mode === 'analyze' ? ['simulated', 'live'] : ['live', 'simulated']
  throw new CliError(EXIT.refused, `The basket was ${was}; orders are ${is} now. Nothing was sent.`, {
    code: 'refused',
    hint: `Retry while orders are ${was} (svc analyze status), or place the basket under a new key.`,
  })
}

/**
 * Returns where a basket went that was refused as a whole, so that nothing is kept under its key.
 * @throws CliError (4) if there was none; (5) if the answer of one that was sent is no longer kept
 */
async function modeOfRefused(context: Context, key: string): Promise<Mode> {
  const entries = await entriesOf(context, key)
  const requests = entries.filter(({ kind }) => kind === 'request')
  // A conflict says that the key was used.
  if (
    entries.some(({ kind, rule, state }) => kind !== 'change' && (state !== 'refused' || rule === 'conflict'))
  ) {
    throw new CliError(EXIT.refused, `The answer of the key ${key} is no longer kept.`, {
      code: 'refused',
      hint: 'Look which orders were placed: svc order list; then place the others under a new key.',
    })
  }
  return requests.at(-1)?.mode ?? null
}

/** Returns what is recorded about a key. @throws CliError (4) if nothing is */
async function entriesOf(context: Context, key: string) {
  try {
    return (await context.apiRead('why', { id: `key:${key}` })).body.data.entries
  } catch (thrown) {
    if (!(thrown instanceof CliError) || thrown.exit !== EXIT.notFound) throw thrown
    throw new CliError(EXIT.notFound, `No basket of the last day has the key ${key}.`, {
      code: 'not_found',
      hint: 'Without --retry-failed the whole basket is placed.',
    })
  }
}

/**
 * Returns the orders that failed.
 * @throws CliError (8) while an order is in doubt, (5) while the basket waits for approval
 */
function failedIn(lines: readonly Line[], answer: Kept): readonly Line[] {
  if (isQueued(answer)) {
    throw new CliError(EXIT.refused, `The basket waits for approval ${answer.pending_order_id}.`, {
      code: 'refused',
      hint: `Decide it: svc approval show ${answer.pending_order_id}`,
    })
  }
  const results = member(answer, 'results') ?? []
  const isSame = results.every(
    ({ symbol }, index) => symbol === textMember(lines[index]?.order ?? {}, 'symbol'),
  )
  if (results.length !== lines.length || !isSame) {
    throw new CliError(
      EXIT.failed,
      'The answer does not fit the basket: compare the file with the first one.',
    )
  }
  const doubtful = results.filter((row) => outcomeOf(row) === 'in_doubt')
  const [first] = doubtful
  if (first) {
    throw new CliError(
      EXIT.unknown,
      `${doubtful.length} of ${results.length} orders are in doubt, so nothing was retried.`,
      {
        code: 'outcome_unknown',
        hint: `See svc order status ${first.order_ref}, and repeat the command once the service knows the end. A person can settle it: svc order settle`,
      },
    )
  }
  return lines.filter((_, index) => results[index]?.status === 'error')
}
