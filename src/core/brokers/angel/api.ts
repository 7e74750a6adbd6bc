import type { z } from 'zod'
import { type BrokerContext, BrokerError, type BrokerSession } from '../broker.js'
import type { CallingMachine } from '../context.js'
import { type CallRank, ORDER_CLASS } from '../kit/budget/limits.js'
import { BrokerHttp } from '../kit/http/http.js'
import { errorOfAnswer, notSent, plainOutcome, unreadable } from '../kit/http/outcomes.js'
import type { BrokerHttpRequest } from '../kit/http/request.js'
import { type BrokerHttpResponse, isSuccess, jsonOf, readAs } from '../kit/http/response.js'
import { DEFAULT_ENDPOINTS } from './manifest.js'
import { OUTCOMES, PLAIN } from './outcomes.js'
import { envelope } from './wire.js'

const READ_TIMEOUT_MS = 10_000
/** An order without a response for this long is in doubt and goes to reconciliation. */
const ORDER_TIMEOUT_MS = 15_000

/** The path of every call of a session. */
export const SECURE = '/rest/secure/angelbroking'

/** What Angel is told of a machine that is not known: it requires the headers. */
const UNKNOWN_MACHINE: CallingMachine = {
  publicIp: '127.0.0.1',
  localIp: '127.0.0.1',
  mac: '00:00:00:00:00:00',
}

/** The credentials of every call. */
export interface AngelCredentials {
  apiKey: string
  clientCode: string
  /** Absent before the sign-in. */
  jwt?: string
  feedToken?: string
}

/** @throws BrokerError `validation` if the session does not belong to this plugin */
export function credentialsOf({ accessToken, extra, feedToken = '' }: BrokerSession): AngelCredentials {
  const { api_key: apiKey, client_code: clientCode } = extra ?? {}
  if (!apiKey || !clientCode)
    throw notSent('validation', 'The stored Angel One session is not readable. Please log in again.')
  return { apiKey, clientCode, jwt: accessToken, feedToken }
}

/** SmartAPI's REST conventions: headers, JSON bodies, an envelope whose errors mostly have the HTTP status 200. */
export class AngelApi {
  readonly #http: BrokerHttp

  /** @param secrets further values that must not appear in messages */
  constructor(context: BrokerContext, credentials: AngelCredentials, secrets: readonly string[] = []) {
    const { apiKey, feedToken = '', jwt } = credentials
    this.#http = new BrokerHttp({
      clock: context.clock,
      budgets: context.budgets,
      baseUrl: context.endpoints.api ?? DEFAULT_ENDPOINTS.api,
      headers: {
        Accept: 'application/json',
        'X-UserType': 'USER',
        'X-SourceID': 'WEB',
        'X-PrivateKey': apiKey,
        ...machineHeaders(context.machine ?? UNKNOWN_MACHINE),
        ...(jwt !== undefined && { Authorization: `Bearer ${jwt}` }),
      },
      secrets: [jwt ?? '', feedToken, apiKey, ...secrets],
      timeoutMs: READ_TIMEOUT_MS,
    })
  }

  /** Reads one resource. */
  get<S extends z.ZodType>(
    path: string,
    schema: S,
    fields: Pick<BrokerHttpRequest, 'callClass' | 'rank'> = {},
  ): Promise<z.output<S>> {
    return this.#call({ method: 'GET', path, ...fields }, schema)
  }

  /** Asks for something that needs a body. It changes nothing. `hasTurn`: the caller has waited for {@link turn}. */
  ask<S extends z.ZodType>(
    path: string,
    schema: S,
    { hasTurn = false, ...rest }: { json: unknown; callClass: string; hasTurn?: boolean },
  ): Promise<z.output<S>> {
    return this.#call({ method: 'POST', path, hasTurn, ...rest }, schema)
  }

  /** Sends a change of an order or a rule, once. The core has waited for the turn of an order. */
  send<S extends z.ZodType>(
    path: string,
    schema: S,
    { rank = 'order', ...rest }: { json: unknown; rank?: CallRank; alsoCounts?: string },
  ): Promise<z.output<S>> {
    const timeoutMs = ORDER_TIMEOUT_MS
    return this.#call({ method: 'POST', path, callClass: ORDER_CLASS, rank, timeoutMs, ...rest }, schema)
  }

  /** Sends a sign-in. A refusal is final: the service must not send it again by itself. */
  async signIn<S extends z.ZodType>(path: string, schema: S, json: unknown): Promise<z.output<S>> {
    try {
      return await this.#call({ method: 'POST', path, json, callClass: 'login' }, schema)
    } catch (error) {
      if (!(error instanceof BrokerError) || error.kind !== 'protocol' || error.brokerCode === undefined)
        throw error
      const { brokerCode, message } = error
      throw new BrokerError('auth', message, { sent: 'yes', brokerCode })
    }
  }

  /** Waits for the turn of a call. Send it at once. */
  turn(callClass: string): Promise<void> {
    return this.#http.turn(callClass)
  }

  redact(text: string): string {
    return this.#http.redact(text)
  }

  close(): void {
    this.#http.close()
  }

  async #call<S extends z.ZodType>(request: BrokerHttpRequest, schema: S): Promise<z.output<S>> {
    const call = `${request.method} ${request.path}`
    const answer = await this.#http.send(request)
    const body = envelope.safeParse(jsonOf(answer.text)).data
    const isOk = isSuccess(answer)
    if (isOk && !body) throw unreadable(call, 'the answer cannot be read')
    if (!isOk || !body?.isSuccess) throw this.#refusal(call, answer)
    return readAs(call, body.data, schema)
  }

  #refusal(call: string, { header, status, text }: BrokerHttpResponse): Error {
    const body = envelope.safeParse(jsonOf(text)).data
    const refusal =
      body && !body.isSuccess ? { message: this.redact(body.message), code: body.code } : undefined
    const plain = plainOutcome(PLAIN, { status, text })
    return errorOfAnswer(OUTCOMES, { call, status, refusal, plain, retryAfter: header('retry-after') })
  }
}

function machineHeaders({ localIp, mac, publicIp }: CallingMachine) {
  return { 'X-ClientLocalIP': localIp, 'X-ClientPublicIP': publicIp, 'X-MACAddress': mac }
}
