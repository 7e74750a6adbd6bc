import type { CallRank } from '../budget/limits.js'
import { addressAt } from './addresses.js'

export type QueryFields = Readonly<Record<string, string | readonly string[]>>

/** One request. At most one of `form`, `json` and `bytes` is its body. */
export interface BrokerHttpRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path below the base URL, already escaped. It appears in error messages; the query does not. */
  path: string
  /** A list is sent as one parameter per value. */
  query?: QueryFields
  /** Sent form-urlencoded. */
  form?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  json?: unknown
  /** Sent as they are; `type` is their media type. */
  bytes?: { type: string; content: Uint8Array<ArrayBuffer> }
  /** Further headers of this request. */
  headers?: Readonly<Record<string, string>>
  timeoutMs?: number
  /** The largest answer that is read, in bytes; `LARGEST_ANSWER_BYTES` by default. */
  largestBytes?: number
  /** The class whose budget the call waits for; `other` by default. Calls of `order` have waited in the core. */
  callClass?: string
  /** A further class that the broker counts the call in. Nobody waits for it: the call only counts when it leaves. */
  alsoCounts?: string
  /** Whether a GET changes something at the broker, so that it is not repeated. No other method is. */
  once?: boolean
  /** Whether the caller has waited for the budget already. */
  hasTurn?: boolean
  /** How urgent the call is within its class; `read` by default. */
  rank?: CallRank
  /** The number of calls that the broker counts for it; 1 by default. */
  weight?: number
}

/** What a signature is made of: the request as it leaves. */
export interface UnsignedRequest {
  method: BrokerHttpRequest['method']
  /** The path and the query, as they are sent: `/v2/orders?states=open`. */
  target: string
  /** The body as it is sent; empty without one. */
  body: string | Uint8Array<ArrayBuffer>
}

/** A request that is ready to be sent. */
export interface WrittenRequest extends UnsignedRequest {
  url: URL
  headers: Headers
}

/**
 * Writes a request as HTTP.
 * @throws TypeError for what HTTP cannot carry; its text may quote a header
 */
export function writeRequest(
  baseUrl: string,
  fields: Readonly<Record<string, string>>,
  request: BrokerHttpRequest,
): WrittenRequest {
  const url = new URL(addressAt(baseUrl, request.path))
  for (const [field, values] of Object.entries(request.query ?? {})) {
    for (const value of typeof values === 'string' ? [values] : values) url.searchParams.append(field, value)
  }
  const headers = new Headers({ ...fields, ...request.headers })
  const { type, content } = bodyOf(request)
  if (type !== undefined) headers.set('content-type', type)
  return { method: request.method, target: `${url.pathname}${url.search}`, body: content, url, headers }
}

function bodyOf({ form, json, bytes }: BrokerHttpRequest): {
  type: string | undefined
  content: UnsignedRequest['body']
} {
  if (form) return { type: 'application/x-www-form-urlencoded', content: String(new URLSearchParams(form)) }
  if (json !== undefined) return { type: 'application/json', content: JSON.stringify(json) }
  return bytes ?? { type: undefined, content: '' }
}
