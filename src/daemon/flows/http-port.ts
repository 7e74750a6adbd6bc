import { lookup as resolveName } from 'node:dns/promises'
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { withoutByteOrderMark } from '../../core/csv/index.js'
import { messageOf } from '../../core/errors/index.js'
import {
  type HttpPort,
  type HttpRequest,
  type HttpResponse,
  hostOf,
  isAllowedHost,
  jsonIn,
  LIMITS,
  NodeError,
  refuseUnresolved,
  requestUrl,
  requirePublic,
} from '../../core/flows/index.js'
import type { Clock } from '../../core/time/index.js'

interface Address {
  address: string
  family: number
}

export interface FlowHttpParts {
  clock: Clock
  /** Entries `host` or `host:port` that flows may reach, even at a private address. */
  allowed: readonly string[]
  /** Returns all addresses of a name. The default is the system's resolver. */
  resolve?: (host: string) => Promise<readonly Address[]>
}

/**
 * Headers that the connection sets itself. A flow must not set them too: that would allow request smuggling.
 */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Returns the port for HTTP requests of flows (docs/flows.md). It ignores proxies set in the environment. */
export function flowHttp({ clock, allowed, resolve = everyAddress }: FlowHttpParts): HttpPort {
  return {
    async send(request) {
      const deadline = new AbortController()
      const timer = clock.setTimeout(
        () => deadline.abort(new NodeError(`HTTP request timed out after ${request.timeoutMs} ms`)),
        request.timeoutMs,
      )
      const signal = AbortSignal.any([request.signal, deadline.signal])
      try {
        const url = requestUrl(request.url)
        checkHeaders(request.headers)
        const addresses = await withSignal(addressesOf(url, resolve), signal)
        if (!isAllowedHost(url, allowed)) {
          requirePublic(
            hostOf(url),
            addresses.map(({ address }) => address),
          )
        }
        return await exchange(request, url, addresses, signal)
      } catch (error) {
        // A request that ends because its run was stopped has not failed.
        request.signal.throwIfAborted()
        if (deadline.signal.aborted) throw deadline.signal.reason
        if (error instanceof NodeError) throw error
        throw new NodeError(`HTTP request failed: ${messageOf(error)}`)
      } finally {
        clock.clear(timer)
      }
    },
  }
}

function everyAddress(host: string): Promise<Address[]> {
  return resolveName(host, { all: true, verbatim: true })
}

async function addressesOf(
  url: URL,
  resolve: (host: string) => Promise<readonly Address[]>,
): Promise<readonly Address[]> {
  const host = hostOf(url)
  const family = isIP(host)
  if (family !== 0) return [{ address: host, family }]
  try {
    const addresses = await resolve(host)
    if (addresses.length > 0) return addresses
  } catch (error) {
    return refuseUnresolved(host, messageOf(error))
  }
  return refuseUnresolved(host, 'no address')
}

function checkHeaders(headers: Readonly<Record<string, string>>): void {
  const own = Object.keys(headers).find((name) => OWN_HEADERS.has(name.toLowerCase()))
  if (own !== undefined) throw new NodeError(`headers must not set '${own}'`)
}

/** Rejects with the reason of the signal as soon as it is aborted. */
function withSignal<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

/** Sends one request on a connection of its own, only to an address that was checked. */
function exchange(
  { method, headers, body }: HttpRequest,
  url: URL,
  addresses: readonly Address[],
  signal: AbortSignal,
): Promise<HttpResponse> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  const auth = credentialsOf(url)
  const sent = body === undefined ? undefined : Buffer.from(body, 'utf8')
  return new Promise((resolve, reject) => {
    const outgoing: ClientRequest = send({
      protocol: url.protocol,
      host: hostOf(url),
      ...(url.port !== '' && { port: url.port }),
      path: `${url.pathname}${url.search}`,
      method,
      headers: {
        Accept: '*/*',
        'Accept-Encoding': 'identity',
        'User-Agent': 'svc',
        ...headers,
        ...(sent && { 'Content-Length': sent.byteLength }),
      },
      ...(auth !== undefined && { auth }),
      agent: false,
      lookup: lookupOf(addresses),
      signal,
    })
    const lost = () => reject(new Error('the connection was lost'))
    outgoing.on('error', reject)
    outgoing.on('close', lost)
    outgoing.on('response', (incoming) => {
      // From here on the response reports how the exchange ends.
      outgoing.off('close', lost)
      readBody(incoming)
        .then((text) => resolve({ statusCode: incoming.statusCode ?? 0, data: parsed(text) }))
        .catch((error: unknown) => {
          outgoing.destroy()
          reject(error)
        })
    })
    outgoing.end(sent)
  })
}

function credentialsOf({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined
  return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
}

/** Returns a lookup that gives only the checked addresses: a second resolution could return others. */
function lookupOf(addresses: readonly Address[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses
    if (options.all) callback(null, [...addresses])
    else callback(null, first?.address ?? '', first?.family)
  }
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of incoming) {
    const part = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk))
    bytes += part.byteLength
    if (bytes > LIMITS.httpResponseBytes) {
      throw new NodeError(`The answer is larger than ${LIMITS.httpResponseBytes} bytes`)
    }
    chunks.push(part)
  }
  return withoutByteOrderMark(Buffer.concat(chunks).toString('utf8'))
}

/**
 * Returns the value of a JSON text, or any other text as it is.
 * @throws NodeError for JSON nested too deeply
 */
function parsed(text: string): unknown {
  const value = jsonIn(text)
  return value === undefined ? text : value
}
