import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { EventStream, StreamFrame } from '../../core/events/index.js'
import { allows, type Identity, type Principal } from '../../core/identity/index.js'
import type { Clock } from '../../core/time/index.js'
import { callerOfToken } from '../middleware/session.js'
import type { Tickets } from './tickets.js'

export interface EventSocketParts {
  identity: Identity
  stream: EventStream
  tickets: Tickets
  cookieName: string
  clock: Clock
}

const PATHS: ReadonlySet<string> = new Set(['/events', '/ws/events'])
const PING_INTERVAL_MS = 20_000
/** Bytes that may wait for a client; one that does not read loses its connection and resumes by number. */
const MAX_BUFFERED_BYTES = 4 * 1_048_576
const MAX_MESSAGE_BYTES = 4096
const SESSION_ENDED = 4401
const FAREWELL_MS = 1000

interface Client {
  socket: WebSocket
  principal: Principal
  alive: boolean
}

/**
 * The event stream over WebSocket: every event of the signed-in user, numbered, and from `?since=N` on what came
 * after number N, so that a client that reconnects misses nothing recent. A slow client is cut off, never waited
 * for.
 */
export class EventSockets {
  readonly #parts: EventSocketParts
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
  })
  readonly #clients = new Set<Client>()

  constructor(parts: EventSocketParts) {
    this.#parts = parts
    parts.clock.setInterval(() => this.#ping(), PING_INTERVAL_MS)
    parts.identity.onRevoked(({ credentialId }) => {
      for (const { socket, principal } of this.#clients) {
        if (principal.credentialId === credentialId) socket.close(SESSION_ENDED, 'session ended')
      }
    })
  }

  get count(): number {
    return this.#clients.size
  }

  /** Takes an upgrade request if it is for the event stream. @returns whether it was */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (!PATHS.has(url.pathname)) return false
    if (!sameOrigin(request)) {
      refuse(socket, 403, 'Forbidden')
      return true
    }
    const principal = this.#principalOf(request, url)
    if (!principal || !allows(principal, 'read', 'approvals', 'orders')) {
      refuse(socket, 401, 'Unauthorized')
      return true
    }
    this.#server.handleUpgrade(request, socket, head, (ws) =>
      this.#welcome(ws, principal, url.searchParams.get('since')),
    )
    return true
  }

  /** Says goodbye to every client, and hangs up on those that do not answer. */
  close(): void {
    for (const { socket } of this.#clients) socket.close(1001, 'the service is stopping')
    this.#server.close()
    this.#parts.clock.setTimeout(() => {
      for (const { socket } of this.#clients) socket.terminate()
    }, FAREWELL_MS)
  }

  #welcome(socket: WebSocket, principal: Principal, since: string | null): void {
    const { clock, stream } = this.#parts
    const client: Client = { socket, principal, alive: true }
    const wanted = since !== null && /^\d{1,16}$/.test(since) ? Number(since) : undefined
    const replay = wanted === undefined ? undefined : stream.since(wanted, principal.username)
    const data = { user_id: principal.username, last_seq: stream.lastSeq, ...(replay && { gap: replay.gap }) }
    socket.send(
      JSON.stringify({
        type: 'event',
        event: 'connected',
        seq: wanted ?? stream.lastSeq,
        data,
        ts: clock.now(),
      }),
    )
    // Replay and subscription happen in one turn, so nothing can fall between them.
    for (const frame of replay?.events ?? []) socket.send(frame.text)
    const unsubscribe = stream.subscribe(principal.username, (frame) => this.#send(client, frame))
    this.#clients.add(client)
    socket.on('message', (message) => this.#answer(client, String(message)))
    socket.on('pong', () => {
      client.alive = true
    })
    socket.on('error', () => socket.terminate())
    socket.on('close', () => {
      unsubscribe()
      this.#clients.delete(client)
    })
  }

  #send({ socket }: Client, frame: StreamFrame): void {
    if (socket.readyState !== socket.OPEN) return
    if (socket.bufferedAmount > MAX_BUFFERED_BYTES) socket.terminate()
    else socket.send(frame.text)
  }

  /** The only thing a client has to say here is a ping. */
  #answer({ socket }: Client, text: string): void {
    const message = parsed(text)
    if (message?.action !== 'ping') return
    const pong = { type: 'pong', status: 'success', server_timestamp: this.#parts.clock.now() }
    socket.send(JSON.stringify({ ...pong, client_timestamp: message.timestamp, _pingId: message._pingId }))
  }

  #ping(): void {
    for (const client of this.#clients) {
      if (!client.alive) client.socket.terminate()
      client.alive = false
      client.socket.ping()
    }
  }

  #principalOf(request: IncomingMessage, url: URL): Principal | undefined {
    const { identity, tickets, cookieName } = this.#parts
    const ticket = url.searchParams.get('ticket')
    if (ticket) return tickets.redeem(ticket)
    const bearer = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
    if (bearer) return callerOfToken(bearer, identity)?.principal
    const cookie = cookieOf(request, cookieName)
    return cookie ? identity.sessions.verify(cookie)?.principal : undefined
  }
}

/** A browser says which page opens the socket; one of another site must not ride on the user's cookie. */
function sameOrigin(request: IncomingMessage): boolean {
  const { origin } = request.headers
  if (origin === undefined) return true
  try {
    return new URL(origin).host === request.headers.host
  } catch {
    return false
  }
}

function cookieOf(request: IncomingMessage, name: string): string | undefined {
  const cookies = (request.headers.cookie ?? '').split(';').map((cookie) => cookie.trim())
  return cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1)
}

export function refuse(socket: Duplex, status: number, reason: string): void {
  socket.end(`HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
