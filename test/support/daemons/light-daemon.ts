import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createEncrypted } from 'node:https'
import { join } from 'node:path'
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
  /** The certificate that it shows; without one it speaks plain HTTP. */
  tls?: 'good' | 'other' | 'expired'
  /** True if it proves its id, and answers nothing else. */
  hangs?: boolean
  /** Answers everything instead, also `GET /health`. */
  answer?: Answer
}

/** A server that proves its id as a daemon does and answers a few routes: twenty of them cost nothing. */
export class LightDaemon {
  readonly seen: Seen[] = []
  readonly #routes = new Map<string, object>()
  #all: Answer | undefined

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

  static async open(options: LightOptions = {}): Promise<LightDaemon> {
    const { key = SigningKey.make(), port = 0, routes = {}, tls, answer, hangs = false } = options
    const server = tls === undefined ? createServer() : createEncrypted(certificate(tls))
    const bound = await listening(server, port)
    const url = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${bound}`
    const daemon = new LightDaemon(key, url, server)
    for (const [route, body] of Object.entries(routes)) daemon.answerWith(route, body)
    if (hangs) daemon.answerAll(() => undefined)
    server.on('request', (request, response) => {
      void bodyOf(request).then((body) => daemon.#take(request, response, { body, answer }))
    })
    onTestFinished(() => daemon.close())
    return daemon
  }

  /** Answers a route, by its method and path, from now on. */
  answerWith(route: string, body: object): void {
    this.#routes.set(route, body)
  }

  /** Answers every request but that for the proof, from now on. */
  answerAll(answer: Answer): void {
    this.#all = answer
  }

  #take(
    request: IncomingMessage,
    response: ServerResponse,
    given: { body: string; answer?: Answer | undefined },
  ) {
    const { searchParams, pathname: path } = new URL(request.url ?? '/', this.url)
    const { method = 'GET', headers } = request
    this.seen.push({ method, path, authorization: headers.authorization, body: given.body })
    if (given.answer) return given.answer(request, response)
    if (path === '/health') return send(response, 200, proofOf(this.key, searchParams.get('challenge')))
    if (this.#all) return this.#all(request, response)
    const found = this.#routes.get(`${method} ${path}`)
    send(response, found ? 200 : 404, found ?? { status: 'error', message: 'Not found' })
  }

  async close(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise<void>((resolve) => this.server.close(() => resolve()))
  }
}

/** Returns a certificate of the authority in ca.pem. */
function certificate(name: string) {
  const at = (end: string) => readFileSync(join(import.meta.dirname, '../../fixtures/tls', `${name}.${end}`))
  return { key: at('key'), cert: at('pem') }
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
