import { CliError, exitOf, HINTS, interruptedError, isErrorCode } from './errors.js'
import { EXIT } from './exit-codes.js'
import type { Io } from './io.js'
import { isRow, parseJson, type Row, rowOf, textOf } from './json.js'

const DEFAULT_TIMEOUT_MS = 30_000

export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  /** A JSON body; text is sent as CSV. */
  body?: Row | string
  headers?: Readonly<Record<string, string>>
  /** The bearer credential. */
  token?: string
  /** A change: no answer means its outcome is unknown (exit 8). */
  changes: boolean
  timeoutMs?: number
  /** How to find out what became of a change that got no answer. */
  followUp?: string
}

export interface Answer {
  status: number
  body: Row
  /** The daemon's error code; undefined on success. */
  code: string | undefined
  requestId: string | undefined
  orderRef: string | undefined
  /** The Date header in milliseconds. */
  date: number | undefined
}

/** A client of one daemon. It never repeats a request by itself and never follows a redirect with a credential. */
export class Client {
  readonly url: string
  readonly #io: Io
  readonly #timeoutMs: number | undefined
  readonly #userAgent: string

  constructor(url: string, io: Io, timeoutMs: number | undefined, version: string) {
    this.#userAgent = `svc/${version}`
    this.url = url
    this.#io = io
    this.#timeoutMs = timeoutMs
  }

  /** The answer when the daemon said yes; otherwise throws a {@link CliError} with the exit status of its code. */
  async send(call: Call): Promise<Answer> {
    const answer = await this.ask(call)
    if (answer.status >= 400) throw failureOf(answer, call)
    return answer
  }

  /** The answer whatever its status; throws only when there is none. */
  async ask(call: Call): Promise<Answer> {
    const timeoutMs = this.#timeoutMs ?? call.timeoutMs ?? DEFAULT_TIMEOUT_MS
    const deadline = this.#io.deadline(timeoutMs)
    const interrupts = this.#io.interrupts()
    try {
      const response = await fetch(this.url + call.path, {
        method: call.method,
        headers: { 'user-agent': this.#userAgent, ...headersOf(call) },
        redirect: 'error',
        signal: AbortSignal.any([deadline, interrupts]),
        ...(call.body === undefined
          ? {}
          : { body: typeof call.body === 'string' ? call.body : JSON.stringify(call.body) }),
      })
      return await readAnswer(response)
    } catch (thrown) {
      if (interrupts.aborted) throw this.#interrupted(call)
      throw deadline.aborted ? this.#timedOut(call, timeoutMs) : this.#unreachable(call, thrown)
    }
  }

  #interrupted(call: Call): CliError {
    return interruptedError(
      call.changes
        ? `Interrupted: the request may have been carried out. ${call.followUp ?? ''}`.trim()
        : undefined,
    )
  }

  #timedOut(call: Call, timeoutMs: number): CliError {
    const waited = `No answer from ${this.url} within ${timeoutMs / 1000} s`
    return call.changes
      ? unknownOutcome(`${waited}: it may have been carried out.`, call)
      : new CliError(EXIT.failed, `${waited}.`, { code: 'timeout', hint: 'Wait longer: --timeout 60s' })
  }

  #unreachable(call: Call, thrown: unknown): CliError {
    const { cause } = rowOf(thrown)
    const code = textOf(rowOf(cause), 'code')
    const neverConnected = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']
    if (call.changes && !neverConnected.includes(code ?? '')) {
      return unknownOutcome(`The connection to ${this.url} broke: it may have been carried out.`, call)
    }
    return new CliError(EXIT.noDaemon, `No daemon answers at ${this.url}${code ? ` (${code})` : ''}.`, {
      code: 'no_daemon',
      hint: 'Start it: svc up --detach',
      cause: thrown,
    })
  }
}

function headersOf(call: Call): Record<string, string> {
  const headers: Record<string, string> = { accept: 'application/json', ...call.headers }
  if (typeof call.body === 'string') headers['content-type'] = 'text/csv'
  else if (call.body !== undefined) headers['content-type'] = 'application/json'
  if (call.token !== undefined) headers.authorization = `Bearer ${call.token}`
  return headers
}

async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text()
  const body = parseJson(text)
  const date = Date.parse(response.headers.get('date') ?? '')
  return {
    status: response.status,
    body: isRow(body)
      ? body
      : { status: response.ok ? 'success' : 'error', message: text.trim().slice(0, 300) },
    code: response.headers.get('x-svc-code') ?? undefined,
    requestId: response.headers.get('x-request-id') ?? undefined,
    orderRef: response.headers.get('x-order-ref') ?? undefined,
    date: Number.isNaN(date) ? undefined : date,
  }
}

/** A refusal as the user sees it: the daemon's sentence, and the next step its code has. */
export function failureOf(answer: Answer, call: Pick<Call, 'followUp' | 'changes'>): CliError {
  const { body, code, status } = answer
  const exit = exitOf(code, status)
  const reference = textOf(body, 'order_ref') ?? answer.orderRef
  const wait = textOf(body, 'retry_after')
  const hint =
    exit === EXIT.unknown
      ? reference
        ? `Do not retry blindly. Follow it: svc order status ${reference}`
        : call.followUp
      : wait !== undefined
        ? `Wait ${wait} s and try again.`
        : isErrorCode(code)
          ? HINTS[code]
          : undefined
  return new CliError(exit, messageOf(body, status), {
    ...(code === undefined ? {} : { code }),
    ...(hint === undefined ? {} : { hint }),
    ...(answer.requestId === undefined ? {} : { requestId: answer.requestId }),
    response: body,
  })
}

function messageOf(body: Row, status: number): string {
  // Beside a message, `error` says more only where something was half done; elsewhere it is a code.
  const detail = body.message === undefined || body.status === 'warning' ? body.error : undefined
  const parts = [body.message, detail].flatMap((part) =>
    typeof part === 'string' && part !== '' ? part : isRow(part) ? JSON.stringify(part) : [],
  )
  return parts.length === 0 ? `The daemon answered ${status} without a message.` : parts.join(': ')
}

function unknownOutcome(message: string, call: Call): CliError {
  return new CliError(EXIT.unknown, message, {
    code: 'outcome_unknown',
    hint: call.followUp ?? 'Look before you repeat it.',
  })
}
