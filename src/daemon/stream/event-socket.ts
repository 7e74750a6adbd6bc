import type { IncomingMessage } from 'node:http'
import { type WebSocket, WebSocketServer } from 'ws'
import type { EventStream, StreamFrame } from '../../core/events/index.js'
import {
  allows,
  type Identity,
  type Principal,
  type Revocation,
  type Scope,
} from '../../core/identity/index.js'
import type { Logger } from '../../core/logging/index.js'
import type { Clock } from '../../core/time/index.js'
import { parseJson } from '../http/bounded-json.js'
import { callerOfToken } from '../middleware/session.js'
import type { Tickets } from './tickets.js'
import { guarded, refuse, type UpgradeRequest } from './upgrade.js'

export interface EventSocketParts {
  identity: Identity
  stream: EventStream
  tickets: Tickets
  cookieName: string
  clock: Clock
  log: Logger
}

const PATHS: ReadonlySet<string> = new Set(['/events', '/ws/events'])
const PING_INTERVAL_MS = 20_000
/** What a client may take to say goodbye when the service stops. */
export const GOODBYE_MS = 1000
/** Bytes that may wait for a client; one that does not read loses its connection and resumes by number. */
const MAX_BUFFERED_BYTES = 1_048_576
/** Every event is written to each of them before the next order has its turn. */
const MAX_CLIENTS = 50
/** Of those, what one session or token may have, so that none shuts the others out. */
const MAX_CLIENTS_OF_ONE = 10
/** Missed events that are handed over at once; the next ones follow when these have left. */
const REPLAY_PAGE = 500
/** How long a client may take to answer the closing of its socket. */
const CLOSE_PATIENCE_MS = 1000
const MAX_MESSAGE_BYTES = 4096
const SESSION_ENDED = 4401
/** As HTTP's 429. A browser sees no status of a refused upgrade, so the connection is made and closed. */
const TOO_MANY = 4429
/** Contract, session API 1.7 and 0.4, to the letter. */
const LOGGED_OUT = 'You have been logged out from another device.'
const SESSION_EXPIRED =
  'Session expired at market close. Please log in again and complete broker authentication.'
/** Events that tell what a route of that scope tells; all others are for everybody who may listen. */
const SCOPES: ReadonlyMap<string, Scope> = new Map([['active_sessions_update', 'read']])

