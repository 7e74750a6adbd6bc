import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { sha256Hex } from '../../../core/secrets/index.js'
import { addressGroup, type IpSecurity } from '../../../core/security/index.js'
import { publicPath } from '../../../core/telemetry/index.js'
import type { Clock } from '../../../core/time/index.js'
import { noteRefused } from '../../stream/upgrade.js'
import { type Call, callerAddress, callIn, type TrustedProxies } from '../client.js'
import { DaemonRequest } from '../request.js'
import { BannedRows } from './banned-rows.js'

/** The part of a WebSocket's connection, of a response, or of a stream of lines, that a ban needs. */
interface Open {
  destroy(): unknown
  once(event: 'close', listener: () => void): unknown
  headersSent?: boolean
}

export const BANNED = 'Access Denied: Your IP has been banned'
const HEADERS = {
  'Content-Type': 'text/plain; charset=utf-8',
  'Content-Length': String(BANNED.length),
  Connection: 'close',
}

/** The bans as the listening ports see them: who may come in, whom to put out, and who offended. */
export class ClientBans {
  readonly #security: IpSecurity
  readonly #proxies: TrustedProxies
  readonly #rows: BannedRows
  /** The open WebSockets and downloads by the group of their client's address. */
  readonly #inside = new Map<string, Set<Open>>()

  constructor(security: IpSecurity, proxies: TrustedProxies, clock: Pick<Clock, 'monotonic'>) {
    this.#security = security
    this.#proxies = proxies
    this.#rows = new BannedRows(clock)
    security.onBanned((group) => {
      // An answer that has not begun may be the one to the request that led to the ban.
      for (const open of this.#inside.get(group) ?? []) if (open.headersSent !== false) open.destroy()
    })
  }

  /** Returns whether a request, or the request for a WebSocket, comes from a banned client. */
  isClosedTo(request: IncomingMessage): boolean {
    const { bans } = this.#security
    if (!bans.hasAny) return false
    const address = this.#offenderIn(callIn(request))
    return address !== undefined && bans.isBanned(address)
  }

  /** Returns whether the traffic log gets a row for a request: for one of a banned client, once a minute. */
  isRecorded(request: IncomingMessage): boolean {
    if (!this.isClosedTo(request)) return true
    return this.#rows.take(addressGroup(callerAddress(callIn(request), this.#proxies)))
  }

  /** Remembers a WebSocket or a download until it ends, to close it when its client becomes banned. */
  keep(request: IncomingMessage, open: Open): void {
    const address = this.#offenderIn(callIn(request))
    if (address === undefined || this.#security.isOwners(address)) return
    const group = addressGroup(address)
    const all = this.#inside.get(group) ?? new Set()
    this.#inside.set(group, all.add(open))
    open.once('close', () => {
      all.delete(open)
      if (all.size === 0) this.#inside.delete(group)
    })
  }

  /** Counts a request for a path that does not exist. */
  addMissingPath(call: Call, path: string): void {
    const address = this.#offenderIn(call)
    if (address !== undefined) this.#security.addMissingPath(address, publicPath(path))
  }

  /** Counts an invalid API key. */
  addInvalidKey(call: Call, apiKey: string): void {
    const address = this.#offenderIn(call)
    if (address !== undefined) this.#security.addInvalidKey(address, sha256Hex(apiKey))
  }

  /**
   * Returns the address that answers for a call. Undefined when it is that of a trusted proxy, which is never banned: its
   * clients would be, too. Undefined, too, when the connection closed before its address was known.
   */
  #offenderIn(call: Call): string | undefined {
    const address = callerAddress(call, this.#proxies)
    return this.#proxies.has(address) || isIP(address) === 0 ? undefined : address
  }
}

/** Answers a request of a banned client. */
export function answerBanned(request: IncomingMessage, response: ServerResponse): void {
  if (request instanceof DaemonRequest) request.refusal = BANNED
  response.writeHead(403, HEADERS)
  response.end(BANNED)
}

/** Answers the request of a banned client for a WebSocket. */
export function refuseBanned(socket: Duplex): void {
  const lines = Object.entries(HEADERS).map(([name, value]) => `${name}: ${value}`)
  noteRefused(socket, { status: 403, message: BANNED })
  // Node closes no connection that asked for an upgrade, and a banned client may keep its side open for ever.
  socket.end(`HTTP/1.1 403 Forbidden\r\n${lines.join('\r\n')}\r\n\r\n${BANNED}`, () => socket.destroy())
}
