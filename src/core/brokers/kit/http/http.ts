import { ServiceError } from '../../../errors/index.js'
import type { Clock } from '../../../time/index.js'
import { BrokerError } from '../../broker.js'
import type { CallBudgets } from '../budget/call-budgets.js'
import { type CallRank, ORDER_CLASS, OTHER_CLASS } from '../budget/limits.js'
import { neverLeft, reasonOf } from './network-failure.js'
import { unreadable } from './outcomes.js'
import { type BrokerHttpRequest, type UnsignedRequest, type WrittenRequest, writeRequest } from './request.js'
import { type BrokerHttpResponse, LARGEST_ANSWER_BYTES, readBody, TooLarge } from './response.js'

interface BrokerHttpOptions {
  clock: Clock
  /** The budgets that calls wait for before they leave. */
  budgets: CallBudgets
  /** A host, or a host with the beginning of the paths: see `addressAt`. */
  baseUrl: string
  /** Sent with every request, including Authorization. */
  headers: Readonly<Record<string, string>>
  /** Values that must never appear in an error message. */
  secrets: readonly string[]
  /** Timeout for the whole response, including the body. The wait for the budget comes before it. */
  timeoutMs: number
  /**
   * Returns further headers for a request, such as its signature. Called after the wait for the budget, immediately before
   * the request leaves, because signatures are valid for seconds only. Secrets that it adds belong to `secrets`.
   */
  sign?: (request: UnsignedRequest) => Readonly<Record<string, string>>
}

/** A shorter value would also mask ordinary words. */
const MIN_SECRET_LENGTH = 4

/**
 * Outbound HTTP of the broker plugins. Each call waits for the budget of its class. It follows no redirect and sends every
 * writing request exactly once. A GET that only reads is repeated once if its connection failed (a kept-alive socket that the
 * broker had closed).
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
   * and `maybe` after a timeout, a reset or a truncated body; `protocol`, `maybe`, for an answer that is too large, which proves
   * nothing whatever its status; `rate_limit`, never sent, if the wait for the budget would be too long
   */
  async send(request: BrokerHttpRequest): Promise<BrokerHttpResponse> {
    try {
      return await this.#once(request)
    } catch (error) {
      const isRead = request.method === 'GET' && !request.once
      if (!(error instanceof ConnectionFailure) || !isRead || this.#closed) throw error
      // The turn of the caller is used.
      return this.#once({ ...request, hasTurn: false })
    }
  }

  /**
   * Waits until the budget of a class allows a call, for a caller that writes its request only then.
   * @throws BrokerError `rate_limit`, never sent, if the wait would be too long
   */
  async turn(callClass: string, rank?: CallRank, weight?: number): Promise<void> {
    await this.#options.budgets.take(callClass, rank, weight).catch((error: unknown) => {
      if (!(error instanceof ServiceError)) throw error
      const { message, retryAfterSeconds } = error
      const retryAfterMs = retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000
      throw new BrokerError('rate_limit', message, { sent: 'never', retryAfterMs })
    })
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
    this.#requireOpen(name)
    const written = this.#written(name, request)
    // Order calls have waited before the last check of their order. Nothing may happen after it, so nothing is awaited.
    const { alsoCounts, callClass = OTHER_CLASS, hasTurn, rank, weight } = request
    if (callClass !== ORDER_CLASS && !hasTurn) {
      await this.turn(callClass, rank, weight)
      this.#requireOpen(name)
    }
    this.#sign(name, written)
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
      this.#options.budgets.noteLeft(callClass, weight)
      if (alsoCounts !== undefined) this.#options.budgets.noteLeft(alsoCounts, weight)
      return await exchange(written, request.largestBytes ?? LARGEST_ANSWER_BYTES, controller.signal)
    } catch (thrown) {
      if (timedOut) {
        throw new BrokerError('network', `${name}: no answer within ${timeoutMs} ms`, { sent: 'maybe' })
      }
      if (controller.signal.aborted) {
        throw new BrokerError('network', `${name}: stopped while waiting for the answer`, { sent: 'maybe' })
      }
      if (thrown instanceof TooLarge) throw unreadable(name, thrown.message)
      throw new ConnectionFailure(
        `${name}: ${this.redact(reasonOf(thrown))}`,
        neverLeft(thrown) ? 'never' : 'maybe',
      )
    } finally {
      clock.clear(timer)
      this.#inFlight.delete(controller)
    }
  }

  #requireOpen(name: string): void {
    if (this.#closed) throw new BrokerError('network', `${name}: the connection is closed`, { sent: 'never' })
  }

  #written(name: string, request: BrokerHttpRequest): WrittenRequest {
    try {
      return writeRequest(this.#options.baseUrl, this.#options.headers, request)
    } catch {
      throw unwritable(name)
    }
  }

  #sign(name: string, { method, target, body, headers }: WrittenRequest): void {
    try {
      const signed = this.#options.sign?.({ method, target, body }) ?? {}
      for (const [field, value] of Object.entries(signed)) headers.set(field, value)
    } catch {
      throw unwritable(name)
    }
  }
}

async function exchange(
  written: WrittenRequest,
  largestBytes: number,
  signal: AbortSignal,
): Promise<BrokerHttpResponse> {
  const { method, url, headers, body } = written
  const content = body.length > 0 ? { body } : undefined
  const response = await fetch(url, { method, headers, ...content, redirect: 'manual', signal })
  const bytes = await readBody(response, largestBytes)
  return {
    status: response.status,
    bytes,
    get text() {
      return new TextDecoder().decode(bytes)
    },
    header: (field) => response.headers.get(field) ?? undefined,
  }
}

/** Every failure on our side happens before the network is used. Its text quotes the invalid header, so it is dropped. */
function unwritable(name: string): BrokerError {
  return new BrokerError('validation', `${name}: the request cannot be written as HTTP`, { sent: 'never' })
}

/** A failed connection: the only failure after which a read may be repeated. */
class ConnectionFailure extends BrokerError {
  constructor(message: string, sent: 'never' | 'maybe') {
    super('network', message, { sent })
  }
}
