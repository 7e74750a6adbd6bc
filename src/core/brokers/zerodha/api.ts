import type { z } from 'zod'
import type { BrokerContext, BrokerSession } from '../broker.js'
import { BrokerHttp, type BrokerHttpResponse, type QueryFields } from '../http.js'
import { type KiteRefusal, kiteError, notSent, unreadable } from './errors.js'
import { DEFAULT_ENDPOINTS } from './manifest.js'
import { envelope, jsonOf } from './wire.js'

const READ_TIMEOUT_MS = 10_000
/** An order without a response for this long is in doubt and goes to reconciliation. */
const ORDER_TIMEOUT_MS = 15_000

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
      baseUrl: context.endpoints.api ?? DEFAULT_ENDPOINTS.api,
      headers: { 'X-Kite-Version': '3', ...authorization },
      secrets: credentials ? [credentials.accessToken, credentials.apiKey, ...secrets] : secrets,
      timeoutMs: READ_TIMEOUT_MS,
    })
  }

  /** Reads one resource. */
  async get<S extends z.ZodType>(path: string, schema: S, query: QueryFields = {}): Promise<z.output<S>> {
    return this.#open(`GET ${path}`, await this.#http.send({ method: 'GET', path, query }), schema)
  }

  /** Sends one form, once. A success that does not match `schema` is an error with `sent: 'maybe'`. */
  async send<S extends z.ZodType>(
    method: 'POST' | 'PUT' | 'DELETE',
    path: string,
    schema: S,
    fields: { form?: Readonly<Record<string, string>>; query?: QueryFields } = {},
  ): Promise<z.output<S>> {
    const answer = await this.#http.send({ method, path, ...fields, timeoutMs: ORDER_TIMEOUT_MS })
    return this.#open(`${method} ${path}`, answer, schema)
  }

  /** Reads a text resource that is not JSON. */
  async text(path: string, timeoutMs: number): Promise<string> {
    const answer = await this.#http.send({ method: 'GET', path, timeoutMs })
    if (!succeeded(answer)) throw this.#refusal(`GET ${path}`, answer, jsonOf(answer.text))
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
    if (!succeeded(answer) || read.data?.status === 'error') throw this.#refusal(call, answer, body)
    if (read.data?.status !== 'success') throw unreadable(call, 'the answer cannot be read')
    const data = schema.safeParse(read.data.data)
    if (data.success) return data.data
    const where = data.error.issues[0]?.path.map(String).join('.') || 'data'
    throw unreadable(call, `the answer has no readable "${where}"`)
  }

  #refusal(call: string, answer: BrokerHttpResponse, body: unknown): Error {
    const read = envelope.safeParse(body)
    const refusal: KiteRefusal | undefined =
      read.data?.status === 'error'
        ? { message: this.redact(read.data.message.trim()), errorType: read.data.error_type }
        : undefined
    return kiteError(call, answer.status, refusal, answer.header('retry-after'))
  }
}

/** Escapes an id from outside for use as a path segment. */
export function escapeSegment(id: string): string {
  return encodeURIComponent(id)
}

function succeeded(answer: BrokerHttpResponse): boolean {
  return answer.status >= 200 && answer.status <= 299
}
