import { randomUUID } from 'node:crypto'
import { textMember } from '../../../client/answers/json.js'
import type { Queued } from '../../../client/answers/queued.js'
import type { AnswerOf, EndpointName, Refusal } from '../../../client/endpoints.js'
import type { Column } from '../../../views/table/column.js'
import type { Input } from '../../framework/command/command.js'
import type { OptionSpec } from '../../framework/command/option.js'
import type { Context, UncheckedBody } from '../../framework/context.js'
import type { CliError } from '../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'
import { ONLY_MODE } from '../../framework/globals.js'
import { failureOf, type HttpResponse } from '../../http/client.js'
import { resourceName } from './names.js'

/** The command that shows the outcome of a request; the order journal has that of any other. */
const LOOKS: Partial<Record<EndpointName, string>> = {
  placegttorder: 'svc order gtt list',
  modifygttorder: 'svc order gtt list',
  modifyorder: 'svc order list',
  closeposition: 'svc position list',
}

const KEY_OPTION: OptionSpec = {
  flags: '--idempotency-key <key>',
  summary: 'key that makes a retry safe (default: a new key)',
}

/** The guard of a command that sends orders or changes them. The client of the command sends it along. */
export const MODE_OPTION: OptionSpec = {
  flags: ONLY_MODE,
  summary: 'send nothing unless orders are live, or simulated (analyze), at that moment',
  choices: ['live', 'analyze'],
}

/** The options of a request that a repeat and the wrong mode must not harm. */
export const SEND_OPTIONS = [KEY_OPTION, MODE_OPTION] as const

/** The help of a command that cancels or closes what it names. */
export const ASKED_WHILE_LIVE =
  'While orders are live, a terminal shows what it is about and asks once, unless CONFIRM_LIVE is never. A script that is started at a terminal passes --yes.'

/** The option of a command that can be tried. */
export const DRY_RUN_OPTION: OptionSpec = {
  flags: '-n, --dry-run',
  summary: 'show what would become of each order; send nothing',
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
  if (context.settings.format === 'name') context.out.name(resourceName('approval', body.pending_order_id))
  else {
    await context.out.record({ record: body, fields: QUEUED, id: 'pending_order_id' })
    context.out.note(queuedText(body))
  }
  await warnQueued(context, body)
  return EXIT.done
}

/** Returns what became of a request that waits for approval, and the next step. */
export const queuedText = ({ pending_order_id: id }: Queued) =>
  `Queued for approval. Next: svc approval approve ${id}`

/** Says why an approval would be refused now. */
export async function warnQueued({ out }: Context, { warning }: Queued): Promise<void> {
  if (warning !== undefined) await out.warn(`the order waits, but an approval would be refused: ${warning}`)
}
