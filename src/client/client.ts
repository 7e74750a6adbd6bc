import {
  type AnswerOf,
  type Body,
  type EndpointName,
  isChange,
  type RouteAnswer,
  type RouteName,
  type RouteOf,
  type RouteRequest,
} from './endpoints.js'
import { NoAnswerError, SvcError } from './errors.js'
import { type ClientEvent, type EventOptions, followEvents } from './events.js'
import { followMarket, type MarketFrame, type MarketOptions } from './market.js'
import { type Names, refuseUnknown } from './options.js'
import { answerTo, type RequestParts, requestTo } from './routes.js'
import { followStrategies, type StrategyFrame, type StrategyFrameOptions } from './strategy-frames.js'
import type { Trust } from './transport/agents.js'
import {
  type Call,
  exchange,
  failureOf,
  type HttpResponse as HttpAnswer,
  strangerText,
} from './transport/exchange.js'
import type { Json } from './transport/json.js'
import { openLines } from './transport/lines.js'

export interface SvcClientOptions {
  /** The URL of the daemon. The default is http://127.0.0.1:5000. */
  url?: string
  /** The API key, for orders, books and market data. */
  apikey?: string
  /** A session or a personal access token, for the routes of a signed-in user. */
  token?: string
  /** The longest wait for an answer, in milliseconds. The daemon starts no order of a request after it. */
  timeoutMs?: number
  /** How the daemon must prove who it is; by default any daemon at the URL gets the credentials. */
  trust?: Trust | undefined
}

export interface CallOptions {
  /**
   * The caller's own key for this request. A repeated request with the same key within a day gets the outcome
   * of the first one and is not executed again.
   */
  idempotencyKey?: string
  /** Checks orders and sends nothing (`placeorder`, `placesmartorder`, `basketorder`, `splitorder`). */
  dryRun?: true
  /** Refuses an order, or a change of one, unless orders are live or simulated (`analyze`) as this says. Nothing is sent then. */
  onlyMode?: 'live' | 'analyze'
  signal?: AbortSignal
}

const OPTIONS: Names<SvcClientOptions> = {
  url: true,
  apikey: true,
  token: true,
  timeoutMs: true,
  trust: true,
}
const CALL_OPTIONS: Names<CallOptions> = {
  idempotencyKey: true,
  dryRun: true,
  onlyMode: true,
  signal: true,
}
const SIGNAL_ONLY: Names<Pick<CallOptions, 'signal'>> = { signal: true }
const PARTS: Names<RequestParts> = { params: true, query: true, body: true }
const EVENT_OPTIONS: Names<EventOptions> = { since: true, signal: true, trust: true }
const FRAME_OPTIONS: Names<StrategyFrameOptions> = { onOpen: true, signal: true, trust: true }
const MARKET_OPTIONS: Names<MarketOptions> = {
  symbols: true,
  mode: true,
  onOpen: true,
  onRefused: true,
  signal: true,
  trust: true,
}

const DEFAULT_URL = 'http://127.0.0.1:5000'
const DEFAULT_TIMEOUT_MS = 30_000

/**
 * A typed client of the daemon. Endpoints and fields have the API's own names. The client never retries a
 * request: after a {@link NoAnswerError} whose `sent` is true, look the order up, or repeat the call with the
 * same `idempotencyKey`.
 */
export class SvcClient {
  readonly url: string
  readonly #apikey: string | undefined
  readonly #token: string | undefined
  readonly #timeoutMs: number
  readonly #trust: Trust | undefined

  /** @throws TypeError for an option that it does not have; so do all calls */
  constructor(options: SvcClientOptions = {}) {
    refuseUnknown(options, OPTIONS)
    const { url = DEFAULT_URL, apikey, token, timeoutMs = DEFAULT_TIMEOUT_MS, trust } = options
    this.#trust = trust
    this.url = url.replace(/\/+$/, '')
    // A variable of the environment that is not set is often given as an empty text.
    this.#apikey = apikey || undefined
    this.#token = token || undefined
    this.#timeoutMs = timeoutMs
  }

