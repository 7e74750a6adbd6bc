import type { Clock } from '../time/index.js'
import { BrokerError } from './broker.js'

interface BrokerHttpOptions {
  clock: Clock
  /** Scheme and host, without a trailing slash: `https://api.example.com`. */
  baseUrl: string
  /** Sent with every request, including Authorization. */
  headers: Readonly<Record<string, string>>
  /** Values that must never appear in an error message. */
  secrets: readonly string[]
  /** Timeout for the whole response, including the body. */
  timeoutMs: number
}

export interface BrokerHttpRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Path below the base URL, already escaped. It appears in error messages; the query does not. */
  path: string
  /** A list is sent as one parameter per value. */
  query?: QueryFields
  /** Sent form-urlencoded. */
  form?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  json?: unknown
  timeoutMs?: number
}

export type QueryFields = Readonly<Record<string, string | readonly string[]>>

/** A response of any status, with its whole body. */
export interface BrokerHttpResponse {
  status: number
  text: string
  header(name: string): string | undefined
}

/** Failures before any byte of the request is sent: name look-up, connect, TLS handshake. */
const BEFORE_SEND_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])

/** The same, identified by the failed system call, for any code (EHOSTUNREACH, ENETUNREACH, ETIMEDOUT, …). */
const BEFORE_SEND_SYSCALLS: ReadonlySet<string> = new Set(['connect', 'getaddrinfo'])

/** A shorter value would also mask ordinary words. */
const MIN_SECRET_LENGTH = 4

/**
 * Outbound HTTP of the broker plugins. It follows no redirect and sends every writing request exactly once. A
 * GET is repeated once, immediately, if its connection failed (a kept-alive socket that the broker had
 * closed).
 */
export class BrokerHttp {
  readonly #options: BrokerHttpOptions
  readonly #secrets: readonly string[]
  readonly #inFlight = new Set<AbortController>()
  #closed = false

  constructor(options: BrokerHttpOptions) {
    this.#options = options
    this.#secrets = options.secrets.filter((secret) => secret.length >= MIN_SECRET_LENGTH)
  }

  /**
   * Resolves with the broker's response, whatever its status.
   * @throws BrokerError `network`: `sent` is `never` if the failure came before the request could be sent,
   * and `maybe` after a timeout, a reset or a truncated body
   */
  async send(request: BrokerHttpRequest): Promise<BrokerHttpResponse> {
    try {
      return await this.#once(request)
    } catch (error) {
      if (!(error instanceof ConnectionFailure) || request.method !== 'GET' || this.#closed) throw error
      return this.#once(request)
    }
  }

  /** Masks the secrets of this connection in a text. */
  redact(text: string): string {
    return this.#secrets.reduce(
      (clean, secret) =>
        clean.replaceAll(secret, '[redacted]').replaceAll(encodeURIComponent(secret), '[redacted]'),
      text,
    )
  }

  /** Aborts requests in flight (a write then counts as possibly sent) and refuses new ones. */
  close(): void {
    this.#closed = true
    for (const controller of this.#inFlight) controller.abort()
  }

  async #once(request: BrokerHttpRequest): Promise<BrokerHttpResponse> {
    const name = `${request.method} ${request.path}`
    if (this.#closed) throw new BrokerError('network', `${name}: the connection is closed`, { sent: 'never' })
    const { url, init } = this.#prepare(name, request)
    const { clock } = this.#options
    const timeoutMs = request.timeoutMs ?? this.#options.timeoutMs
    const controller = new AbortController()
    let timedOut = false
    const timer = clock.setTimeout(() => {
      timedOut = true
      controller.abort()
    }, timeoutMs)
    this.#inFlight.add(controller)
    try {
      const response = await fetch(url, { ...init, redirect: 'manual', signal: controller.signal })
      const text = await response.text()
      return { status: response.status, text, header: (field) => response.headers.get(field) ?? undefined }
    } catch (thrown) {
      if (timedOut) {
        throw new BrokerError('network', `${name}: no answer within ${timeoutMs} ms`, { sent: 'maybe' })
      }
      if (controller.signal.aborted) {
        throw new BrokerError('network', `${name}: stopped while waiting for the answer`, { sent: 'maybe' })
      }
      throw new ConnectionFailure(
        `${name}: ${this.redact(reasonOf(thrown))}`,
        neverLeft(thrown) ? 'never' : 'maybe',
      )
    } finally {
      clock.clear(timer)
      this.#inFlight.delete(controller)
    }
  }

  /** Every failure on our side happens here, before the network is used. */
  #prepare(name: string, request: BrokerHttpRequest): { url: URL; init: RequestInit } {
    try {
      const url = new URL(`${this.#options.baseUrl}${request.path}`)
      for (const [field, values] of Object.entries(request.query ?? {})) {
        for (const value of typeof values === 'string' ? [values] : values)
          url.searchParams.append(field, value)
      }
      const headers = new Headers(this.#options.headers)
      const init: RequestInit = { method: request.method, headers }
      if (request.form) {
        headers.set('content-type', 'application/x-www-form-urlencoded')
        init.body = new URLSearchParams(request.form).toString()
      } else if (request.json !== undefined) {
        headers.set('content-type', 'application/json')
        init.body = JSON.stringify(request.json)
      }
      return { url, init }
    } catch {
      // The text of such an error quotes the invalid header, so it is dropped.
      throw new BrokerError('validation', `${name}: the request cannot be written as HTTP`, { sent: 'never' })
    }
  }
}

/** A failed connection: the only failure after which a read may be repeated. */
class ConnectionFailure extends BrokerError {
  constructor(message: string, sent: 'never' | 'maybe') {
    super('network', message, { sent })
  }
}

/**
 * Returns whether the failure came before the first byte of the request could be sent. Unknown errors count
 * as no.
 */
function neverLeft(thrown: unknown): boolean {
  const error = rootOf(thrown)
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(neverLeft)
  return (
    BEFORE_SEND_CODES.has(textField(error, 'code')) || BEFORE_SEND_SYSCALLS.has(textField(error, 'syscall'))
  )
}

function reasonOf(thrown: unknown): string {
  const error = rootOf(thrown)
  return textField(error, 'code') || (error instanceof Error ? error.message : 'the connection failed')
}

/** `fetch` wraps the original error; the innermost error has the reason. */
function rootOf(thrown: unknown): unknown {
  return thrown instanceof Error && thrown.cause instanceof Error ? rootOf(thrown.cause) : thrown
}

function textField(value: unknown, field: 'code' | 'syscall'): string {
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined
  return typeof found === 'string' ? found : ''
}
