import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import { BODIES } from './bodies.js'

export interface Received {
  method: string
  path: string
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: unknown
}

/** What a route answers: a body (`text` in its place as it is), or status, headers and body; `hang` never answers; `drop` breaks the connection. */
export type Reply =
  | { status?: number; code?: string; headers?: Record<string, string>; body: unknown; text?: string }
  | 'hang'
  | 'drop'

type Route = Reply | ((request: Received) => Reply)

/** A daemon that answers the documented bodies and remembers what it was asked. */
export class FakeDaemon {
  readonly received: Received[] = []
  readonly #routes = new Map<string, Route>(Object.entries(BODIES).map(([route, body]) => [route, { body }]))
  readonly #server: Server
  readonly sockets: WebSocketServer
  url = ''

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response))
    this.sockets = new WebSocketServer({ server: this.#server, path: '/events' })
  }

  static async start(): Promise<FakeDaemon> {
    const daemon = new FakeDaemon()
    await new Promise<void>((resolve) => daemon.#server.listen(0, '127.0.0.1', resolve))
    const { port } = daemon.#server.address() as AddressInfo
    daemon.url = `http://127.0.0.1:${port}`
    onTestFinished(() => daemon.stop())
    return daemon
  }

  async stop(): Promise<void> {
    for (const client of this.sockets.clients) client.terminate()
    this.sockets.close()
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** `POST /api/v1/placeorder`; the query is not part of the route. */
  on(route: string, reply: Route): this {
    this.#routes.set(route, reply)
    return this
  }

  /** Sends a frame to every follower. */
  emit(frame: object): void {
    for (const client of this.sockets.clients) client.send(JSON.stringify(frame))
  }

  last(route: string): Received {
    const found = this.received.findLast((one) => `${one.method} ${one.path.split('?')[0]}` === route)
    if (!found) throw new Error(`${route} was not asked; asked were ${this.received.map((one) => one.path)}`)
    return found
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
    const text = Buffer.concat(chunks).toString()
    const path = request.url ?? ''
    const method = request.method ?? ''
    const isJson = request.headers['content-type'] === 'application/json'
    const received = { method, path, headers: request.headers, body: isJson ? JSON.parse(text) : text }
    this.received.push(received)
    const route = this.#routes.get(`${method} ${path.split('?')[0]}`)
    const reply = (typeof route === 'function' ? route(received) : route) ?? NOT_FOUND
    if (reply === 'hang') return
    if (reply === 'drop') return void request.socket.destroy()
    response.writeHead(reply.status ?? 200, {
      'content-type': 'application/json',
      'x-request-id': 'req-1',
      ...(reply.code === undefined ? {} : { 'x-svc-code': reply.code }),
      ...reply.headers,
    })
    response.end(reply.text ?? JSON.stringify(reply.body))
  }
}

const NOT_FOUND: Reply = { status: 404, code: 'not_found', body: { status: 'error', message: 'Not found' } }
