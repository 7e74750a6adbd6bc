import type { HttpResponse } from './transport/exchange.js'
import { asObject, type Json } from './transport/json.js'

/**
 * The error of a request the daemon refused. Nothing was done, with two exceptions: `code` is `outcome_unknown`, or `body.results`
 * names orders of a larger request, of which some are placed.
 */
export class SvcError extends Error {
  /** HTTP status. */
  readonly status: number
  /** The kind of refusal: `validation`, `invalid_key`, `risk_refused`, `outcome_unknown`, … */
  readonly code: string | undefined
  /** The messages for each malformed field. */
  readonly errors: Readonly<Record<string, readonly string[]>>
  /** The reference of an order in doubt: look it up with `orderstatus` or `GET /orders/journal/:ref`. */
  readonly orderRef: string | undefined
  readonly requestId: string | undefined
  /** The whole answer. */
  readonly body: Json

  constructor(answer: HttpResponse) {
    super(typeof answer.body.message === 'string' ? answer.body.message : `HTTP ${answer.status}`)
    this.name = 'SvcError'
    this.status = answer.status
    this.code = answer.code
    this.errors = fieldErrors(answer.body.errors)
    this.orderRef = answer.orderRef
    this.requestId = answer.requestId
    this.body = answer.body
  }
}

/** The error of a request without an answer: no daemon, a broken connection, or a timeout. */
export class NoAnswerError extends Error {
  /** True if the daemon may have executed the request nevertheless. */
  readonly sent: boolean

  constructor(message: string, sent: boolean, cause: unknown) {
    super(message, { cause })
    this.name = 'NoAnswerError'
    this.sent = sent
  }
}

/** The error of a stream whose connection the daemon refused or ended. */
export class StreamError extends Error {
  /** HTTP status of a refused connection, or the close code of an ended one. */
  readonly status: number

  constructor(message: string, status: number) {
    super(message)
    this.name = 'StreamError'
    this.status = status
  }
}

function fieldErrors(errors: unknown): Record<string, readonly string[]> {
  const lists = Object.entries(asObject(errors) ?? {}).flatMap(([field, texts]) =>
    Array.isArray(texts) ? [[field, texts.map(String)] as const] : [],
  )
  return Object.fromEntries(lists)
}
