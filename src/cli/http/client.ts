import { isObject, type JsonObject, textMember } from '../../client/answers/json.js'
import type { Refusal, RouteAnswer, RouteName } from '../../client/endpoints.js'
import { NoAnswerError } from '../../client/errors.js'
import { answerTo } from '../../client/routes.js'
import type { Trust } from '../../client/transport/agents.js'
import {
  exchange,
  type HttpResponse,
  failureOf as noAnswer,
  type Call as Request,
} from '../../client/transport/exchange.js'
import { openLines, openText } from '../../client/transport/lines.js'
import { factsInWords } from '../../views/text/words.js'
import {
  asSentence,
  CliError,
  exitOf,
  HINTS,
  interruptedError,
  isErrorCode,
  NOTHING_SENT,
} from '../framework/errors.js'
import { EXIT } from '../framework/exit-codes.js'
import type { Io } from '../io/io.js'
import { type Credential, credentialHint, storedFor, tokenProblem, trustFor } from './credentials.js'
import { type AskedDaemon, BANNED, bannedError, noAnswerError, notConnectedError } from './no-answer.js'
import { unlistedSaid } from './unlisted.js'

const DEFAULT_TIMEOUT_MS = 30_000

export interface Call extends Request {
  /** True for a change: without an answer its outcome is unknown (exit 8). */
  changes: boolean
  timeoutMs?: number
  /** The credential of the request, which an error about it names. */
  credential?: Credential
  /** The way to check a change that got no answer. */
  followUp?: string
}

/** A call of one route in the table of operations. */
export interface RouteCall<N extends RouteName> extends Call {
  route: N
}

export type { HttpResponse }

/** Is called around each change. `before` returns the one mode that it is for; what it throws keeps the change from being sent. */
interface ChangeGuard {
  before(call: Call): Promise<string | undefined>
  after(call: Call): Promise<void>
}
const UNGUARDED: ChangeGuard = { before: async () => undefined, after: async () => undefined }

/**
 * A client of one daemon. It never repeats a request by itself and never follows a redirect with a
 * credential.
 */
export class Client {
  readonly #daemon: AskedDaemon
  readonly #io: Io
  readonly #timeoutMs: number | undefined
  readonly #onlyMode: string | undefined
  readonly #userAgent: string
  readonly #guard: ChangeGuard

  constructor(
    daemon: AskedDaemon,
    io: Io,
    { onlyMode, timeoutMs }: { timeoutMs: number | undefined; onlyMode?: string | undefined },
    version: string,
    guard = UNGUARDED,
  ) {
    this.#guard = guard
    this.#userAgent = `svc/${version}`
    this.#daemon = daemon
    this.#io = io
    this.#timeoutMs = timeoutMs
    this.#onlyMode = onlyMode
  }

  get url(): string {
    return this.#daemon.url
  }

  /** Returns a successful answer; otherwise throws a {@link CliError} with the exit status of its code. */
  async send<N extends RouteName>(call: RouteCall<N>): Promise<HttpResponse<RouteAnswer<N>>> {
    const answer = await this.#ask(call)
    if (answer.status >= 400) throw failureOf(answer, call, this.#daemon.context?.name)
    return answerTo(call.route, answer)
  }

  /** Returns the answer, whatever its status; throws only when there is none. */
  async ask<N extends RouteName>(call: RouteCall<N>): Promise<HttpResponse<RouteAnswer<N> | Refusal>> {
    return answerTo(call.route, await this.#ask(call))
  }

  /** Sends a request that the user wrote, and returns the answer, whatever its status. */
  raw(call: Call): Promise<HttpResponse> {
    return this.#ask(call)
  }

  /** Returns a request that the daemon refuses in the other mode, if the user asks for one or was shown one. */
  #inOneMode(call: Call, shown: string | undefined): Call {
    const asked = this.#onlyMode
    if ((asked ?? shown) === undefined || !takesMode(call)) return call
    const headers = {
      ...(shown !== undefined && { 'x-only-mode': shown }),
      ...call.headers,
      ...(asked !== undefined && { 'x-only-mode': asked }),
    }
    return { ...call, headers }
  }

  async #ask(call: Call): Promise<HttpResponse> {
    const shown = call.changes ? await this.#guard.before(call) : undefined
    const timeoutMs = this.#timeoutMs ?? call.timeoutMs ?? DEFAULT_TIMEOUT_MS
    const deadline = this.#io.deadline(timeoutMs)
    const interrupts = this.#io.interrupts()
    const isLater = this.#io.sent.any
    if (call.changes) this.#io.sent.begin()
    try {
      const answer = await exchange(this.url, this.#inOneMode(call, shown), {
        signal: AbortSignal.any([deadline, interrupts]),
        userAgent: this.#userAgent,
        trust: trustFor(this.#daemon.trust, call.credential),
        ...(call.changes && { answerWithinMs: timeoutMs }),
      })
      if (call.changes) this.#io.sent.answered(answer.body, answer.orderRef)
      this.#requireOurs(answer, call)
      if (call.changes && answer.status < 400) await this.#guard.after(call)
      return answer
    } catch (thrown) {
      // Ctrl-C is thrown unchanged, without a note about the request in flight.
      const isAnswered = thrown instanceof CliError && thrown.exit !== EXIT.interrupted
      if (interrupts.aborted && !isAnswered) throw this.#interrupted(call, thrown)
      if (thrown instanceof CliError) throw thrown
      const failure = deadline.aborted
        ? this.#timedOut(call, timeoutMs, thrown)
        : this.#unreachable(call, thrown)
      throw saidUnsent(failure, call, isLater)
    }
  }