interface Client {
  socket: WebSocket
  principal: Principal
  alive: boolean
  unsubscribe: () => void
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
    parts.identity.onRevoked((ended) => {
      parts.tickets.forget(ended)
      this.#end(ended)
    })
  }

  get count(): number {
    return this.#clients.size
  }

  /** Takes an upgrade request if it is for the event stream. @returns whether it was */
  upgrade({ request, socket, head, url }: UpgradeRequest): boolean {
    if (!PATHS.has(url.pathname)) return false
    if (!sameOrigin(request)) {
      refuse(socket, 403, 'Forbidden')
      return true
    }
    const principal = this.#principalOf(request, url)
    if (!principal) {
      refuse(socket, 401, 'Unauthorized')
      return true
    }
    if (!allows(principal, 'read', 'approvals', 'orders')) {
      refuse(socket, 403, 'Forbidden')
      return true
    }
    const since = sinceOf(url)
    if (since === 'unreadable') {
      refuse(socket, 400, 'Bad Request', 'since: Must be the number of an event, as its `seq` gives it.')
      return true
    }
    if (this.#clients.size >= MAX_CLIENTS) {
      refuse(socket, 503, 'Service Unavailable', `All ${MAX_CLIENTS} event streams are taken.`)
      return true
    }
    this.#server.handleUpgrade(request, socket, head, (ws) => {
      const welcome = guarded(ws, this.#parts.log, () => {
        if (this.#clientsOf(principal).length < MAX_CLIENTS_OF_ONE) this.#welcome(ws, principal, since)
        else this.#turnAway(ws)
      })
      welcome()
    })
    return true
  }

  /** Says goodbye to every client, and hangs up on those that do not answer. */
  close(): void {
    for (const { socket } of this.#clients) this.#close(socket, 1001, 'the service is stopping')
    this.#server.close()
    this.#parts.clock.setTimeout(() => {
      for (const { socket } of this.#clients) socket.terminate()
    }, GOODBYE_MS)
  }

  #clientsOf({ credential, credentialId }: Pick<Principal, 'credential' | 'credentialId'>): Client[] {
    // Keys and tokens are both numbered from 1: the kind belongs to the name.
    return [...this.#clients].filter(
      ({ principal: it }) => it.credential === credential && it.credentialId === credentialId,
    )
  }

  #turnAway(socket: WebSocket): void {
    socket.on('error', () => socket.terminate())
    this.#close(socket, TOO_MANY, `a session or token may have ${MAX_CLIENTS_OF_ONE} event streams`)
  }

  #welcome(socket: WebSocket, principal: Principal, since: number | undefined): void {
    const { clock, log, stream } = this.#parts
    const client: Client = { socket, principal, alive: true, unsubscribe: () => undefined }
    const replay = since === undefined ? undefined : stream.since(since, principal.username)
    const data = { user_id: principal.username, last_seq: stream.lastSeq, ...(replay && { gap: replay.gap }) }
    socket.send(
      JSON.stringify({
        type: 'event',
        event: 'connected',
        // Nothing is replayed after a number that was never given out: it goes on from the newest there is.
        seq: Math.min(since ?? stream.lastSeq, stream.lastSeq),
        data,
        ts: clock.now(),
      }),
    )
    this.#clients.add(client)
    this.#follow(client, replay?.events ?? [])
    socket.on(
      'message',
      guarded(socket, log, (message) => this.#answer(client, String(message))),
    )
    socket.on('pong', () => {
      client.alive = true
    })
    socket.on('error', () => socket.terminate())
    socket.on('close', () => {
      client.unsubscribe()
      this.#clients.delete(client)
    })
  }

  /**
   * Hands over what a client missed, page by page as it reads, and then follows the stream. The last look and the
   * subscription happen in one turn, so nothing can fall between them.
   */
  #follow(client: Client, frames: readonly StreamFrame[]): void {
    const { socket, principal } = client
    if (socket.readyState !== socket.OPEN) return
    const { stream } = this.#parts
    const missed = frames.filter((frame) => maySee(principal, frame))
    const last = missed.slice(0, REPLAY_PAGE).at(-1)
    if (!last) {
      client.unsubscribe = stream.subscribe(principal.username, (frame) => this.#send(client, frame))
      return
    }
    for (const frame of missed.slice(0, REPLAY_PAGE - 1)) if (frame !== last) socket.send(frame.text)
    socket.send(last.text, (error) => {
      if (error) return
      const { events, gap } = stream.since(last.seq, principal.username)
      // What it missed is gone by now: it begins anew, and is told of the gap.
      if (gap) socket.terminate()
      else this.#follow(client, events)
    })
  }

  #send({ socket, principal }: Client, frame: StreamFrame): void {
    if (maySee(principal, frame)) this.#write(socket, frame.text)
  }

  #write(socket: WebSocket, text: string): void {
    if (socket.readyState !== socket.OPEN) return
    if (socket.bufferedAmount > MAX_BUFFERED_BYTES) socket.terminate()
    else socket.send(text)
  }

  /**
   * Closes what was opened with a credential that has ended. A session's clients are told why first, and no others:
   * whoever heard it would sign out, and every other session lives on.
   */
  #end(ended: Revocation): void {
    const clients = this.#clientsOf(ended)
    if (clients.length === 0) return
    const message = ended.reason === 'expired' ? SESSION_EXPIRED : LOGGED_OUT
    const farewell =
      ended.credential === 'session'
        ? this.#parts.stream.transientFrame('force_logout', { message })
        : undefined
    for (const { socket } of clients) {
      if (farewell) this.#write(socket, farewell.text)
      this.#close(socket, SESSION_ENDED, 'session ended')
    }
  }

  /** Says goodbye, and does not wait for long for the answer. */
  #close(socket: WebSocket, code: number, reason: string): void {
    socket.close(code, reason)
    this.#parts.clock.setTimeout(() => socket.terminate(), CLOSE_PATIENCE_MS)
  }

  /** The only thing a client has to say here is a ping. */
  #answer({ socket }: Client, text: string): void {
    const message = parsed(text)
    if (message?.action !== 'ping') return
    const pong = { type: 'pong', status: 'success', server_timestamp: this.#parts.clock.now() }
    const answer = { ...pong, client_timestamp: message.timestamp, _pingId: message._pingId }
    this.#write(socket, JSON.stringify(answer))
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

/** A stream shows no principal what the routes would not. */
function maySee(principal: Principal, { event }: StreamFrame): boolean {
  const scope = SCOPES.get(event)
  return scope === undefined || allows(principal, scope)
}

/** The number after which a client wants what it missed; undefined when it wants only what comes. */
function sinceOf({ searchParams }: URL): number | 'unreadable' | undefined {
  const text = searchParams.get('since')
  if (text === null) return undefined
  return /^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : 'unreadable'
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

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value = parseJson(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
