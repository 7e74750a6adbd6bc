import { BlockList, isIP } from 'node:net'
import type { Context } from 'hono'
import type { Config } from '../../core/config/index.js'
import type { AppEnv } from '../process/env.js'
import { isLocalHost, isLoopback } from './allowed-hosts.js'

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
/** The one header that lists several addresses: each proxy adds the address it was called from at the end. */
const LIST_HEADER = 'x-forwarded-for'
const IPV4_IN_IPV6 = /^::ffff:(?=\d+\.)/i

type ProxySettings = Pick<Config, 'TRUST_PROXY_HEADERS' | 'TRUSTED_PROXIES'>

/**
 * The proxies whose headers are trusted. Any client can send such a header, so those of other peers are
 * ignored.
 */
export class TrustedProxies {
  readonly #networks = new BlockList()

  constructor({ TRUST_PROXY_HEADERS, TRUSTED_PROXIES }: ProxySettings) {
    if (!TRUST_PROXY_HEADERS) return
    for (const { address, bits, family } of TRUSTED_PROXIES) this.#networks.addSubnet(address, bits, family)
    this.any = true
  }

  /** True if any proxy is trusted. */
  readonly any: boolean = false

  has(address: string): boolean {
    if (!this.any) return false
    const bare = address.replace(IPV4_IN_IPV6, '')
    const version = isIP(bare)
    return version !== 0 && this.#networks.check(bare, version === 4 ? 'ipv4' : 'ipv6')
  }
}

/** Returns the caller's address to display: the one that a trusted proxy names, or else the peer's. */
export function clientAddress(c: Context<AppEnv>, proxies: TrustedProxies): string {
  const peer = peerOf(c)
  if (!proxies.has(peer)) return peer
  for (const header of PROXY_HEADERS) {
    const value = c.req.header(header)?.split(',')[0]?.trim()
    if (value && isIP(value) !== 0) return value
  }
  return peer
}

/** The address that a caller cannot forge. */
interface CallerAddress {
  address: string
  /**
   * True when the address is the caller's own. False when many callers may share it: it is that of a proxy, or of
   * this machine.
   */
  isOwn: boolean
}

/**
 * Returns the address under which a caller's calls are counted and recognised: the one that a trusted proxy names,
 * or else the peer's. A proxy passes on the headers that it does not set itself, so a client could get a new
 * address for each call by varying one of them. When the headers name different clients, the address is therefore
 * the proxy's.
 */
export function callerAddress(c: Context<AppEnv>, proxies: TrustedProxies): CallerAddress {
  const peer = peerOf(c).replace(IPV4_IN_IPV6, '')
  // A proxy that is not trusted may forward the call, so a forwarded call does not come from the peer itself.
  if (!proxies.has(peer)) return { address: peer, isOwn: !isForwarded(c) && !isLoopback(peer) }
  const [named, ...others] = clientsNamedBy(c, proxies)
  if (named === undefined || others.length > 0 || isIP(named) === 0) return { address: peer, isOwn: false }
  return { address: named, isOwn: !isLoopback(named) }
}

/** Returns the clients that the headers of a trusted proxy name. */
function clientsNamedBy(c: Context<AppEnv>, proxies: TrustedProxies): Set<string> {
  const named = new Set<string>()
  for (const header of PROXY_HEADERS) {
    const listed = c.req.header(header)?.split(',') ?? []
    // The last address that is not a trusted proxy is the one that our own proxy saw. Earlier ones cannot be
    // trusted.
    const seen = header === LIST_HEADER ? listed.reverse() : listed
    const client = seen.map((address) => address.trim()).find((address) => !proxies.has(address))
    if (client !== undefined && client !== '') named.add(client.replace(IPV4_IN_IPV6, ''))
  }
  return named
}

/**
 * Returns whether the caller is on this machine. A call that any proxy forwards, trusted or not, does not
 * count.
 */
export function isLocalCall(c: Context<AppEnv>): boolean {
  return isLoopback(peerOf(c)) && isLocalHost(c.req.header('host')) && !isForwarded(c)
}

/** Returns whether a header says that a proxy forwards the call. */
function isForwarded(c: Context<AppEnv>): boolean {
  return FORWARDING_HEADERS.some((header) => c.req.header(header) !== undefined)
}

/** Returns whether the caller's connection is encrypted, either to this service or to a trusted proxy. */
export function isOverTls(c: Context<AppEnv>, proxies: TrustedProxies): boolean {
  const forwarded = proxies.has(peerOf(c)) ? c.req.header('x-forwarded-proto') : undefined
  return forwarded === 'https' || new URL(c.req.url).protocol === 'https:'
}

/** Returns the address at the other end of the connection. */
function peerOf(c: Context<AppEnv>): string {
  return c.env.incoming?.socket.remoteAddress ?? '127.0.0.1'
}