  /**
   * Reads a stream of objects, one per line, until it ends, `read` returns or Ctrl-C; throws like {@link
   * send}.
   */
  async lines<T>(call: Call, read: (lines: AsyncGenerator<JsonObject>) => Promise<T>): Promise<T> {
    return this.#streamed(call, async (options, inOneMode) => {
      const stream = await openLines(this.url, inOneMode, options)
      return read(stream.ok ? stream.lines : this.#refused(stream.answer, call))
    })
  }

  /** Reads a text of any length as it arrives; throws like {@link send}. */
  async texts<T>(call: Call, read: (texts: AsyncGenerator<string>) => Promise<T>): Promise<T> {
    return this.#streamed(call, async (options) => {
      const stream = await openText(this.url, call, options)
      return read(stream.ok ? stream.texts : this.#refused(stream.answer, call))
    })
  }

  #refused(answer: HttpResponse, call: Call): never {
    this.#requireOurs(answer, call)
    throw failureOf(answer, call)
  }

  async #streamed<T>(
    call: Call,
    read: (options: { signal: AbortSignal; userAgent: string; trust: Trust }, inOneMode: Call) => Promise<T>,
  ): Promise<T> {
    const shown = call.changes ? await this.#guard.before(call) : undefined
    const interrupts = this.#io.interrupts()
    const left = new AbortController()
    const isLater = this.#io.sent.any
    if (call.changes) this.#io.sent.begin()
    try {
      const signal = AbortSignal.any([interrupts, left.signal])
      const options = {
        signal,
        userAgent: this.#userAgent,
        trust: trustFor(this.#daemon.trust, call.credential),
      }
      return await read(options, this.#inOneMode(call, shown))
    } catch (thrown) {
      if (interrupts.aborted) throw this.#interrupted(call, thrown)
      if (!(thrown instanceof NoAnswerError)) throw thrown
      throw saidUnsent(this.#unreachable(call, thrown.cause), call, isLater)
    } finally {
      left.abort()
    }
  }

  /** Refuses the page of another server: a daemon numbers each of its answers. */
  #requireOurs(answer: HttpResponse, call: Call): void {
    if (answer.status === 403 && answer.text.startsWith(BANNED)) {
      throw bannedError(this.url, answer.body)
    }
    if (answer.requestId || /^\s*[[{]/.test(answer.text)) return
    const who = `The server at ${this.url} is not an svc daemon (HTTP ${answer.status})`
    if (call.changes && answer.status >= 500) {
      throw unknownOutcome(`${who}; a daemon behind it may have executed the request.`, call)
    }
    throw new CliError(EXIT.noDaemon, `${who}.`, {
      code: 'no_daemon',
      hint: 'Set the address of the daemon with --url or SVC_URL.',
      response: answer.body,
    })
  }

  #interrupted(call: Call, thrown: unknown): CliError {
    if (!call.changes || !noAnswer(thrown).sent) return interruptedError()
    return interruptedError(
      `Interrupted: the daemon may have executed the request. ${call.followUp ?? ''}`.trim(),
    )
  }

  #timedOut(call: Call, timeoutMs: number, thrown: unknown): CliError {
    const { isConnected, sent } = noAnswer(thrown)
    if (!isConnected) return notConnectedError(this.#daemon, timeoutMs / 1000, thrown)
    const waited = `No answer from ${this.url} within ${timeoutMs / 1000} s`
    return call.changes && sent
      ? unknownOutcome(`${waited}: the daemon may have executed the request.`, call)
      : new CliError(EXIT.failed, `${waited}.`, { code: 'timeout', hint: 'Wait longer: --timeout 60s' })
  }

  #unreachable(call: Call, thrown: unknown): CliError {
    if (isInvalid(thrown)) return notSent(thrown)
    if (call.changes && noAnswer(thrown).sent) {
      return unknownOutcome(
        `The connection to ${this.url} broke: the daemon may have executed the request.`,
        call,
      )
    }
    const { trust, url } = this.#daemon
    const { credential } = call
    const asked = { ...this.#daemon, trust: trustFor(trust, credential) }
    return noAnswerError({ ...asked, ...storedFor(this.#io, url, credential) }, thrown)
  }
}

/**
 * Returns the error of a request without an answer. Of a change it says that it was not sent, unless the outcome is unknown.
 * @param isLater true if another change of this command was sent before
 */
function saidUnsent(failure: CliError, { changes }: Call, isLater: boolean): CliError {
  if (!changes || failure.exit === EXIT.unknown) return failure
  return failure.withMessage(`${failure.message} ${isLater ? 'This request was not sent.' : NOTHING_SENT}`)
}

const RUNS_OF_FLOWS = /^\/flow\/api\/(run|workflows\/[^/]+\/execute)$/

/** Returns whether a request can be bound to one mode (X-Only-Mode): those of the public API, and runs of workflows. */
function takesMode({ path }: Call): boolean {
  return path.startsWith('/api/v1/') || RUNS_OF_FLOWS.test(path)
}

/** Returns a refusal as the user sees it: the daemon's sentence, and the next step for its code, in the context. */
export function failureOf(
  answer: HttpResponse<unknown>,
  call: Pick<Call, 'credential' | 'followUp' | 'changes'>,
  context?: string,
): CliError {
  const { code, status } = answer
  const body = isObject(answer.body) ? answer.body : {}
  const exit = exitOf(code, status)
  const reference = textMember(body, 'order_ref') ?? answer.orderRef
  const wait = textMember(body, 'retry_after')
  const next =
    exit === EXIT.unknown
      ? reference
        ? `See its state: svc order status ${reference}`
        : call.followUp
      : wait !== undefined
        ? `Wait ${wait} s and try again.`
        : isErrorCode(code)
          ? (credentialHint(code, call.credential) ?? HINTS[code])
          : undefined
  const said = messageOf(body, status)
  const unlisted = unlistedSaid(said)
  const hint = unlisted?.hint ?? next
  const message = tokenProblem(code, call.credential) ?? unlisted?.message ?? said
  return new CliError(exit, message, {
    ...(code === undefined ? {} : { code }),
    ...(hint === undefined ? {} : { hint: inThe(context, hint) }),
    ...(answer.requestId === undefined ? {} : { requestId: answer.requestId }),
    response: body,
  })
}

/** Returns a next step with the context that it is about: a plain `svc login` may be for another daemon. */
function inThe(context: string | undefined, hint: string): string {
  return context === undefined
    ? hint
    : hint.replaceAll(/svc (login|whoami|apikey show --save)/g, `$& --context ${context}`)
}

function messageOf(body: JsonObject, status: number): string {
  // Beside a message, `error` adds something only when the request was half done; otherwise it is a code.
  const detail =
    body.message === undefined || body.status === 'warning' ? (body.execution_error ?? body.error) : undefined
  const parts = [body.message, detail].flatMap((part) =>
    typeof part === 'string' && part !== '' ? part : isObject(part) ? factsInWords(part) : [],
  )
  return parts.length === 0
    ? `The daemon answered ${status} without a message.`
    : parts.join(': ').replaceAll(ITEM, itemText)
}

/** An order, a leg or a symbol of a list in a message, whose number begins at 0. */
const ITEM = /\b(order|leg|symbol)s\.(\d+)(\.)?/g

/** Returns the name of an item as results have it: their numbers begin at 1. */
function itemText(_all: string, item: string, index: string, dot: string | undefined): string {
  return `${item} ${Number(index) + 1}${dot === undefined ? '' : ', '}`
}

/** Returns whether Node refused the request before it sent anything, for a character in a header. */
function isInvalid(thrown: unknown): boolean {
  const errors = thrown instanceof Error ? [thrown, thrown.cause] : []
  return errors.some((one) => one instanceof Error && 'code' in one && one.code === 'ERR_INVALID_CHAR')
}

/** Returns the error of a request that could not be made: nothing was sent, and the daemon may well run. */
function notSent(thrown: unknown): CliError {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new CliError(EXIT.failed, asSentence(`The request could not be made: ${reason}`), { cause: thrown })
}

function unknownOutcome(message: string, call: Call): CliError {
  return new CliError(EXIT.unknown, message, {
    code: 'outcome_unknown',
    hint: call.followUp ?? 'Check the result before you repeat it.',
  })
}
