import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  method: string
  path: string
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: unknown
}

/**
 * The gateway's reply to a request: a response in place of the daemon's; `passes` for the daemon's own; or
 * the request reaches the daemon and its answer is `lost` with the connection, or `withheld` and never sent.
 */
export type Reply =
  | { status: number; headers?: Record<string, string>; text: string }
  | 'lost'
  | 'withheld'
  | 'passes'

type Route = Reply | ((request: Received) => Reply)

/**
 * A gateway in front of a daemon. It records each request and passes it on, unless a test scripts another
 * reply.
 */
export class Gateway {
  received: Received[] = []
  readonly #routes = new Map<string, Route>()
  readonly #server: Server
  readonly #daemon: () => string
  url = ''
  /** The address that the daemon sees, as of a proxy's client. */
  client: string | undefined

  private constructor(daemon: () => string) {
    this.#daemon = daemon
    this.#server = createServer((from, to) => void this.#answer(from, to))
  }

  /** @param daemon returns the daemon's URL, which changes with a restart */
  static async before(daemon: () => string): Promise<Gateway> {
    const gateway = new Gateway(daemon)
    await new Promise<void>((resolve) => gateway.#server.listen(0, '127.0.0.1', resolve))
    const { port } = gateway.#server.address() as AddressInfo
    gateway.url = `http://127.0.0.1:${port}`
    return gateway
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** Sets the reply of a route, such as `POST /api/v1/placeorder`; the query is not part of the route. */
  on(route: string, reply: Route): this {
    this.#routes.set(route, reply)
    return this
  }

  /** Removes all replies and recorded requests. */
  reset(): void {
    this.#routes.clear()
    this.received = []
  }

  last(route: string): Received {
    const found = this.received.findLast((one) => routeOf(one) === route)
    if (!found) throw new Error(`${route} was not asked, but: ${this.received.map(routeOf).join(', ')}`)
    return found
  }

  async #answer(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of from) chunks.push(Buffer.from(chunk))
    const bytes = Buffer.concat(chunks)
    const { method = '', url: path = '', headers } = from
    const isJson = headers['content-type'] === 'application/json'
    const received = { method, path, headers, body: isJson ? JSON.parse(bytes.toString()) : bytes.toString() }
    this.received.push(received)
    const route = this.#routes.get(routeOf(received)) ?? 'passes'
    const reply = typeof route === 'function' ? route(received) : route
    if (typeof reply === 'object') to.writeHead(reply.status, reply.headers).end(reply.text)
    else this.#passOn(from, bytes, to, reply)
  }

  #passOn(from: IncomingMessage, bytes: Buffer, to: ServerResponse, reply: Reply): void {
    const { host, port } = new URL(this.#daemon())
    const { method, url: path } = from
    const named = this.client === undefined ? {} : { 'x-real-ip': this.client }
    const onward = request({ port, method, path, headers: { ...from.headers, ...named, host } }, (answer) => {
      if (reply === 'passes') {
        to.writeHead(answer.statusCode ?? 502, answer.headers).flushHeaders()
        answer.pipe(to)
      } else if (reply === 'lost') answer.resume().on('end', () => from.socket.destroy())
      else answer.resume()
    })
    onward.on('error', () => from.socket.destroy())
    to.on('close', () => onward.destroy())
    onward.end(bytes)
  }
}

const routeOf = ({ method, path }: Received): string => `${method} ${path.split('?')[0]}`

/** Returns an address on which nobody listens. */
export async function freeUrl(): Promise<string> {
  const gateway = await Gateway.before(() => '')
  await gateway.close()
  return gateway.url
}

/** Returns a body as the daemon sends it. */
export const answer = (body: unknown, status = 200, code?: string): Reply => ({
  status,
  headers: {
    'content-type': 'application/json',
    'x-request-id': 'req-1',
    ...(code === undefined ? {} : { 'x-svc-code': code }),
  },
  text: JSON.stringify(body),
})