  /**
   * Sends `POST /api/v1/<name>` with the API key. A change also takes the token along: a signed-in person may cancel,
   * close and lower orders although they wait for approval or the kill switch is on. Without a key, the token reads.
   * @throws SvcError when the daemon refuses, NoAnswerError when it does not answer
   */
  async call<N extends EndpointName>(
    name: N,
    body: Body<N>,
    options: CallOptions = {},
  ): Promise<AnswerOf<N>> {
    refuseUnknown(options, CALL_OPTIONS)
    const { idempotencyKey, dryRun, onlyMode } = options
    const headers = {
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...(dryRun && { 'x-dry-run': '1' }),
      ...(onlyMode !== undefined && { 'x-only-mode': onlyMode }),
    }
    const route: RouteOf<N> = `POST /api/v1/${name}`
    const changes = isChange(route) && dryRun !== true
    const isReader = this.#isReader(route)
    const answer = await this.#send(
      {
        ...requestTo(route, { body: isReader ? body : { apikey: this.#apikey ?? '', ...body } }),
        headers,
        ...((changes || isReader) && this.#token !== undefined && { token: this.#token }),
      },
      changes,
      options.signal,
    )
    return answerTo(route, answer).body
  }

  /**
   * Sends a request to any other route by its method and path, such as `GET /orders/journal/:ref`: the routes
   * of a signed-in user, and the GET routes of the API.
   * @throws as {@link call}
   */
  async request<N extends RouteName>(
    route: N,
    request: RouteRequest<N>,
    options: Pick<CallOptions, 'signal'> = {},
  ): Promise<RouteAnswer<N>> {
    refuseUnknown(options, SIGNAL_ONLY)
    const answer = await this.#send(this.#requestTo(route, request), !route.startsWith('GET'), options.signal)
    return answerTo(route, answer).body
  }

  /**
   * Returns the text of a route that answers with a file, such as `GET /metrics`.
   * @throws as {@link call}
   */
  async text<N extends RouteName>(route: N, request: RouteRequest<N>): Promise<string> {
    return (await this.#send(this.#requestTo(route, request), false, undefined)).text
  }

  /**
   * Yields the objects of a route that answers with one object per line, such as
   * `GET /flow/api/workflows/:id/follow`, until the answer ends.
   * @throws as {@link call}
   */
  async *lines<N extends RouteName>(
    route: N,
    request: RouteRequest<N>,
    options: Pick<CallOptions, 'signal'> = {},
  ): AsyncGenerator<Json> {
    refuseUnknown(options, SIGNAL_ONLY)
    const left = new AbortController()
    const signal = options.signal ? AbortSignal.any([left.signal, options.signal]) : left.signal
    try {
      const stream = await openLines(this.url, this.#requestTo(route, request), {
        signal,
        userAgent: 'svc-client',
        trust: this.#trust,
      })
      if (!stream.ok) throw new SvcError(stream.answer)
      yield* stream.lines
    } finally {
      left.abort()
    }
  }

  /**
   * Yields the daemon's new events, or those after number `since`. Ends with the connection. Needs a token.
   */
  events(options: EventOptions = {}): AsyncGenerator<ClientEvent> {
    refuseUnknown(options, EVENT_OPTIONS)
    return followEvents(this.url, this.#token, { trust: this.#trust, ...options })
  }

  /**
   * Yields the state of the runs of strategies, and then what changes in it; {@link stateAfter} puts both together.
   * Ends with the connection. Needs a token.
   */
  strategyFrames(options: StrategyFrameOptions): AsyncGenerator<StrategyFrame> {
    refuseUnknown(options, FRAME_OPTIONS)
    return followStrategies(this.url, this.#token, { trust: this.#trust, ...options })
  }

  /**
   * Yields live prices of symbols: fixed ones, or those that its caller follows and unfollows on the open connection.
   * Ends with the connection. Needs an API key.
   */
  ticks(options: MarketOptions): AsyncGenerator<MarketFrame> {
    refuseUnknown(options, MARKET_OPTIONS)
    return followMarket(this.url, this.#apikey ?? '', { trust: this.#trust, ...options })
  }

  /** Returns the request to a route, with the credential that its path needs. */
  #requestTo(route: RouteName, request: RequestParts): Call {
    refuseUnknown(request, PARTS)
    const call = requestTo(route, request)
    if (call.path.startsWith('/api/v1/') && !this.#isReader(route)) {
      return { ...call, headers: { 'x-api-key': this.#apikey ?? '' } }
    }
    return { ...call, ...(this.#token !== undefined && { token: this.#token }) }
  }

  /** Returns whether the token goes in place of the key. */
  #isReader(route: RouteName): boolean {
    return this.#apikey === undefined && this.#token !== undefined && !isChange(route)
  }

  async #send(call: Call, changes: boolean, signal: AbortSignal | undefined): Promise<HttpAnswer> {
    const limit = AbortSignal.timeout(this.#timeoutMs)
    let answer: HttpAnswer
    try {
      answer = await exchange(this.url, call, {
        signal: signal ? AbortSignal.any([limit, signal]) : limit,
        userAgent: 'svc-client',
        trust: this.#trust,
        ...(changes && { answerWithinMs: this.#timeoutMs }),
      })
    } catch (thrown) {
      const { reason: why, sent } = failureOf(thrown)
      const reason = limit.aborted
        ? `No answer within ${this.#timeoutMs} ms`
        : `The connection broke (${why})`
      const message = strangerText(thrown, this.url) ?? `${reason} from ${this.url}`
      throw new NoAnswerError(message, sent && changes, thrown)
    }
    if (answer.status >= 400) throw new SvcError(answer)
    return answer
  }
}
