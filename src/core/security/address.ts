import { isIPv4, isIPv6 } from 'node:net'

const GROUPS = 8
/** An IPv6 customer gets a whole /64 and can change the second half of its addresses at will. */
const NETWORK_GROUPS = 4
/**
 * Addresses whose /64 network has many customers: link-local ones (`fe80::/10`, everybody on the wire), and the
 * clients of IPv4 behind a translator (NAT64, `64:ff9b::/96`). Each stands for itself.
 */
const SHARED_NETWORK = /^(fe[89ab]|64:ff9b::)/

/**
 * Returns the one form of an IP address that the service compares, stores and shows: an IPv4 address as it
 * is, also when IPv6 wraps it (`::ffff:192.0.2.1`), and an IPv6 address compressed, in lower case and without
 * its zone (RFC 5952). Undefined when the text is no address.
 */
export function canonicalAddress(text: string): string | undefined {
  if (isIPv4(text)) return text
  const zone = text.indexOf('%')
  const bare = zone < 0 ? text : text.slice(0, zone)
  if (!isIPv6(bare)) return undefined
  const groups = groupsOf(bare)
  return ipv4In(groups) ?? compressed(groups)
}

/**
 * Returns the canonical address of a client as people write it: an address in any form, or a network of IPv6 as the
 * list of bans shows it (`2001:db8:1:2::/64`). Undefined for any other text, such as an IPv4 address with `/64`.
 */
export function clientAddress(text: string): string | undefined {
  const [, network] = /^([^%:]*:[^%]*)\/64$/.exec(text) ?? []
  const address = canonicalAddress(network ?? text)
  // An IPv4 address that IPv6 wraps is one client, and has no network.
  return network !== undefined && address !== undefined && isIPv4(address) ? undefined : address
}

/**
 * Returns the key under which the calls of an address count: the address itself for IPv4, its /64 network for
 * IPv6 (`2001:db8:1:2::/64`). Text that is no address is its own key.
 * @param address in its canonical form
 */
export function addressGroup(address: string): string {
  if (!isIPv6(address) || SHARED_NETWORK.test(address)) return address
  const network = groupsOf(address).fill(0, NETWORK_GROUPS)
  return `${compressed(network)}/64`
}

/** Returns whether an IP address, in any form, is that of the machine itself. */
export function isLoopbackAddress(text: string): boolean {
  const address = canonicalAddress(text)
  return address === '::1' || (address?.startsWith('127.') ?? false)
}

/** Returns the eight 16-bit groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::')
  const first = groupsIn(head)
  if (tail === undefined) return first
  const last = groupsIn(tail)
  return [...first, ...new Array<number>(GROUPS - first.length - last.length).fill(0), ...last]
}

function groupsIn(part: string): number[] {
  if (part === '') return []
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return Number.parseInt(group, 16)
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number)
    return [a * 256 + b, c * 256 + d]
  })
}

/** Returns the IPv4 address that `::ffff:0:0/96` wraps. */
function ipv4In(groups: readonly number[]): string | undefined {
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (!isMapped) return undefined
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.')
}

/** Returns the groups in hexadecimal, with `::` in place of the first longest run of two or more zeros. */
function compressed(groups: readonly number[]): string {
  let longest = { start: 0, length: 1 }
  for (let start = 0; start < GROUPS; start++) {
    let length = 0
    while (groups[start + length] === 0) length += 1
    if (length > longest.length) longest = { start, length }
  }
  const hex = groups.map((group) => group.toString(16))
  if (longest.length < 2) return hex.join(':')
  const { start, length } = longest
  return `${hex.slice(0, start).join(':')}::${hex.slice(start + length).join(':')}`
}
