import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import { SigningKey } from '../../../src/core/secrets/index.js'

/** What a light daemon answers to a request that its routes do not have. */
type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A request as a light daemon saw it. */
export interface Seen {
  method: string
  /** The path without the query. */
  path: string
  authorization: string | undefined
  body: string
}

/** How a light daemon differs from a whole one. */
interface LightOptions {
  key?: SigningKey
  /** The port; by default a free one. */
  port?: number
  /** Answers by method and path: the body of a 200. */
  routes?: Readonly<Record<string, object>>
  /** Answers everything instead, also `GET /health`. */
  answer?: Answer
}

/** A server that proves its id as a daemon does and answers a few routes: twenty of them cost nothing. */
export class LightDaemon {
  readonly seen: Seen[] = []

  private constructor(
    readonly key: SigningKey,
    readonly url: string,
    readonly server: Server,
  ) {}

  get id(): string {
    return this.key.id
  }

  /** Returns the requests that carried a credential, in the header or in the body. */
  get withCredential(): readonly Seen[] {
    return this.seen.filter(
      ({ authorization, body }) => authorization !== undefined || body.includes('apikey'),
    )
  }

  static async open({
    key = SigningKey.make(),
    port = 0,
    routes = {},
    answer,
  }: LightOptions = {}): Promise<LightDaemon> {
    const server = createServer()
    const bound = await listening(server, port)
    const daemon = new LightDaemon(key, `http://127.0.0.1:${bound}`, server)
    server.on('request', (request, response) => {
      void bodyOf(request).then((body) => {
        const url = new URL(request.url ?? '/', daemon.url)
        const { method = 'GET', headers } = request
        daemon.seen.push({ method, path: url.pathname, authorization: headers.authorization, body })
        if (answer) return answer(request, response)
        if (url.pathname === '/health')
          return send(response, 200, proofOf(key, url.searchParams.get('challenge')))
        const found = routes[`${method} ${url.pathname}`]
        send(response, found ? 200 : 404, found ?? { status: 'error', message: 'Not found' })
      })
    })
    onTestFinished(() => daemon.close())
    return daemon
  }

  async close(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise<void>((resolve) => this.server.close(() => resolve()))
  }
}

/** Returns the answer of `GET /health`. */
export function proofOf(key: SigningKey, challenge: string | null): object {
  const proof = challenge === null ? {} : { proof: key.sign(`svc daemon proof 1\n${key.id}\n${challenge}`) }
  return { status: 'pass', serviceId: 'svc', id: key.id, public_key: key.publicKey, ...proof }
}

/** Sends an answer as a daemon does: with the id of the request. */
export function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'r-1' })
  response.end(JSON.stringify(body))
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk)
  return text
}

function listening(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.on('error', reject)
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
}
