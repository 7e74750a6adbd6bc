import { BlockList, isIP } from 'node:net'
import { NodeError } from './nodes/definition.js'

/**
 * The rules for the addresses an httpRequest node may call: the public internet, never this machine or its
 * network. The sender must connect to the exact address that was checked. See docs/flows.md.
 */

const REFUSAL = 'refusing to send this request:'
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

/**
 * IPv4 networks that are not the public internet: the whole IANA special-purpose registry, multicast and
 * reserved addresses. The registry's relay and sink addresses are included, because any network may answer
 * for them.
 */
const SPECIAL_V4: readonly [network: string, prefix: number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/**
 * Azure's metadata service, which gives a machine its secrets at a public address. The metadata addresses of
 * other clouds (169.254.169.254, 100.100.100.200, 192.0.0.192, fd00:ec2::254, fd20:ce::254) are in networks
 * that are refused anyway.
 */
const CLOUD_V4: readonly [network: string, prefix: number][] = [['168.63.129.16', 32]]

/** All publicly routed IPv6 addresses. Loopback, mapped, local and multicast addresses are outside. */
const PUBLIC_V6: readonly [network: string, prefix: number][] = [['2000::', 3]]
/**
 * Exceptions within it: protocol assignments with Teredo, documentation, sinks, and 6to4, which can carry any
 * IPv4 address.
 */
const SPECIAL_V6: readonly [network: string, prefix: number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
]
/** The prefix by which networks with only IPv6 reach IPv4 addresses. */
const NAT64: readonly [network: string, prefix: number][] = [['64:ff9b::', 96]]

const specialV4 = listOf([...SPECIAL_V4, ...CLOUD_V4], 'ipv4')
const publicV6 = listOf(PUBLIC_V6, 'ipv6')
const specialV6 = listOf(SPECIAL_V6, 'ipv6')
const nat64 = listOf(NAT64, 'ipv6')

function listOf(networks: readonly [string, number][], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of networks) list.addSubnet(network, prefix, family)
  return list
}

/** Returns whether an address is on the public internet; false for a text that is not an address. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !specialV4.check(address, 'ipv4')
  if (family !== 6) return false
  // An address with a zone belongs to a network link of this machine.
  if (address.includes('%')) return false
  if (nat64.check(address, 'ipv6')) return isPublicAddress(embeddedV4(address))
  return publicV6.check(address, 'ipv6') && !specialV6.check(address, 'ipv6')
}

/** Returns the IPv4 address in the last 32 bits of an IPv6 address. */
function embeddedV4(address: string): string {
  const normal = new URL(`http://[${address}]/`).hostname.slice(1, -1)
  const tail = normal.slice(normal.lastIndexOf('::') + 1).split(':')
  const [high = 0, low = 0] = ['0', '0', ...tail].slice(-2).map((group) => Number.parseInt(group || '0', 16))
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** Returns the URL of a text that has http or https and a host. @throws NodeError */
export function requestUrl(text: string): URL {
  const scheme = /^\s*([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase()
  if (
    scheme !== undefined &&
    scheme !== 'http' &&
    scheme !== 'https' &&
    !/^[^/]*:\d+(\/|$)/.test(text.trim())
  ) {
    throw new NodeError(`${REFUSAL} scheme '${scheme}' is not allowed; use http or https`)
  }
  if (!/^\s*https?:\/\/[^/?#\\]/i.test(text) || !URL.canParse(text)) {
    throw new NodeError(`${REFUSAL} URL has no host`)
  }
  return new URL(text)
}

/** Returns the host of a URL for the name lookup, without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1')
}

/**
 * Returns whether the configuration allows a host, whatever its address. Entries are `host` or `host:port`.
 */
export function isAllowedHost(url: URL, allowed: readonly string[]): boolean {
  const host = url.hostname.toLowerCase()
  const port = url.port || DEFAULT_PORTS[url.protocol]
  return allowed.some((entry) => entry === host || entry === `${host}:${port}`)
}

/** Refuses a host whose name does not resolve. @throws NodeError */
export function refuseUnresolved(host: string, why: string): never {
  throw new NodeError(`${REFUSAL} host '${host}' could not be resolved (${why})`)
}

/** Checks that all addresses of a host are public. @throws NodeError */
export function requirePublic(host: string, addresses: readonly string[]): void {
  const inner = addresses.find((address) => !isPublicAddress(address))
  if (inner === undefined) return
  throw new NodeError(`${REFUSAL} host '${host}' resolves to ${inner}, which is not a public address`)
}

/** Returns a URL for the logs, without its credentials and query. */
export function loggedUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}${url.search === '' ? '' : '?<redacted>'}`
}
