import { ERROR_CODES, type ErrorCode } from '../../core/errors/index.js'
import { EXIT, type ExitStatus } from './exit-codes.js'

export interface CliErrorOptions {
  /** What to do next, as a sentence or a command. */
  hint?: string
  /** The daemon's error code, or one of the CLI's own. */
  code?: string
  requestId?: string
  /** The daemon's answer, for `--verbose`. */
  response?: unknown
  cause?: unknown
  /** The message is a text of our own in several lines; otherwise a line break in it is as foreign as the rest. */
  lines?: boolean
}

/** The way every command says no: one sentence, what to do next, and the exit status. */
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
    this.code = options.code ?? nameOf(exit)
    this.requestId = options.requestId
    this.response = options.response
    this.lines = options.lines === true
  }
}

function nameOf(exit: ExitStatus): string {
  return Object.entries(EXIT).find(([, status]) => status === exit)?.[0] ?? 'failed'
}

/** A text as a sentence of its own, so that what follows it is another. */
export function ended(text: string): string {
  return /[.!?)…]$/.test(text) ? text : `${text}.`
}

/** Wrong usage (exit 2). */
export function usageError(message: string, hint?: string): CliError {
  return new CliError(EXIT.usage, message, hint === undefined ? {} : { hint })
}

/** Ctrl-C (exit 130). */
export function interruptedError(message = 'Interrupted.'): CliError {
  return new CliError(EXIT.interrupted, message)
}

/** What to do next for each code of the daemon that has a next step. */
export const HINTS: Partial<Record<ErrorCode, string>> = {
  unauthenticated: 'Sign in: svc login',
  forbidden: 'See what this credential may do: svc whoami',
  invalid_key: 'Keep the current key: svc apikey show --save; or set SVC_API_KEY.',
  kill_switch: 'See why: svc risk show. Lift it: svc risk resume',
  risk_refused: 'See the limits: svc risk show',
  not_pending: 'See its state: svc approval list --status all',
  rate_limited: 'Wait and try again.',
  broker_missing: 'Choose a broker: svc broker list',
  unavailable: 'See: svc status, svc doctor',
  storage_full: 'See: svc doctor',
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

/** The exit status of an answer: by the daemon's code, else by the HTTP status. */
export function exitOf(code: string | null | undefined, httpStatus: number): ExitStatus {
  return isErrorCode(code) ? ERROR_CODES[code].exit : (STATUS_EXITS.get(httpStatus) ?? EXIT.failed)
}
