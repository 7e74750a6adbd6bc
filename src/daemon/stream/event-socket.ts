import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { EventStream, StreamFrame } from '../../core/events/index.js'
import {
  allows,
  type Identity,
  type Principal,
  type Revocation,
  type RevocationReason,
  type Scope,
} from '../../core/identity/index.js'
import type { Logger } from '../../core/logging/index.js'
import type { Clock } from '../../core/time/index.js'
import { parseJson } from '../http/body/bounded-json.js'
import { DaemonRequest } from '../http/request.js'
import { callerOfToken } from '../middleware/session.js'
import { logFault } from '../process/process-faults.js'
import { EventAudiences, type Filter, type Listener } from './event-audiences.js'
import { answerStrategies, type StrategyAction, strategyActionOf } from './strategies/requests.js'
import type { Follower, StrategyRooms } from './strategies/rooms.js'
import type { Tickets } from './tickets.js'
import { guarded, refuse, type UpgradeRequest } from './upgrade.js'

interface EventSocketParts {
  identity: Identity
  stream: EventStream
  tickets: Tickets
  strategies: StrategyRooms
  cookieName: string
  clock: Clock
  log: Logger
}

const PATHS: ReadonlySet<string> = new Set(['/events', '/ws/events'])
const PING_INTERVAL_MS = 20_000
/** The time a client may take to close its connection when the service stops. */
export const CLOSE_TIMEOUT_MS = 1000
/**
 * Clients at a time. The limit exists because each event is written to all of them before the next order
 * runs.
 */
const MAX_CLIENTS = 50
/** Clients of one session or token, so that none of them uses up all the places. */
const MAX_CLIENTS_OF_ONE = 10
/** Missed events that are sent at once. The next page follows when this one has been written. */
const REPLAY_PAGE = 500
/** The time a client may take to answer a close frame. */
const CLOSE_PATIENCE_MS = 1000
const MAX_MESSAGE_BYTES = 4096
const SESSION_ENDED = 4401
/**
 * Close code for too many connections, after HTTP's 429. A browser cannot see the status of a refused
 * upgrade, so the server accepts the connection and then closes it.
 */
const TOO_MANY = 4429
/** The messages of `force_logout`. Clients show them, so the texts are part of the public API. */
const LOGGED_OUT = 'You have been logged out from another device.'
const FAREWELLS: Readonly<Record<RevocationReason, string>> = {
  logout: LOGGED_OUT,
  revoked: LOGGED_OUT,
  evicted: LOGGED_OUT,
  rotated: LOGGED_OUT,
  expired: 'Session expired at market close. Please log in again and complete broker authentication.',
  password_changed: 'Your password was changed. Please log in again with the new password.',
  password_reset: 'Your password was reset. Please log in again with the new password.',
  second_factor_changed: 'Your second factor was changed. Please log in again with a new code.',
}
const OF_STRATEGIES = ['read', 'strategies'] as const
/**
 * Events that need one of some scopes, because the routes that show the same data need it. Every client gets all
 * others.
 */
const SCOPES: ReadonlyMap<string, readonly Scope[]> = new Map<string, readonly Scope[]>([
  ['active_sessions_update', ['read']],
  ['strategy_event', OF_STRATEGIES],
  ['strategy_order_update', OF_STRATEGIES],
  ['strategy_run_update', OF_STRATEGIES],
])

interface Client extends Follower, Listener {
  principal: Principal
  alive: boolean
}

/**
 * The event stream over WebSocket: every event of the signed-in user, numbered. With `?since=N` the stream
 * first sends the events after number N, so that a client that reconnects misses nothing recent. The server
 * disconnects a slow client and never waits for it.
 */
