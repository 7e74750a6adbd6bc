import { type AnswerOf, type Body, type EndpointName, isChange } from './endpoints.js'
import { NoAnswerError, SvcError } from './errors.js'
import { type ClientEvent, type EventOptions, followEvents } from './events.js'
import { exchange, failureOf, type Answer as HttpAnswer } from './exchange.js'
import type { Json } from './json.js'
import { openLines } from './lines.js'
import { followMarket, type MarketFrame, type MarketOptions } from './market.js'

export interface SvcClientOptions {
  /** Where the daemon answers; http://127.0.0.1:5000 unless told otherwise. */
  url?: string
  /** For orders, books and market data. */
  apikey?: string
  /** A session or a personal access token, for the routes of a signed-in user. */
  token?: string
  /** Longest wait for an answer, in milliseconds. */
  timeoutMs?: number
}

export interface CallOptions {
  /**
   * The caller's own name for this request. Sent again with the same name within a day, it is answered with what
   * became of the first and carried out no second time.
   */
  idempotencyKey?: string
  signal?: AbortSignal
}

const DEFAULT_URL = 'http://127.0.0.1:5000'
const DEFAULT_TIMEOUT_MS = 30_000

/**
 * A typed client of the daemon: endpoints and fields have the API's own names. It never sends
 * anything twice: after a {@link NoAnswerError} whose `sent` is true, ask for the order or repeat the call with
 * the same `idempotencyKey`.
 */
export class SvcClient {
  readonly url: string
  readonly #apikey: string | undefined
  readonly #token: string | undefined
  readonly #timeoutMs: number

  constructor({ url = DEFAULT_URL, apikey, token, timeoutMs = DEFAULT_TIMEOUT_MS }: SvcClientOptions = {}) {
    this.url = url.replace(/\/+$/, '')
    this.#apikey = apikey
    this.#token = token
    this.#timeoutMs = timeoutMs
  }

  /**
   * `POST /api/v1/<name>`.
   * @throws SvcError when the daemon refuses, NoAnswerError when it does not answer
   */
  async call<N extends EndpointName>(
    name: N,
    body: Body<N>,
    options: CallOptions = {},
  ): Promise<AnswerOf<N>> {
    const { idempotencyKey } = options
    const answer = await this.#send(
      {
        method: 'POST',
        path: `/api/v1/${name}`,
        body: { apikey: this.#apikey ?? '', ...body },
        ...(idempotencyKey !== undefined && { headers: { 'idempotency-key': idempotencyKey } }),
      },
      isChange(name),
      options.signal,
    )
    // The daemon checks its own answers against these schemas in its tests; here they are taken at their word.
    return answer.body as AnswerOf<N>
  }

  /** A route of a signed-in user, such as `GET /action-center/data`. @throws as {@link call} */
  async session(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: Json,
    options: CallOptions = {},
  ): Promise<Json> {
    const call = {
      method,
      path,
      ...(body !== undefined && { body }),
      ...(this.#token !== undefined && { token: this.#token }),
    }
    return (await this.#send(call, method !== 'GET', options.signal)).body
  }

  /**
   * A session route that answers with one object a line, such as `GET /flow/api/workflows/1/follow`, until it ends.
   * @throws as {@link call}
   */
  async *lines(
    method: 'GET' | 'POST',
    path: string,
    body?: Json,
    options: Pick<CallOptions, 'signal'> = {},
  ): AsyncGenerator<Json> {
    const left = new AbortController()
    const signal = options.signal ? AbortSignal.any([left.signal, options.signal]) : left.signal
    const call = {
      method,
      path,
      ...(body !== undefined && { body }),
      ...(this.#token !== undefined && { token: this.#token }),
    }
    try {
      const stream = await openLines(this.url, call, { signal, userAgent: 'svc-client' })
      if (!stream.ok) throw new SvcError(stream.answer)
      yield* stream.lines
    } finally {
      left.abort()
    }
  }

  /** The events of the daemon from now on, or after number `since`. Ends with the connection. Needs a token. */
  events(options: EventOptions = {}): AsyncGenerator<ClientEvent> {
    return followEvents(this.url, this.#token, options)
  }

  /** Live prices of some symbols. Ends with the connection. Needs an API key. */
  ticks(options: MarketOptions): AsyncGenerator<MarketFrame> {
    return followMarket(this.url, this.#apikey ?? '', options)
  }

  async #send(
    call: Parameters<typeof exchange>[1],
    changes: boolean,
    signal: AbortSignal | undefined,
  ): Promise<HttpAnswer> {
    const limit = AbortSignal.timeout(this.#timeoutMs)
    let answer: HttpAnswer
    try {
      answer = await exchange(this.url, call, {
        signal: signal ? AbortSignal.any([limit, signal]) : limit,
        userAgent: 'svc-client',
      })
    } catch (thrown) {
      const { code, sent } = failureOf(thrown)
      const reason = limit.aborted
        ? `No answer within ${this.#timeoutMs} ms`
        : `No answer (${code ?? 'broken'})`
      throw new NoAnswerError(`${reason} from ${this.url}`, sent && changes, thrown)
    }
    if (answer.status >= 400) throw new SvcError(answer)
    return answer
  }
}
