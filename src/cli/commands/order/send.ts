import { randomUUID } from 'node:crypto'
import type { EndpointName } from '../../../client/endpoints.js'
import type { Input } from '../../framework/command.js'
import type { Context } from '../../framework/context.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'
import type { OptionSpec } from '../../framework/option.js'
import { type Answer, failureOf } from '../../http/client.js'
import { isRow, type Row, rowsOf, textOf } from '../../http/json.js'
import type { Column } from '../../output/output.js'

/** The command that shows a request which is not in the order journal. */
const LOOKS: Partial<Record<EndpointName, string>> = {
  placegttorder: 'svc order gtt list',
  modifygttorder: 'svc order gtt list',
}

export const KEY_OPTION: OptionSpec = {
  flags: '--idempotency-key <key>',
  summary: 'key that makes a repetition harmless (default: a new one)',
}

/**
 * Sends a request that changes something, under an idempotency key that is printed first, so that a broken
 * connection can be followed by the same command with the same key.
 * @param allow lets an answer pass that is a refusal otherwise
 */
export async function sendChange(
  context: Context,
  input: Input,
  name: EndpointName,
  body: Row,
  allow: (answer: Answer) => boolean = () => false,
): Promise<Answer> {
  const key = input.text('idempotencyKey') ?? randomUUID()
  context.out.note(`idempotency key: ${key}`)
  const call = {
    ...context.apiCall(name, body),
    headers: { 'idempotency-key': key },
    followUp: `Repeat it safely with --idempotency-key ${key}, or look: ${LOOKS[name] ?? 'svc order journal (simulated: svc order list)'}`,
  }
  const answer = await context.client().ask(call)
  if (answer.status >= 400 && !allow(answer)) throw failureOf(answer, call)
  return answer
}

/** What was queued for approval instead of being done, if it was. */
export function queuedId(body: Row): string | undefined {
  return textOf(body, 'pending_order_id')
}

const QUEUED: readonly Column[] = [
  { key: 'pending_order_id', title: 'APPROVAL' },
  { key: 'mode', kind: 'status' },
  { key: 'message' },
]

/** Shows a request that waits for approval now. */
export async function showQueued(context: Context, body: Row): Promise<ExitStatus> {
  await context.out.record({ record: body, fields: QUEUED, id: 'pending_order_id' })
  context.out.note(`Queued for approval. Next: svc approval approve ${queuedId(body) ?? ''}`)
  return EXIT.done
}

const RESULTS: readonly Column[] = [
  { key: 'order_num', title: '#' },
  { key: 'leg' },
  { key: 'symbol' },
  { key: 'exchange', title: 'EXCH' },
  { key: 'action', kind: 'status' },
  { key: 'quantity', title: 'QTY', kind: 'quantity' },
  { key: 'status', kind: 'status' },
  { key: 'orderid', title: 'ORDER' },
  { key: 'message' },
]

/** Shows every order of a request of several. Exit 5 when not all of them were placed. */
export async function showResults(context: Context, body: Row): Promise<ExitStatus> {
  if (queuedId(body) !== undefined) return showQueued(context, body)
  const results = rowsOf(body.results)
  const placed = results.filter(({ status }) => status === 'success').length
  if (context.settings.format && context.settings.format !== 'table') {
    await context.out.record({ record: body, fields: [], id: 'orderid' })
  } else {
    const shown = RESULTS.filter(({ key }) => results.some((row) => isRow(row) && row[key] !== undefined))
    await context.out.list({ rows: results, columns: shown, id: 'orderid', empty: 'No orders were needed.' })
  }
  const mode = body.mode === 'analyze' ? 'Simulated' : 'LIVE'
  context.out.note(`${mode}: ${placed} of ${results.length} orders placed.`)
  return placed === results.length ? EXIT.done : EXIT.refused
}