export class EventSockets {
  readonly #parts: EventSocketParts
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
  })
  readonly #clients = new Set<Client>()
  readonly #audiences: EventAudiences

  constructor(parts: EventSocketParts) {
    this.#parts = parts
    this.#audiences = new EventAudiences(parts.stream)
    parts.clock.setInterval(() => this.#ping(), PING_INTERVAL_MS)
    parts.identity.onRevoked((ended) => {
      parts.tickets.forget(ended)
      this.#end(ended)
    })
  }

  get count(): number {
    return this.#clients.size
  }

  /** Handles an upgrade request if it is for the event stream. @returns whether it was */
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
    if (request instanceof DaemonRequest) request.userId = principal.username
    const since = sinceOf(url)
    if (since === 'unreadable') {
      refuse(socket, 400, 'Bad Request', 'since: Must be the number of an event, as its `seq` gives it.')
      return true
    }
    if (this.#clients.size >= MAX_CLIENTS) {
      refuse(socket, 503, 'Service Unavailable', `All ${MAX_CLIENTS} event streams are in use.`)
      return true
    }
    this.#server.handleUpgrade(request, socket, head, (ws) => {
      const welcome = guarded(ws, this.#parts.log, () => {
        if (this.#clientsOf(principal).length < MAX_CLIENTS_OF_ONE)
          this.#welcome(ws, socket, principal, since)
        else this.#refuse(ws)
      })
      welcome()
    })
    return true
  }

  /** Closes every connection, and terminates those whose client does not answer. */
  close(): void {
    for (const client of this.#clients) {
      this.#audiences.deliver(client)
      this.#close(client.socket, 1001, 'the service is stopping')
    }
    this.#server.close()
    this.#parts.clock.setTimeout(() => {
      for (const { socket } of this.#clients) socket.terminate()
    }, CLOSE_TIMEOUT_MS)
  }

  #clientsOf({ credential, credentialId }: Pick<Principal, 'credential' | 'credentialId'>): Client[] {
    // API keys and tokens are both numbered from 1, so the id alone is ambiguous.
    return [...this.#clients].filter(
      ({ principal: it }) => it.credential === credential && it.credentialId === credentialId,
    )
  }

  #refuse(socket: WebSocket): void {
    socket.on('error', () => socket.terminate())
    this.#close(socket, TOO_MANY, `a session or token may open at most ${MAX_CLIENTS_OF_ONE} event streams`)
  }

  #welcome(socket: WebSocket, transport: Duplex, principal: Principal, since: number | undefined): void {
    const { clock, log, stream } = this.#parts
    const client: Client = {
      socket,
      transport,
      principal,
      username: principal.username,
      alive: true,
      send: (text) => this.#audiences.send(client, text),
    }
    const replay = since === undefined ? undefined : stream.since(since, principal.username)
    const data = { user_id: principal.username, last_seq: stream.lastSeq, ...(replay && { gap: replay.gap }) }
    socket.send(
      JSON.stringify({
        type: 'event',
        event: 'connected',
        // For a number that no event has yet, nothing is replayed: the stream continues from the newest
        // event.
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
      this.#audiences.leave(client)
      this.#parts.strategies.leave(client)
      this.#clients.delete(client)
    })
  }

  /**
   * Sends the events a client missed, page by page as it reads, and then subscribes it to the stream. The
   * last check for missed events and the subscription happen in one turn of the event loop, so no event is
   * lost between them.
   */
  #follow(client: Client, frames: readonly StreamFrame[]): void {
    const { socket, principal } = client
    if (socket.readyState !== socket.OPEN) return
    const { stream } = this.#parts
    const missed = frames.filter((frame) => maySee(principal, frame))
    const last = missed.slice(0, REPLAY_PAGE).at(-1)
    if (!last) {
      this.#audiences.join(client, filterOf(principal))
      return
    }
    for (const frame of missed.slice(0, REPLAY_PAGE - 1)) if (frame !== last) socket.send(frame.text)
    socket.send(last.text, (error) => {
      if (error) return
      const { events, gap } = stream.since(last.seq, principal.username)
      // The missed events are no longer stored: the client must reconnect, and then learns of the gap.
      if (gap) socket.terminate()
      else this.#follow(client, events)
    })
  }

  /**
   * Closes the connections that were opened with a credential that has ended. Clients of an ended session
   * first get `force_logout` with the reason. No other client gets it: it would sign out although its session
   * is still valid.
   */
  #end(ended: Revocation): void {
    const clients = this.#clientsOf(ended)
    if (clients.length === 0) return
    const message = FAREWELLS[ended.reason]
    const farewell =
      ended.credential === 'session'
        ? this.#parts.stream.transientFrame('force_logout', { message })
        : undefined
    for (const client of clients) {
      if (farewell) client.send(farewell.text)
      else this.#audiences.deliver(client)
      this.#close(client.socket, SESSION_ENDED, 'session ended')
    }
  }

  /** Closes a connection, and terminates it if the client does not answer in time. */
  #close(socket: WebSocket, code: number, reason: string): void {
    socket.close(code, reason)
    this.#parts.clock.setTimeout(() => socket.terminate(), CLOSE_PATIENCE_MS)
  }

  /** Answers a ping, or a message about strategies. Any other message is ignored. */
  #answer(client: Client, text: string): void {
    const message = parsed(text)
    const action = message && strategyActionOf(message)
    if (message?.action === 'ping') this.#pong(client, message)
    else if (action) this.#answerStrategies(client, action, message)
  }

  #answerStrategies(
    client: Client,
    action: StrategyAction,
    message: Readonly<Record<string, unknown>>,
  ): void {
    if (!allows(client.principal, ...OF_STRATEGIES)) {
      client.send(
        JSON.stringify({ type: action, status: 'error', message: 'The token needs the scope read.' }),
      )
      return
    }
    const { log, strategies } = this.#parts
    answerStrategies(strategies, client, action, message).catch((fault: unknown) => {
      logFault(log, 'stream.failed', fault)
      client.socket.terminate()
    })
  }

  #pong({ send }: Client, message: Readonly<Record<string, unknown>>): void {
    const pong = { type: 'pong', status: 'success', server_timestamp: this.#parts.clock.now() }
    send(JSON.stringify({ ...pong, client_timestamp: message.timestamp, _pingId: message._pingId }))
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

/**
 * Returns whether the principal may see this event: the stream shows nothing that the routes would refuse.
 */
function maySee(principal: Principal, { event }: StreamFrame): boolean {
  const scopes = SCOPES.get(event)
  return scopes === undefined || allows(principal, ...scopes)
}

/** Returns the filter of a principal: its name lists the guarded events that it may see. */
function filterOf(principal: Principal): Filter {
  const seen = [...SCOPES].filter(([, scopes]) => allows(principal, ...scopes)).map(([event]) => event)
  return { name: seen.join(), maySee: (frame) => maySee(principal, frame) }
}

/** Returns the event number to resume after, or undefined when the client wants new events only. */
function sinceOf({ searchParams }: URL): number | 'unreadable' | undefined {
  const text = searchParams.get('since')
  if (text === null) return undefined
  return /^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : 'unreadable'
}

/**
 * Returns whether the page that opens the socket is on this host. A page of another site must not use the
 * user's cookie.
 */
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
