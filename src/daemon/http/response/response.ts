import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http'

type Given = OutgoingHttpHeaders | OutgoingHttpHeader[]

/**
 * The headers of every response. The daemon serves data, not an application, so nothing may be framed or run,
 * and no page needs a device. `X-XSS-Protection` is for browsers that know no policy.
 */
export const FIXED_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-xss-protection': '1; mode=block',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=(), screen-wake-lock=()',
  'cache-control': 'no-store',
}
const REQUEST_ID = 'x-request-id'

/** Returns the headers that every response carries in addition to those of its route. */
export function fixedHeaders(requestId: string): Record<string, string> {
  return { ...FIXED_HEADERS, [REQUEST_ID]: requestId }
}

/**
 * Returns a whole response as text, for a connection that has no response object: a failed upgrade, or bytes
 * that are no HTTP. It closes the connection.
 */
export function rawRefusal(status: number, reason: string, message: string): string {
  const body = JSON.stringify({ status: 'error', message })
  const headers: Record<string, string> = {
    ...FIXED_HEADERS,
    Connection: 'close',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return `HTTP/1.1 ${status} ${reason}\r\n${lines.join('\r\n')}\r\n\r\n${body}`
}

/**
 * The headers as name, value, name, value: Node accepts a whole head in this form without checking it again.
 */
const FIXED_HEADER_LIST = Object.entries(FIXED_HEADERS).flat()

/**
 * A response that adds the common headers when its head is written. A header that the route sets takes
 * precedence. Setting them earlier would make Node store, check and copy each one, which is an eighth of the
 * cost of a small exchange.
 */
export class DaemonResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  requestId: string | undefined

  override writeHead(status: number, reasonOrHeaders?: string | Given, headers?: Given): this {
    const [reason, given] =
      typeof reasonOrHeaders === 'string'
        ? [reasonOrHeaders, headers]
        : [undefined, reasonOrHeaders ?? headers]
    const all: OutgoingHttpHeader[] = [...FIXED_HEADER_LIST]
    if (this.requestId !== undefined) all.push(REQUEST_ID, this.requestId)
    // Node refuses a request by itself in this form, such as one without a Host.
    if (Array.isArray(given)) return super.writeHead(status, reason, [...all, ...given])
    for (const name in given) {
      const value = given[name]
      if (value === undefined) continue
      const index = FIXED_HEADER_LIST.indexOf(name.toLowerCase())
      if (index < 0) all.push(name, value)
      else all[index + 1] = value
    }
    return super.writeHead(status, reason, all)
  }
}
