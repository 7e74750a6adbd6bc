import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Context } from 'hono'
import type { Config } from '../../core/config/index.js'
import { AddressSet, canonicalAddress, isLoopbackAddress } from '../../core/security/index.js'
import type { AppEnv } from '../process/env.js'
import { isLocalHost } from './admission/allowed-hosts.js'

/** The headers in which a proxy names its client, in order of precedence. */
const PROXY_HEADERS = ['cf-connecting-ip', 'true-client-ip', 'x-real-ip', 'x-forwarded-for', 'x-client-ip']
/** All headers that show that a proxy forwards a call. Some proxies send only one that names no client. */
const FORWARDING_HEADERS = [
  ...PROXY_HEADERS,
  'forwarded',
  'via',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-forwarded-server',
]
/** `192.0.2.1:5000` or `[2001:db8::1]:5000`: some proxies add the port of the client. */
const WITH_PORT = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/

/** A call as far as its origin is concerned: a request, or the upgrade of one to a WebSocket. */
export interface Call {
  /** The canonical address at the other end of the connection. */
  peer: string
  header(name: string): string | undefined
}

/** Returns the call of a request that a route handles. */
export function callOf(c: Context<AppEnv>): Call {
  return {
    peer: c.env.incoming ? addressOf(c.env.incoming.socket) : THIS_MACHINE,
    header: (name) => c.req.header(name),
  }
}

/** Returns the call of a request that no route handles, such as the upgrade to a WebSocket on any port. */
export function callIn({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): Call {
  return {
    peer: addressOf(socket),
    header: (name) => {
      const value = headers[name]
      return Array.isArray(value) ? value.join(',') : value
    },
  }
}

/** The peer of a call that came through no connection, but from this process. */
const THIS_MACHINE = '127.0.0.1'

/**
 * The peer of a connection that was closed before anybody asked for its address. It must not pass for this
 * machine: a caller could close its connection on purpose.
 */
const UNKNOWN = 'unknown'

/** Returns the canonical address at the other end of a connection. */
export function addressOf({ remoteAddress }: Pick<Socket, 'remoteAddress'>): string {
  return canonicalAddress(remoteAddress ?? '') ?? UNKNOWN
}

type ProxySettings = Pick<
  Config,
  'TRUST_PROXY_HEADERS' | 'TRUSTED_PROXIES' | 'CLIENT_IP_HEADER' | 'OWNER_ADDRESSES'
>

/**
 * The proxies whose headers are trusted, and the headers in which they name their clients. Any client can send
 * such a header, so those of other peers are ignored.
 */
export class TrustedProxies {
  /** The addresses of the owner, which never wait. */
  readonly owners: AddressSet
  readonly #proxies: AddressSet
  readonly #headers: readonly string[]
  readonly #any: boolean

  constructor({ TRUST_PROXY_HEADERS, TRUSTED_PROXIES, CLIENT_IP_HEADER, OWNER_ADDRESSES }: ProxySettings) {
    this.#any = TRUST_PROXY_HEADERS
    this.#headers = CLIENT_IP_HEADER === undefined ? PROXY_HEADERS : [CLIENT_IP_HEADER]
    this.#proxies = new AddressSet(TRUSTED_PROXIES)
    this.owners = new AddressSet(OWNER_ADDRESSES ?? [])
  }

  /** @param address in its canonical form */
  has(address: string): boolean {
    return this.#any && this.#proxies.has(address)
  }

  /**
   * Returns the addresses that the headers of a trusted proxy give its client, in order of precedence. The first one
   * decides, also when others disagree: behind a CDN, the second proxy names the CDN. Empty when the peer is not
   * trusted, or names nobody.
   */
  clientsOf(call: Call): string[] {
    if (!this.has(call.peer)) return []
    const named = this.#headers.map((header) => this.#clientIn(call.header(header) ?? ''))
    return [...new Set(named.filter((address) => address !== undefined))]
  }

  /**
   * Returns the client in a header. Each proxy adds the address it was called from at the end, so the last one
   * that is not a trusted proxy is the one that our own proxy saw. A client can make up the ones before it.
   */
  #clientIn(value: string): string | undefined {
    for (const entry of value.split(',').reverse()) {
      const text = entry.trim()
      if (text === '') continue
      const [, inBrackets, plain] = WITH_PORT.exec(text) ?? []
      const address = canonicalAddress(inBrackets ?? plain ?? text)
      if (address === undefined || !this.has(address)) return address
    }
    return undefined
  }
}

/**
 * Returns the address of a caller, for bans, limits, logs and sessions: the first that a trusted proxy names, or else the
 * peer's (specification, "Client IP resolution").
 */
export function callerAddress(call: Call, proxies: TrustedProxies): string {
  return proxies.clientsOf(call)[0] ?? call.peer
}

/**
 * Returns whether {@link callerAddress} is enough to grant something to a caller. It is not when headers name different
 * clients: a proxy passes on the headers that it does not set, so a caller may have made up the one that decides.
 */
export function isAddressCertain(call: Call, proxies: TrustedProxies): boolean {
  return proxies.clientsOf(call).length <= 1
}

/**
 * Returns the caller's own address, which it cannot forge. Undefined when only an address is known that many
 * callers may share: that of a proxy, or of this machine. Undefined, too, when headers name different clients: a proxy
 * passes on the headers that it does not set, so a caller may have made one up.
 */
export function ownAddress(call: Call, proxies: TrustedProxies): string | undefined {
  const named = proxies.clientsOf(call)
  const [address = call.peer] = named
  // A proxy that is not trusted may forward the call, so a forwarded call does not come from the peer itself.
  const isShared = named.length > 1 || (named.length === 0 && (isForwarded(call) || proxies.has(address)))
  return isShared || address === UNKNOWN || isLoopbackAddress(address) ? undefined : address
}

/** Returns whether a call comes from an address of the owner, which the caller cannot forge. */
export function isOwnersCall(call: Call, proxies: TrustedProxies): boolean {
  const address = ownAddress(call, proxies)
  return address !== undefined && proxies.owners.has(address)
}

/**
 * Returns whether the caller is on this machine. A call that any proxy forwards, trusted or not, does not
 * count.
 */
export function isLocalCall(c: Context<AppEnv>): boolean {
  const call = callOf(c)
  return isLoopbackAddress(call.peer) && isLocalHost(c.req.header('host')) && !isForwarded(call)
}

/** Returns whether a header says that a proxy forwards the call. */
function isForwarded(call: Call): boolean {
  return FORWARDING_HEADERS.some((header) => call.header(header) !== undefined)
}

/** Returns whether the caller's connection is encrypted, either to this service or to a trusted proxy. */
export function isOverTls(c: Context<AppEnv>, proxies: TrustedProxies): boolean {
  const forwarded = proxies.has(callOf(c).peer) ? c.req.header('x-forwarded-proto') : undefined
  return forwarded === 'https' || new URL(c.req.url).protocol === 'https:'
}
