import type { RouteAnswer, RouteName, RouteRequest } from '../../../client/endpoints.js'
import type { RequestParts } from '../../../client/routes.js'
import type { AnyList, AnyRecord, ListView, RecordView } from '../../../views/table/column.js'
import { WATCH_OPTIONS, watchAny } from '../../output/watch.js'
import type { Context, UncheckedRequest } from '../context.js'
import { EXIT, type ExitStatus } from '../exit-codes.js'
import type { CommandSpec, Input } from './command.js'
import type { CommandDescription } from './description.js'

/** The words of a command line, and the request that the command made of them. */
interface Sent<Request> {
  context: Context
  input: Input
  request: Request
}

type SentTo<N extends RouteName> = Sent<UncheckedRequest<N>>

/** The operation of a command, and how the words of its line become a request. */
interface Operation<N extends RouteName> extends Omit<CommandDescription, 'verbs' | 'run'> {
  /** The operation, by its method and path. It decides the credential: below `/api/v1` the API key, otherwise the session. */
  calls: N
  /** True for a POST that changes nothing. */
  reads?: true
  /** Returns the question before the request: a terminal asks it, a script answers it with `--yes`. */
  asks?(sent: SentTo<N>): string | undefined
  /** Refuses, before anybody is asked, what the daemon would refuse. */
  requireKnown?(sent: SentTo<N>): Promise<unknown>
  /** How to check a change that got no answer. */
  followUp?(sent: SentTo<N>): string
  timeoutMs?: number
  /** Returns a message for people that follows the view, such as the next step. */
  note?(answer: RouteAnswer<N>, sent: SentTo<N>): string | undefined
  /** Returns the exit status, 0 by default. @throws CliError with a message of its own */
  exit?(answer: RouteAnswer<N>, sent: SentTo<N>): ExitStatus
}

/** The request of the words. A route that has parameters in its path needs it. */
type Requested<N extends RouteName> =
  RouteRequest<N> extends { params: object }
    ? { request(input: Input, context: Context): UncheckedRequest<N> | Promise<UncheckedRequest<N>> }
    : { request?(input: Input, context: Context): UncheckedRequest<N> | Promise<UncheckedRequest<N>> }

/** A command that prints rows. */
interface Listed<N extends RouteName, Row extends object> {
  list(answer: RouteAnswer<N>, sent: SentTo<N>): ListView<Row>
  /** True for a list that `--watch` refreshes. */
  isWatchable?: true
}

/** A command that prints one object, field by field. */
interface Recorded<N extends RouteName, One extends object> {
  record(answer: RouteAnswer<N>, sent: SentTo<N>): RecordView<One>
}

/** A command that changes something, and says so. */
interface Acted<N extends RouteName> {
  acted(answer: RouteAnswer<N>, sent: SentTo<N>): string
  /** Returns the document of `--json` and its like; the answer by default. */
  document?(answer: RouteAnswer<N>, sent: SentTo<N>): object
}

type Declared<N extends RouteName, Row extends object> = Operation<N> &
  Requested<N> &
  (Listed<N, Row> | Recorded<N, Row> | Acted<N>)

/** A declaration of any operation, as the code that runs it reads it. */
interface AnyDeclared extends Omit<CommandDescription, 'verbs' | 'run'> {
  calls: RouteName
  reads?: true
  request?(input: Input, context: Context): RequestParts | Promise<RequestParts>
  asks?(sent: Sent<RequestParts>): string | undefined
  requireKnown?(sent: Sent<RequestParts>): Promise<unknown>
  followUp?(sent: Sent<RequestParts>): string
  timeoutMs?: number
  list?(answer: object, sent: Sent<RequestParts>): AnyList
  isWatchable?: true
  record?(answer: object, sent: Sent<RequestParts>): AnyRecord
  acted?(answer: object, sent: Sent<RequestParts>): string
  document?(answer: object, sent: Sent<RequestParts>): object
  note?(answer: object, sent: Sent<RequestParts>): string | undefined
  exit?(answer: object, sent: Sent<RequestParts>): ExitStatus
}

/**
 * Returns a command that is one call and one view: its words become the request of an operation, and `list`, `record` or
 * `acted` prints the answer. A command that does more has a `run` of its own.
 */
export function declared<N extends RouteName, Row extends object>(facts: Declared<N, Row>): CommandSpec
export function declared(facts: AnyDeclared): CommandSpec {
  const { isWatchable, options = [] } = facts
  return {
    ...facts,
    ...(isWatchable && { options: [...options, ...WATCH_OPTIONS] }),
    run: (context, input) => runDeclared(facts, context, input),
  }
}

async function runDeclared(facts: AnyDeclared, context: Context, input: Input): Promise<ExitStatus> {
  const sent = { context, input, request: (await facts.request?.(input, context)) ?? {} }
  const question = facts.asks?.(sent)
  if (question !== undefined) {
    await context.prompts.confirm(question, async () => facts.requireKnown?.(sent))
  }
  const { list } = facts
  if (list && facts.isWatchable && input.flag('watch')) {
    return watchAny(context, input, async () => list(await answerOf(facts, sent), sent))
  }
  const answer = await answerOf(facts, sent)
  await show(facts, answer, sent)
  const note = facts.note?.(answer, sent)
  if (note !== undefined) context.out.note(note)
  return facts.exit?.(answer, sent) ?? EXIT.done
}

async function answerOf(facts: AnyDeclared, sent: Sent<RequestParts>): Promise<object> {
  const { calls, reads, timeoutMs } = facts
  const followUp = facts.followUp?.(sent)
  const rest = { ...(reads && { changes: false }), ...(timeoutMs !== undefined && { timeoutMs }) }
  const answer = await sent.context.callRoute(calls, sent.request, {
    ...rest,
    ...(followUp !== undefined && { followUp }),
  })
  return answer.body
}

async function show(facts: AnyDeclared, answer: object, sent: Sent<RequestParts>): Promise<void> {
  const { out } = sent.context
  if (facts.list) await out.printList(facts.list(answer, sent))
  else if (facts.record) await out.printRecord(facts.record(answer, sent))
  else if (facts.acted) await out.acted(facts.document?.(answer, sent) ?? answer, facts.acted(answer, sent))
}
