import type { z } from 'zod'
import type { BrokerContext, BrokerSession } from '../broker.js'
import { ORDER_CLASS, OTHER_CLASS } from '../kit/budget/limits.js'
import { BrokerHttp } from '../kit/http/http.js'
import { errorOfAnswer, notSent, unreadable } from '../kit/http/outcomes.js'
import type { BrokerHttpRequest, QueryFields } from '../kit/http/request.js'
import {
  type BrokerHttpResponse,
  isSuccess,
  jsonOf,
  LARGEST_FILE_BYTES,
  readAs,
} from '../kit/http/response.js'
import { OUTCOMES } from './errors.js'
import { DEFAULT_ENDPOINTS } from './manifest.js'
import { envelope } from './wire.js'

const READ_TIMEOUT_MS = 10_000
/** An order without a response for this long is in doubt and goes to reconciliation. */
const ORDER_TIMEOUT_MS = 15_000

/** The class of `/quote`, `/quote/ohlc` and `/quote/ltp`, which share one limit. */
const QUOTE_CLASS = 'quote'
const HISTORY = '/instruments/historical'

/** The resources whose changes the core sends after its last check, having waited for an order's turn. */
const ORDERS = /^\/(orders|gtt)\b/
/** Those of them that Kite counts with all other calls. */
const GTTS = /^\/gtt\b/

/** The credentials of every Kite request. A session stores both in one text, `API_KEY:ACCESS_TOKEN`. */
export interface KiteCredentials {
  apiKey: string
  accessToken: string
}

/** @throws BrokerError `validation` if the session does not belong to this plugin */
export function credentialsOf(session: BrokerSession): KiteCredentials {
  const colon = session.accessToken.indexOf(':')
  if (colon < 1)
    throw notSent('validation', 'The stored Zerodha session is not readable. Please log in again.')
  return {
    apiKey: session.accessToken.slice(0, colon),
    accessToken: session.accessToken.slice(colon + 1),
  }
}

/** Kite's REST conventions: headers, form bodies, the success and error envelopes. */
export class KiteApi {
  readonly #http: BrokerHttp

  /** `secrets`: additional values, besides the credentials, that must not appear in messages. */
  constructor(
    context: BrokerContext,
    credentials: KiteCredentials | undefined,
    secrets: readonly string[] = [],
  ) {
    const authorization = credentials && {
      Authorization: `token ${credentials.apiKey}:${credentials.accessToken}`,
    }
    this.#http = new BrokerHttp({
      clock: context.clock,
      budgets: context.budgets,
      baseUrl: context.endpoints.api ?? DEFAULT_ENDPOINTS.api,
      headers: { 'X-Kite-Version': '3', ...authorization },
      secrets: credentials ? [credentials.accessToken, credentials.apiKey, ...secrets] : secrets,
      timeoutMs: READ_TIMEOUT_MS,
    })
  }

  /** Reads one resource. */
  async get<S extends z.ZodType>(
    path: string,
    schema: S,
    fields: Pick<BrokerHttpRequest, 'query' | 'rank'> = {},
  ): Promise<z.output<S>> {
    const callClass = path.startsWith(HISTORY) ? 'history' : OTHER_CLASS
    const answer = await this.#http.send({ method: 'GET', path, ...fields, callClass })
    return this.#open(`GET ${path}`, answer, schema)
  }

  /** Waits for the turn of a quote. Send it with {@link quotes} at once. */
  quoteTurn(): Promise<void> {
    return this.#http.turn(QUOTE_CLASS)
  }

  /** Reads the quotes of these instruments; the caller has waited for its turn. */
  async quotes<S extends z.ZodType>(keys: readonly string[], schema: S): Promise<z.output<S>> {
    const path = '/quote'
    const query = { i: keys }
    const answer = await this.#http.send({
      method: 'GET',
      path,
      query,
      callClass: QUOTE_CLASS,
      hasTurn: true,
    })
    return this.#open(`GET ${path}`, answer, schema)
  }

  /** Sends one form, or one JSON body, once. A success that does not match `schema` is an error with `sent: 'maybe'`. */
  async send<S extends z.ZodType>(
    method: 'POST' | 'PUT' | 'DELETE',
    path: string,
    schema: S,
    fields: { form?: Readonly<Record<string, string>>; json?: unknown; query?: QueryFields } = {},
  ): Promise<z.output<S>> {
    const callClass = ORDERS.test(path) ? ORDER_CLASS : OTHER_CLASS
    const rank = method === 'DELETE' ? 'cancel' : 'order'
    const alsoCounts = GTTS.test(path) ? OTHER_CLASS : undefined
    const timeoutMs = ORDER_TIMEOUT_MS
    const answer = await this.#http.send({ method, path, ...fields, callClass, alsoCounts, rank, timeoutMs })
    return this.#open(`${method} ${path}`, answer, schema)
  }

  /** Reads the dump of instruments, which is not JSON. */
  async text(path: string, timeoutMs: number): Promise<string> {
    const largestBytes = LARGEST_FILE_BYTES
    const answer = await this.#http.send({ method: 'GET', path, timeoutMs, largestBytes })
    if (!isSuccess(answer)) throw this.#refusal(`GET ${path}`, answer, jsonOf(answer.text))
    return answer.text
  }

  redact(text: string): string {
    return this.#http.redact(text)
  }

  close(): void {
    this.#http.close()
  }

  #open<S extends z.ZodType>(call: string, answer: BrokerHttpResponse, schema: S): z.output<S> {
    const body = jsonOf(answer.text)
    const read = envelope.safeParse(body)
    if (!isSuccess(answer) || read.data?.status === 'error') throw this.#refusal(call, answer, body)
    if (read.data?.status !== 'success') throw unreadable(call, 'the answer cannot be read')
    return readAs(call, read.data.data, schema)
  }

  #refusal(call: string, answer: BrokerHttpResponse, body: unknown): Error {
    const read = envelope.safeParse(body)
    const refusal =
      read.data?.status === 'error'
        ? { message: this.redact(read.data.message.trim()), code: read.data.error_type }
        : undefined
    const retryAfter = answer.header('retry-after')
    return errorOfAnswer(OUTCOMES, { call, status: answer.status, refusal, retryAfter })
  }
}
