import type { z } from 'zod'
import type { BrokerContext, BrokerSession } from '../broker.js'
import { type CallRank, ORDER_CLASS } from '../kit/budget/limits.js'
import { addressAt } from '../kit/http/addresses.js'
import { BrokerHttp } from '../kit/http/http.js'
import { errorOfAnswer, notSent, type Refusal, unreadable } from '../kit/http/outcomes.js'
import type { BrokerHttpRequest } from '../kit/http/request.js'
import { type BrokerHttpResponse, isSuccess, jsonOf, readAs } from '../kit/http/response.js'
import { OUTCOMES } from './errors.js'
import { DEFAULT_ENDPOINTS } from './manifest.js'
import { dataRefusal, refusal } from './wire.js'

const READ_TIMEOUT_MS = 10_000
/** An order without a response for this long is in doubt and goes to reconciliation. */
const ORDER_TIMEOUT_MS = 15_000

const QUOTE_CLASS = 'quote'
/** Belongs to the base of all calls, also where only a host is configured. */
const VERSION = '/v2'

/** The credentials of every call. The session keeps the client id beside the token. */
export interface DhanCredentials {
  clientId: string
  accessToken: string
}

/** @throws BrokerError `validation` if the session does not belong to this plugin */
export function credentialsOf({ accessToken, extra }: BrokerSession): DhanCredentials {
  const clientId = extra?.client_id
  if (!clientId || !accessToken)
    throw notSent('validation', 'The stored Dhan session is not readable. Please log in again.')
  return { clientId, accessToken }
}

/** A call of the REST API without what all have in common. */
type Request = Omit<BrokerHttpRequest, 'form' | 'bytes' | 'hasTurn'>

/** DhanHQ's REST conventions: headers, the client id in each body, and answers whose failures have two forms. */
export class DhanApi {
  readonly clientId: string
  readonly #http: BrokerHttp

  /**
   * @param secrets further values, besides the token, that must not appear in messages
   * @param headers further headers of each call
   */
  constructor(
    context: BrokerContext,
    credentials: DhanCredentials,
    secrets: readonly string[] = [],
    headers: Readonly<Record<string, string>> = {},
  ) {
    const { accessToken, clientId } = credentials
    this.clientId = clientId
    this.#http = new BrokerHttp({
      clock: context.clock,
      budgets: context.budgets,
      baseUrl: addressAt(context.endpoints.api ?? DEFAULT_ENDPOINTS.api, VERSION),
      headers: { Accept: 'application/json', 'access-token': accessToken, 'client-id': clientId, ...headers },
      secrets: [accessToken, ...secrets],
      timeoutMs: READ_TIMEOUT_MS,
    })
  }

  /** Reads one resource. */
  get<S extends z.ZodType>(path: string, schema: S, rank: CallRank = 'read'): Promise<z.output<S>> {
    return this.call({ method: 'GET', path, rank }, schema)
  }

  /** Sends one call, once. A body gets the client id. */
  async call<S extends z.ZodType>(request: Request, schema: S): Promise<z.output<S>> {
    return opened(request, await this.#http.send(this.#signed(request)), schema, (text) => this.redact(text))
  }

  /** Sends one call that changes orders or GTTs, once. The core has waited for its turn. */
  change<S extends z.ZodType>(request: Request, schema: S): Promise<z.output<S>> {
    const rank = request.method === 'DELETE' ? 'cancel' : 'order'
    return this.call({ ...request, callClass: ORDER_CLASS, rank, timeoutMs: ORDER_TIMEOUT_MS }, schema)
  }

  /** Waits for the turn of a quote. Send it with {@link quotes} at once. */
  quoteTurn(): Promise<void> {
    return this.#http.turn(QUOTE_CLASS)
  }

  /** Reads quotes; the caller has waited for its turn. */
  async quotes<S extends z.ZodType>(json: object, schema: S): Promise<z.output<S>> {
    const request = { method: 'POST', path: '/marketfeed/quote', json, callClass: QUOTE_CLASS } as const
    const answer = await this.#http.send({ ...request, hasTurn: true })
    return opened(request, answer, schema, (text) => this.redact(text))
  }

  redact(text: string): string {
    return this.#http.redact(text)
  }

  close(): void {
    this.#http.close()
  }

  #signed(request: Request): Request {
    const { json } = request
    if (typeof json !== 'object' || json === null) return request
    return { ...request, json: { dhanClientId: this.clientId, ...json } }
  }
}

/**
 * Returns the data of an answer.
 * @throws BrokerError by Dhan's code for a refusal, with whatever status it came; `protocol`, maybe sent, for a success that
 * cannot be read
 */
export function opened<S extends z.ZodType>(
  { method, path }: Pick<Request, 'method' | 'path'>,
  { header, status, text }: BrokerHttpResponse,
  schema: S,
  redact: (text: string) => string,
): z.output<S> {
  const call = `${method} ${path}`
  const body = jsonOf(text)
  const refused = refusalIn(body, redact)
  if (!isSuccess({ status }) || refused)
    throw errorOfAnswer(OUTCOMES, { call, status, refusal: refused, retryAfter: header('retry-after') })
  if (body === undefined) throw unreadable(call, 'the answer cannot be read')
  return readAs(call, body, schema)
}

function refusalIn(body: unknown, redact: (text: string) => string): Refusal | undefined {
  const trading = refusal.safeParse(body).data
  if (trading) {
    const message = redact((trading.errorMessage || trading.errorType).trim())
    return { message, code: trading.errorCode }
  }
  const [first] = Object.entries(dataRefusal.safeParse(body).data?.data ?? {})
  return first && { message: redact(String(first[1]).trim()), code: first[0] }
}
