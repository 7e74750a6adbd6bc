import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http'

type Given = OutgoingHttpHeaders | OutgoingHttpHeader[]

/** Headers every response carries (contract, session API 8.2); there are no pages, so nothing may be framed or run. */
const STANDING: Readonly<Record<string, string>> = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'cache-control': 'no-store',
}
const REQUEST_ID = 'x-request-id'

/** What a response to one request carries beside what its route gives it. */
export function standingHeaders(requestId: string): Record<string, string> {
  return { ...STANDING, [REQUEST_ID]: requestId }
}

/** Name, value, name, value: the form in which Node takes a whole head without looking at it twice. */
const STANDING_LIST = Object.entries(STANDING).flat()

/**
 * A response that adds what every response carries as its head is written, where the route gave nothing of that
 * name. Node keeps, checks and copies each header that is set before, an eighth of what a small exchange costs.
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
    if (this.requestId === undefined || Array.isArray(given)) return super.writeHead(status, reason, given)
    const all: OutgoingHttpHeader[] = [...STANDING_LIST, REQUEST_ID, this.requestId]
    for (const name in given) {
      const value = given[name]
      if (value === undefined) continue
      const standing = STANDING_LIST.indexOf(name.toLowerCase())
      if (standing < 0) all.push(name, value)
      else all[standing + 1] = value
    }
    return super.writeHead(status, reason, all)
  }
}
