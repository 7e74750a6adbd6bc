import { randomUUID } from 'node:crypto'
import { isObject, member, textMember } from '../../../client/answers/json.js'
import { isQueued, type Queued } from '../../../client/answers/queued.js'
import type { AnswerOf, EndpointName, Refusal } from '../../../client/endpoints.js'
import type { Column } from '../../../views/table/column.js'
import type { Input } from '../../framework/command/command.js'
import type { OptionSpec } from '../../framework/command/option.js'
import type { Context, UncheckedBody } from '../../framework/context.js'
import { CliError } from '../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'
import { failureOf, type HttpResponse } from '../../http/client.js'
import { resourceName } from './names.js'

/** The command that shows a request which is not in the order journal. */
const LOOKS: Partial<Record<EndpointName, string>> = {
  placegttorder: 'svc order gtt list',
  modifygttorder: 'svc order gtt list',
}

export const KEY_OPTION: OptionSpec = {
  flags: '--idempotency-key <key>',
  summary: 'key that makes a retry safe (default: a new key)',
}

/**
 * Sends a change under an idempotency key and prints the key first, so that after a broken connection the
 * user can repeat the command with the same key.
 */
export async function sendChange<N extends EndpointName>(
  context: Context,
  input: Input,
  name: N,
  body: UncheckedBody<N>,
): Promise<HttpResponse<AnswerOf<N>>> {
  return context.client().send(keyedCall(context, input, name, body))
}

/** Like {@link sendChange}, but returns every answer, also a refusal; `refused` is the error of a refusal. */
export async function trySendChange<N extends EndpointName>(
  context: Context,
  input: Input,
  name: N,
  body: UncheckedBody<N>,
): Promise<{ answer: HttpResponse<AnswerOf<N> | Refusal>; refused: CliError | undefined }> {
  const call = keyedCall(context, input, name, body)
  const answer = await context.client().ask(call)
  return { answer, refused: answer.status >= 400 ? failureOf(answer, call) : undefined }
}

function keyedCall<N extends EndpointName>(context: Context, input: Input, name: N, body: UncheckedBody<N>) {
  // An order's own id is its key.
  const key = input.text('idempotencyKey') ?? textMember(body, 'client_order_id') ?? randomUUID()
  context.out.note(`idempotency key: ${key}`)
  return {
    ...context.apiCall(name, body),
    headers: { 'idempotency-key': key },
    followUp: `Repeat it safely with --idempotency-key ${key}, or check: ${LOOKS[name] ?? 'svc order journal (simulated: svc order list)'}`,
  }
}

const QUEUED = [
  { key: 'pending_order_id', title: 'APPROVAL' },
  { key: 'mode', kind: 'status' },
  { key: 'message', leaves: 1 },
] as const satisfies readonly Column[]

/** Shows a request that now waits for approval. */
export async function showQueued(context: Context, body: Queued): Promise<ExitStatus> {
  if (context.settings.format === 'name') {
    context.out.name(resourceName('approval', body.pending_order_id))
    return EXIT.done
  }
  await context.out.record({ record: body, fields: QUEUED, id: 'pending_order_id' })
  context.out.note(`Queued for approval. Next: svc approval approve ${body.pending_order_id}`)
  return EXIT.done
}

const RESULTS = [
  { key: 'order_num', title: '#' },
  { key: 'leg', leaves: 3 },
  { key: 'symbol' },
  { key: 'exchange', title: 'EXCH', leaves: 2 },
  { key: 'action', kind: 'status' },
  { key: 'quantity', title: 'QTY', kind: 'quantity' },
  { key: 'status', kind: 'status' },
  { key: 'orderid', title: 'ORDER' },
  { key: 'message' },
] as const satisfies readonly Column[]

/** Requests that become several orders. */
type MultiOrderName = 'basketorder' | 'splitorder' | 'optionsorder' | 'optionsmultiorder' | 'placesmartorder'
type SeveralAnswer = AnswerOf<MultiOrderName>
type Part = Extract<SeveralAnswer, { results: unknown }>['results'][number]

/**
 * Sends a request like {@link sendChange}. A refusal that lists orders is shown before it is thrown: some of them may be
 * placed.
 */
export async function sendOrders<N extends EndpointName>(
  context: Context,
  input: Input,
  name: N,
  body: UncheckedBody<N>,
): Promise<AnswerOf<N>> {
  try {
    return (await sendChange(context, input, name, body)).body
  } catch (thrown) {
    const answer = thrown instanceof CliError && isObject(thrown.response) ? thrown.response : {}
    if (Array.isArray(answer.results)) await showRows(context, answer, answer.results)
    throw thrown
  }
}

/** A row of {@link RESULTS}. */
type ResultRow = { readonly [Key in (typeof RESULTS)[number]['key']]?: unknown }

/** Returns a row with every column, so that all lines of a file have the same. */
function flat(row: ResultRow): ResultRow {
  return Object.fromEntries(RESULTS.map(({ key }) => [key, Reflect.get(row, key) ?? null]))
}

async function showRows(
  context: Context,
  body: { readonly status?: unknown },
  rows: readonly ResultRow[],
): Promise<void> {
  const { format } = context.settings
  if (format === 'name') {
    for (const row of rows) {
      const orderid = textMember(row, 'orderid')
      if (orderid) context.out.name(resourceName('order', orderid))
    }
  } else if (format === 'csv' || format === 'tsv') {
    // One line for each order: a document of the whole answer has a list in one cell.
    await context.out.list({ rows: rows.map(flat), columns: RESULTS, id: 'orderid', empty: '' })
  } else if (format) {
    await context.out.record({ record: body, fields: [], id: 'status' })
  } else {
    const shown = RESULTS.filter(({ key }) => rows.some((row) => Reflect.get(row, key) !== undefined))
    await context.out.list({ rows, columns: shown, id: 'orderid', empty: 'No orders were needed.' })
  }
}

/** Shows every order of a request for several. Exit 5 when not all of them were placed. */
export async function showResults(context: Context, body: SeveralAnswer): Promise<ExitStatus> {
  if (isQueued(body)) return showQueued(context, body)
  const results: readonly Part[] = member(body, 'results') ?? []
  const placed = results.filter(({ status }) => status === 'success').length
  await showRows(context, body, results)
  const mode = body.mode === 'analyze' ? 'Simulated' : 'LIVE'
  context.out.note(`${mode}: ${placed} of ${results.length} orders placed.`)
  return placed === results.length ? EXIT.done : EXIT.refused
}
