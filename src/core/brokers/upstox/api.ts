import type { z } from 'zod'
import type { BrokerContext, BrokerError } from '../broker.js'
import { type CallRank, ORDER_CLASS, OTHER_CLASS } from '../kit/budget/limits.js'
import { BrokerHttp } from '../kit/http/http.js'
import { errorOfAnswer, unreadable } from '../kit/http/outcomes.js'
import type { BrokerHttpRequest } from '../kit/http/request.js'
import { type BrokerHttpResponse, isSuccess, jsonOf, readAs } from '../kit/http/response.js'
import { ADDRESS_REFUSED, OUTCOMES } from './errors.js'
import { DEFAULT_ENDPOINTS } from './manifest.js'
import { envelope, refusal } from './wire.js'

const READ_TIMEOUT_MS = 10_000
/** An order without a response for this long is in doubt and goes to reconciliation. */
const ORDER_TIMEOUT_MS = 15_000

/** What the core sends after its last check, having waited for an order's turn. */
const ORDERS = /^\/v3\/order\/(place|modify|cancel|gtt)\b/
/** Those of them that have a host of their own. */
const ON_ORDER_HOST = /^\/v3\/order\/(place|modify|cancel)\b/

type Fields = Pick<BrokerHttpRequest, 'query' | 'json' | 'headers' | 'rank' | 'hasTurn'>

/** Upstox's REST conventions: hosts, headers, the success and error envelopes. Both hosts count in the same budgets. */
export class UpstoxApi {
  readonly #api: BrokerHttp
  readonly #hft: BrokerHttp

  /** `secrets`: additional values, besides the token, that must not appear in messages. */
  constructor(context: BrokerContext, accessToken: string | undefined, secrets: readonly string[] = []) {
    const { budgets, clock, endpoints } = context
    const authorization = accessToken === undefined ? undefined : { Authorization: `Bearer ${accessToken}` }
    const at = (baseUrl: string) =>
      new BrokerHttp({
        clock,
        budgets,
        baseUrl: withoutVersion(baseUrl),
        headers: { Accept: 'application/json', ...authorization },
        secrets: accessToken === undefined ? secrets : [accessToken, ...secrets],
        timeoutMs: READ_TIMEOUT_MS,
      })
    this.#api = at(endpoints.api ?? DEFAULT_ENDPOINTS.api)
    this.#hft = at(endpoints.hft ?? DEFAULT_ENDPOINTS.hft)
  }

  /** Reads one resource. */
  async get<S extends z.ZodType>(path: string, schema: S, fields: Fields = {}): Promise<z.output<S>> {
    return this.#open(`GET ${path}`, await this.#api.send({ method: 'GET', path, ...fields }), schema)
  }

  /** Waits for the turn of a read. Send it with `hasTurn` at once. */
  turn(rank?: CallRank): Promise<void> {
    return this.#api.turn(OTHER_CLASS, rank)
  }

  /** Sends one JSON body, or a query, once. A success that does not match `schema` is an error with `sent: 'maybe'`. */
  async send<S extends z.ZodType>(
    method: 'POST' | 'PUT' | 'DELETE',
    path: string,
    schema: S,
    fields: Fields = {},
  ): Promise<z.output<S>> {
    const http = ON_ORDER_HOST.test(path) ? this.#hft : this.#api
    const callClass = ORDERS.test(path) ? ORDER_CLASS : OTHER_CLASS
    const rank = method === 'DELETE' ? 'cancel' : 'order'
    const timeoutMs = ORDER_TIMEOUT_MS
    const answer = await http.send({ method, path, rank, ...fields, callClass, timeoutMs })
    return this.#open(`${method} ${path}`, answer, schema)
  }

  /** Sends a form whose answer has no envelope. */
  async exchange<S extends z.ZodType>(
    path: string,
    schema: S,
    form: Readonly<Record<string, string>>,
  ): Promise<z.output<S>> {
    const answer = await this.#api.send({ method: 'POST', path, form, timeoutMs: ORDER_TIMEOUT_MS })
    const body = jsonOf(answer.text)
    if (!isSuccess(answer) || refusal.safeParse(body).success)
      throw this.#refusal(`POST ${path}`, answer, body)
    return readAs(`POST ${path}`, body, schema)
  }

  redact(text: string): string {
    return this.#api.redact(text)
  }

  close(): void {
    this.#api.close()
    this.#hft.close()
  }

  #open<S extends z.ZodType>(call: string, answer: BrokerHttpResponse, schema: S): z.output<S> {
    const body = jsonOf(answer.text)
    const { data: opened } = envelope.safeParse(body)
    if (!isSuccess(answer) || opened?.status === 'error') throw this.#refusal(call, answer, body)
    // A part of something is never what was asked for here.
    if (opened?.status !== 'success') throw unreadable(call, 'the answer cannot be read')
    return readAs(call, opened.data, schema)
  }

  #refusal(call: string, answer: BrokerHttpResponse, body: unknown): BrokerError {
    const { data } = refusal.safeParse(body)
    const [first] = data?.errors ?? []
    const said = first && {
      message: this.redact(data?.errors.map(({ message }) => message.trim()).join(' ') ?? ''),
      code: first.error_code || first.errorCode,
    }
    const isOrder = ORDERS.test(call.slice(call.indexOf(' ') + 1))
    const isAddress = isOrder && said !== undefined && ADDRESS_REFUSED.test(said.message)
    return errorOfAnswer(isAddress ? { [said.code]: { kind: 'ip_not_allowed', proves: true } } : OUTCOMES, {
      call,
      status: answer.status,
      refusal: said,
      retryAfter: answer.header('retry-after'),
      codesProve: true,
    })
  }
}

/** Returns an endpoint without a version at its end: the paths of the calls have theirs. */
export function withoutVersion(endpoint: string): string {
  return endpoint.replace(/\/v[23]\/?$/, '')
}
