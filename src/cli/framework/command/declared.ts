import type { RouteAnswer, RouteName, RouteRequest } from '../../../client/endpoints.js'
import type { RequestParts } from '../../../client/routes.js'
import type { AnyList, AnyRecord, ListView, RecordView } from '../../../views/table/column.js'
import { saveTexts } from '../../io/save-texts.js'
import { WATCH_OPTIONS, watchAny } from '../../output/watch.js'
import type { Context, UncheckedRequest } from '../context.js'
import { EXIT, type ExitStatus } from '../exit-codes.js'
import type { GlobalSettings } from '../globals.js'
import type { CommandSpec, Input } from './command.js'
import type { CommandDescription } from './description.js'

/** The words of a command line, and the request that the command made of them. */
interface Sent<Request> {
  context: Context
  input: Input
  request: Request
}

/** What a call does besides its view. */
interface Facts<Answer, Of> {
  /** True for a POST that changes nothing. */
  reads?: true
  /** Returns the question before the request: a terminal asks it, a script answers it with `--yes`. */
  asks?(sent: Of): string | undefined
  /** Refuses, before anybody is asked, what the daemon would refuse. */
  requireKnown?(sent: Of): Promise<unknown>
  /** Asks in a way of its own before the request: for a word, or with the facts that it changes. */
  confirms?(sent: Of): Promise<unknown>
  /** How to check a change that got no answer. */
  followUp?(sent: Of): string
  timeoutMs?: number
  /** A message that a terminal shows while a long request runs. */
  waits?: string
  /** Returns a message for people that follows the view, such as the next step. */
  note?(answer: Answer, sent: Of): string | undefined
  /** Returns a warning that follows the view. */
  warning?(answer: Answer, sent: Of): string | undefined | Promise<string | undefined>
  /** Returns the exit status, 0 by default. @throws CliError with a message of its own */
  exit?(answer: Answer, sent: Of): ExitStatus
}

/** A call that prints rows. */
interface Listed<Answer, Of, Rows> {
  list(answer: Answer, sent: Of): Rows
  /** True for a list that `--watch` refreshes. */
  isWatchable?: true
}

/** A call that prints one object, field by field. */
interface Recorded<Answer, Of, Fields, Rows> {
  record(answer: Answer, sent: Of): Fields
  /** Returns the rows of the object that follow its fields. A document has them in the object. */
  parts?(answer: Answer): Rows
}

/** A call that changes something, and says so. */
interface Acted<Answer, Of> {
  acted(answer: Answer, sent: Of): string
  /** Returns the document of `--json` and its like; the answer by default. */
  document?(answer: Answer, sent: Of): object
}

/** A call whose answer is a text of any length: it goes to stdout, or to the new file of `--file`. */
interface Saved {
  saves: true
}

/** A call and the view of its answer. The rows and the fields have the columns of their own type. */
type Viewed<Answer, Of, Row extends object, Part extends object> = Facts<Answer, Of> &
  (
    | Listed<Answer, Of, ListView<Row>>
    | Recorded<Answer, Of, RecordView<Row>, ListView<Part>>
    | Acted<Answer, Of>
    | Saved
  )

/** Returns the request of the words. A route that has parameters in its path needs it. */
type Requested<N extends RouteName> =
  RouteRequest<N> extends { params: object }
    ? { request(input: Input, context: Context): UncheckedRequest<N> | Promise<UncheckedRequest<N>> }
    : { request?(input: Input, context: Context): UncheckedRequest<N> | Promise<UncheckedRequest<N>> }

/** The operation that is called, by its method and path. It decides the credential: below `/api/v1` the API key, otherwise the session. */
interface Calling<N extends RouteName> {
  calls: N
}

type Call<N extends RouteName, Row extends object, Part extends object> = Calling<N> &
  Requested<N> &
  Viewed<RouteAnswer<N>, Sent<UncheckedRequest<N>>, Row, Part>

type AnySent = Sent<RequestParts>

