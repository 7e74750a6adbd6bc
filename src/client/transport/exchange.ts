import type { IncomingMessage } from 'node:http'
import type { Trust } from './agents.js'
import { type Json, objectOf } from './json.js'
import { NotProvenError } from './not-proven.js'
import { RequestError, sendRequest } from './request.js'

/** One HTTP request. */
export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  /** The body: an object is sent as JSON; text unchanged, as CSV unless the headers say otherwise. */
  body?: object | string
  headers?: Readonly<Record<string, string>>
  /** The bearer credential. */
  token?: string
}

/** The answer to a request. */
export interface HttpResponse<Body = Json> {
  status: number
  /** The body. Of a body that is not a JSON object, the first 300 characters become the `message` of one. */
  body: Body
  /** The raw body. */
  text: string
  /** The daemon's error code; undefined on success. */
  code: string | undefined
  requestId: string | undefined
  orderRef: string | undefined
  /** The Date header in milliseconds. */
  date: number | undefined
  /** All headers of the answer, in the order of their names; undefined for a stream. */
  headers?: readonly (readonly [string, string])[]
}

export interface ExchangeOptions {
  signal: AbortSignal
  userAgent: string
  /**
   * The time that the caller of a change waits for the answer. The daemon executes nothing for it afterwards,
   * so that no order is sent after its caller gave up.
   */
  answerWithinMs?: number
  /** How the daemon must prove who it is. */
  trust?: Trust | undefined
}

/** The longest wait the daemon accepts. */
const MAX_WAIT_SECONDS = 3600

/**
 * Sends one request to a daemon and returns the answer. Never repeats a request and never follows a redirect
 * with a credential.
 * @throws Error when there is no answer; {@link failureOf} says why
 */
export async function exchange(url: string, call: Call, options: ExchangeOptions): Promise<HttpResponse> {
  const response = await begin(url, call, options)
  return { ...(await answerIn(response)), headers: headersIn(response) }
}

/** Sends one request to a daemon and returns its response once the headers arrive; throws like {@link exchange}. */
export function begin(url: string, call: Call, options: ExchangeOptions): Promise<IncomingMessage> {
  return sendRequest(new URL(url + call.path), {
    method: call.method,
    headers: { 'user-agent': options.userAgent, ...deadlineHeader(options), ...headersOf(call) },
    body: typeof call.body === 'object' ? JSON.stringify(call.body) : call.body,
    signal: options.signal,
    trust: options.trust,
  })
}

/** Reads a response to its end. */
export async function answerIn(response: IncomingMessage): Promise<HttpResponse> {
  const text = await textIn(response)
  return responseOf(response.statusCode ?? 0, text, (name) => response.headers[name]?.toString())
}

/** @throws Error when the connection breaks; its `cause` is the error of the system */
async function textIn(response: IncomingMessage): Promise<string> {
  let text = ''
  try {
    for await (const chunk of response.setEncoding('utf8')) text += String(chunk)
  } catch (cause) {
    throw new Error('The connection broke', { cause })
  }
  return text
}

function headersIn({ headers }: IncomingMessage): [string, string][] {
  return Object.entries(headers)
    .flatMap(([name, value]) => [value ?? []].flat().map((one): [string, string] => [name, one]))
    .sort(([one], [other]) => (one < other ? -1 : Number(one > other)))
}

/** The error codes of a certificate that was refused, and what is wrong with it. */
export const CERTIFICATE_FAULTS: ReadonlyMap<string, 'authority' | 'name' | 'expired' | 'early' | 'revoked'> =
  new Map([
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'authority'],
    ['UNABLE_TO_GET_ISSUER_CERT', 'authority'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'authority'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'authority'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'authority'],
    ['CERT_UNTRUSTED', 'authority'],
    ['INVALID_CA', 'authority'],
    ['CERT_SIGNATURE_FAILURE', 'authority'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'name'],
    ['CERT_HAS_EXPIRED', 'expired'],
    ['CERT_NOT_YET_VALID', 'early'],
    ['CERT_REVOKED', 'revoked'],
  ])

/** The error codes after which the request was certainly never sent. */
const NEVER_CONNECTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  // The certificate was refused before anything was sent.
  ...CERTIFICATE_FAULTS.keys(),
])

interface Failure {
  /** The system's error code. */
  code: string | undefined
  /** The code, or what the innermost error says. */
  reason: string
  /** Whether the request may still have been executed. */
  sent: boolean
  /** False if no connection was made. */
  isConnected: boolean
  /** The innermost of the errors. */
  error: unknown
}

/** Returns why there was no answer, from an error or the innermost of its causes. */
export function failureOf(thrown: unknown): Failure {
  let innermost = thrown
  let wasSent = true
  let isConnected = true
  while (innermost instanceof Error && innermost.cause instanceof Error) {
    if (innermost instanceof RequestError) {
      wasSent &&= innermost.wasSent
      isConnected = innermost.isConnected
    }
    innermost = innermost.cause
  }
  if (innermost instanceof NotProvenError) wasSent = false
  // The connection itself was never made: a time-out of the system, for example.
  if (innermost instanceof Error && 'syscall' in innermost && innermost.syscall === 'connect') wasSent = false
  const code =
    innermost instanceof Error && 'code' in innermost && typeof innermost.code === 'string'
      ? innermost.code
      : undefined
  const reason = code ?? (innermost instanceof Error ? innermost.message : String(innermost))
  const sent = wasSent && (code === undefined || !NEVER_CONNECTED.has(code))
  return { code, reason, sent, isConnected, error: innermost }
}

/** Returns who answered in the place of the daemon that was meant; undefined if nobody else did. No credential was sent there. */
export function strangerText(thrown: unknown, url: string): string | undefined {
  const { error } = failureOf(thrown)
  return error instanceof NotProvenError ? `${error.message} at ${url}; no credential was sent` : undefined
}

/** Returns the headers of a request, except the user agent. */
function headersOf(call: Call): Record<string, string> {
  const headers: Record<string, string> = { accept: 'application/json', ...call.headers }
  if (typeof call.body === 'string') headers['content-type'] ??= 'text/csv'
  else if (call.body !== undefined) headers['content-type'] = 'application/json'
  if (call.token !== undefined) headers.authorization = `Bearer ${call.token}`
  return headers
}

function deadlineHeader({ answerWithinMs }: ExchangeOptions): Record<string, string> {
  if (answerWithinMs === undefined) return {}
  const seconds = Math.min(MAX_WAIT_SECONDS, Math.max(answerWithinMs, 1) / 1000)
  return { 'x-request-timeout': String(Number(seconds.toFixed(3))) }
}

/** Returns the answer, from its parts. */
export function responseOf(
  status: number,
  text: string,
  header: (name: string) => string | undefined,
): HttpResponse {
  const date = Date.parse(header('date') ?? '')
  return {
    status,
    body: objectOf(text) ?? {
      status: status < 300 ? 'success' : 'error',
      message: text.trim().slice(0, 300),
    },
    text,
    code: header('x-svc-code'),
    requestId: header('x-request-id'),
    orderRef: header('x-order-ref'),
    date: Number.isNaN(date) ? undefined : date,
  }
}
