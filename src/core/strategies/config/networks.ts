import { isIP } from 'node:net'
import { z } from 'zod'

export const MAX_NETWORKS = 20
const BITS = { 4: 32, 6: 128 } as const

/** Splits `address` or `address/bits`; undefined for any other text. */
export function networkOf(
  text: string,
): { address: string; bits: number; family: 'ipv4' | 'ipv6' } | undefined {
  const [address = '', bitsText, ...rest] = text.split('/')
  const version = isIP(address)
  // A zone names an interface of one machine, so it is no part of an address that others send from.
  if (rest.length > 0 || (version !== 4 && version !== 6) || address.includes('%')) return undefined
  const most = BITS[version]
  if (bitsText !== undefined && !/^\d{1,3}$/.test(bitsText)) return undefined
  const bits = bitsText === undefined ? most : Number(bitsText)
  return bits <= most ? { address, bits, family: version === 4 ? 'ipv4' : 'ipv6' } : undefined
}

/** An address or a network, such as `203.0.113.7` or `2001:db8::/32`. */
export const network = () =>
  z
    .string({ error: () => RULE })
    .transform((text) => text.trim().toLowerCase())
    .refine((text) => networkOf(text) !== undefined, RULE)
    .meta({ type: 'string', description: 'An IPv4 or IPv6 address, or a network such as 203.0.113.0/24.' })

const RULE = 'must be an IPv4 or IPv6 address or network, such as 203.0.113.0/24'
