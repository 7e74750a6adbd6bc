import { ERROR_CODES, type ErrorCode } from '../../core/errors/index.js'
import type { SentRequests } from '../http/sent-requests.js'
import { EXIT, type ExitStatus } from './exit-codes.js'

interface CliErrorOptions {
  /** The next step, as a sentence or a command. */
  hint?: string
  /** The daemon's error code, or one of the CLI's own codes. */
  code?: string
  requestId?: string
  /** The daemon's answer, for `--verbose`. */
  response?: unknown
  cause?: unknown
  /** True for our own message with several lines; line breaks in any other message are escaped. */
  lines?: boolean
}

/** The error every command fails with: one sentence, the next step, and the exit status. */
export class CliError extends Error {
  readonly exit: ExitStatus
  readonly hint: string | undefined
  readonly code: string
  readonly requestId: string | undefined
  readonly response: unknown
  readonly lines: boolean

  constructor(exit: ExitStatus, message: string, options: CliErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'CliError'
    this.exit = exit
    this.hint = options.hint
    this.code = options.code ?? exitName(exit)
    this.requestId = options.requestId
    this.response = options.response
    this.lines = options.lines === true
  }

  /** Returns the same error with another exit status. */
  withExit(exit: ExitStatus): CliError {
    return this.#with(exit, this.message)
  }

  /** Returns the same error in other words. */
  withMessage(message: string): CliError {
    return this.#with(this.exit, message)
  }

  #with(exit: ExitStatus, message: string): CliError {
    const { cause, code, hint, lines, requestId, response } = this
    return new CliError(exit, message, {
      ...{ cause, code, lines, response },
      ...(hint !== undefined && { hint }),
      ...(requestId !== undefined && { requestId }),
    })
  }
}

function exitName(exit: ExitStatus): string {
  return Object.entries(EXIT).find(([, status]) => status === exit)?.[0] ?? 'failed'
}

/** Returns a text with a full stop, so that the next sentence can follow it. */
export function asSentence(text: string): string {
  return /[.!?)…]$/.test(text) ? text : `${text}.`
}

/** The last sentence of an error about a change that certainly did not leave this program. */
export const NOTHING_SENT = 'Nothing was sent.'

/** Returns the refusal of a word that names nothing: `There is no token abc.` */
export function noSuch(what: string, word: string, list: string): CliError {
  return new CliError(EXIT.notFound, `There is no ${what} ${word}.`, {
    code: 'not_found',
    hint: `See: ${list}`,
  })
}

/** Returns an error for wrong usage (exit 2). */
export function usageError(message: string, hint?: string): CliError {
  return new CliError(EXIT.usage, message, hint === undefined ? {} : { hint })
}

/**
 * Returns the error for output that is lost or cannot be made. After a sent request it means an outcome to check (exit 8),
 * never a failure that invites a second sending.
 */
export function outputLost(lost: Error, sent: SentRequests): CliError {
  const problem = `The output could not be written (${lost.message.replace(/\.$/, '')})`
  if (!sent.any) return new CliError(EXIT.failed, `${problem}.`, { code: 'output_lost', cause: lost })
  const looks = sent.looks()
  const hint = looks.length > 0 ? `Check with: ${looks.join('; ')}` : 'Check the result before you repeat it.'
  const message = `${problem}, but the request was already sent: do not send it again.`
  return new CliError(EXIT.unknown, message, { code: 'output_lost', hint, cause: lost })
}

/** Returns the error for Ctrl-C (exit 130). */
export function interruptedError(message = 'Interrupted.'): CliError {
  return new CliError(EXIT.interrupted, message)
}

/** The next step for each daemon code that has one. */
export const HINTS: Partial<Record<ErrorCode, string>> = {
  unauthenticated: 'Sign in: svc login',
  reauthentication_required:
    'Sign in again: svc login; in a script svc login --username NAME --password-stdin, or a token of svc token create.',
  invalid_key: 'Store the current key: svc apikey show --save; or set SVC_API_KEY.',
  kill_switch: 'See why: svc risk show. Lift it: svc risk resume',
  risk_refused: 'See the limits: svc risk show',
  not_pending: 'See its state: svc approval list --status all',
  rate_limited: 'Wait and try again.',
  broker_missing: 'Choose a broker: svc broker list',
  unavailable: 'Find the cause: svc status, svc doctor',
  storage_full: 'Find the cause: svc doctor',
  internal: "See the error log in the home's log directory: svc help files",
}

const STATUS_EXITS: ReadonlyMap<number, ExitStatus> = new Map([
  [400, EXIT.usage],
  [401, EXIT.denied],
  [403, EXIT.denied],
  [404, EXIT.notFound],
  [409, EXIT.refused],
  [413, EXIT.usage],
  [415, EXIT.usage],
  [422, EXIT.usage],
  [429, EXIT.rateLimited],
  [504, EXIT.unknown],
])

export function isErrorCode(code: string | null | undefined): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERROR_CODES, code)
}

/** Returns the exit status of an answer: from the daemon's code, otherwise from the HTTP status. */
export function exitOf(code: string | null | undefined, httpStatus: number): ExitStatus {
  return isErrorCode(code) ? ERROR_CODES[code].exit : (STATUS_EXITS.get(httpStatus) ?? EXIT.failed)
}
