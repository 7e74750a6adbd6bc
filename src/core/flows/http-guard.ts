import { BlockList, isIP } from 'node:net'
import { NodeError } from './nodes/definition.js'

/**
 * Where an httpRequest node may send to (contract, flow section 2.7): the web, never the machine or the network
 * the service runs in. These are the rules; who connects must connect to the very address that was checked.
 */

const REFUSAL = 'refusing to send this request:'
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

/**
 * IPv4 networks that are not the public internet: all of the IANA special-purpose registry (its relay and sink
 * addresses too, since any network may answer for them), multicast and reserved.
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
 * Where a cloud tells a machine its own secrets, though by its number the address is public: Azure's. Those of the
 * others (169.254.169.254, 100.100.100.200, 192.0.0.192, fd00:ec2::254, fd20:ce::254) are in networks refused anyway.
 */
const CLOUD_V4: readonly [network: string, prefix: number][] = [['168.63.129.16', 32]]

/** All that is routed publicly in IPv6; the rest (loopback, mapped, local, multicast) lies outside. */
const PUBLIC_V6: readonly [network: string, prefix: number][] = [['2000::', 3]]
/** Inside it: protocol assignments with Teredo, documentation, sinks, and 6to4, which carries any IPv4 address. */
const SPECIAL_V6: readonly [network: string, prefix: number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
]
/** Networks that have only IPv6 reach IPv4 addresses through this prefix. */
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

/** Whether an address is on the public internet. Whatever is no address is not. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !specialV4.check(address, 'ipv4')
  if (family !== 6) return false
  // A zone belongs to a link of this machine.
  if (address.includes('%')) return false
  if (nat64.check(address, 'ipv6')) return isPublicAddress(embeddedV4(address))
  return publicV6.check(address, 'ipv6') && !specialV6.check(address, 'ipv6')
}

/** The IPv4 address in the last 32 bits of an IPv6 one. */
function embeddedV4(address: string): string {
  const normal = new URL(`http://[${address}]/`).hostname.slice(1, -1)
  const tail = normal.slice(normal.lastIndexOf('::') + 1).split(':')
  const [high = 0, low = 0] = ['0', '0', ...tail].slice(-2).map((group) => Number.parseInt(group || '0', 16))
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** A URL with http or https and a host. @throws NodeError */
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

/** The host of a URL as it is resolved: without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1')
}

/** Whether the configuration lets requests through to this host whatever its address: entries are `host` or `host:port`. */
export function isAllowedHost(url: URL, allowed: readonly string[]): boolean {
  const host = url.hostname.toLowerCase()
  const port = url.port || DEFAULT_PORTS[url.protocol]
  return allowed.some((entry) => entry === host || entry === `${host}:${port}`)
}

/** @throws NodeError that the name of the host does not resolve */
export function refuseUnresolved(host: string, why: string): never {
  throw new NodeError(`${REFUSAL} host '${host}' could not be resolved (${why})`)
}

/** @throws NodeError when one of the addresses of a host is not public */
export function requirePublic(host: string, addresses: readonly string[]): void {
  const inner = addresses.find((address) => !isPublicAddress(address))
  if (inner === undefined) return
  throw new NodeError(`${REFUSAL} host '${host}' resolves to ${inner}, which is not a public address`)
}

/** A URL as logs show it: without credentials, and without what a query says. */
export function shownUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}${url.search === '' ? '' : '?<redacted>'}`
}