/** A call of any operation, as the code that runs it reads it. */
interface AnyCall
  extends Calling<RouteName>,
    Facts<object, AnySent>,
    Partial<Listed<object, AnySent, AnyList>>,
    Partial<Recorded<object, AnySent, AnyRecord, AnyList>>,
    Partial<Acted<object, AnySent>>,
    Partial<Saved> {
  request?(input: Input, context: Context): RequestParts | Promise<RequestParts>
}

type Described = Omit<CommandDescription, 'verbs' | 'run'>
type Run = NonNullable<CommandSpec['run']>

/**
 * Returns a command that is one call and one view: its words become the request of an operation, and `list`, `record` or
 * `acted` prints the answer. A command that chooses between two calls has `run: either(…)`; one that does more has a `run` of
 * its own.
 */
export function declared<N extends RouteName, Row extends object, Part extends object>(
  command: Described & Call<N, Row, Part>,
): CommandSpec
export function declared(command: Described & AnyCall): CommandSpec {
  const { isWatchable, options = [] } = command
  return {
    ...command,
    ...(isWatchable && { options: [...options, ...WATCH_OPTIONS] }),
    run: (context, input) => runCall(command, context, input),
  }
}

/** Returns one call and one view without a name, for a command that has several. */
export function called<N extends RouteName, Row extends object, Part extends object>(
  call: Call<N, Row, Part>,
): Run
export function called(call: AnyCall): Run {
  return (context, input) => runCall(call, context, input)
}

/** Returns what runs the first call if `isFirst` says so of the words, otherwise the second one. */
export function either(
  isFirst: (input: Input, settings: GlobalSettings) => boolean,
  first: Run,
  second: Run,
): Run {
  return (context, input) => (isFirst(input, context.settings) ? first : second)(context, input)
}

async function runCall(call: AnyCall, context: Context, input: Input): Promise<ExitStatus> {
  const sent = { context, input, request: (await call.request?.(input, context)) ?? {} }
  const question = call.asks?.(sent)
  if (question !== undefined) {
    await context.prompts.confirm(question, async () => call.requireKnown?.(sent))
  }
  await call.confirms?.(sent)
  if (call.saves) {
    await saveTexts(context, input.text('file'), (write) => context.texts(call.calls, sent.request, write))
    return EXIT.done
  }
  const { list } = call
  if (list && call.isWatchable && input.flag('watch')) {
    return watchAny(context, input, async () => list(await answerOf(call, sent), sent))
  }
  if (call.waits !== undefined && context.io.stderr.isTty) context.out.note(call.waits)
  const answer = await answerOf(call, sent)
  await show(call, answer, sent)
  const note = call.note?.(answer, sent)
  if (note !== undefined) context.out.note(note)
  const warning = await call.warning?.(answer, sent)
  if (warning !== undefined) await context.out.warn(warning)
  if (call.parts) await showParts(context, call.parts(answer))
  return call.exit?.(answer, sent) ?? EXIT.done
}

async function answerOf(call: AnyCall, sent: AnySent): Promise<object> {
  const { calls, reads, timeoutMs } = call
  const followUp = call.followUp?.(sent)
  const rest = { ...(reads && { changes: false }), ...(timeoutMs !== undefined && { timeoutMs }) }
  const answer = await sent.context.callRoute(calls, sent.request, {
    ...rest,
    ...(followUp !== undefined && { followUp }),
  })
  return answer.body
}

async function show(call: AnyCall, answer: object, sent: AnySent): Promise<void> {
  const { out } = sent.context
  if (call.list) await out.printList(call.list(answer, sent))
  else if (call.record) await out.printRecord(call.record(answer, sent))
  else if (call.acted) await out.acted(call.document?.(answer, sent) ?? answer, call.acted(answer, sent))
}

async function showParts({ out, settings }: Context, parts: AnyList): Promise<void> {
  if (settings.format !== undefined || settings.columns.length > 0) return
  out.write('\n')
  await out.printList(parts)
}
