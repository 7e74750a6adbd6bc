import { isIP, isIPv6 } from 'node:net'
import { hoursIn, PERMANENT } from '../../views/security/hours.js'

const YEAR_HOURS = 8760

/** Returns the rule that an address breaks: an address in any form, or a /64 network of IPv6. */
export function addressProblem(text: string): string | undefined {
  const address = text.trim()
  const [, network] = /^([^%]*:[^%]*)\/64$/.exec(address) ?? []
  const isGood = network === undefined ? isIP(address) !== 0 : isIPv6(network)
  return isGood ? undefined : 'an address, or a network such as 2001:db8:1:2::/64'
}

/** Returns the rule that the duration of a ban breaks. */
export function durationProblem(text: string): string | undefined {
  if (text === PERMANENT) return undefined
  const hours = hoursIn(text)
  if (hours === undefined) return `whole hours or days: 24h, 7d, or ${PERMANENT}`
  return hours >= 1 && hours <= YEAR_HOURS ? undefined : 'from 1 hour to 1 year'
}

/** Host names: labels of letters, digits and hyphens, joined by dots. */
const HOST = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i

export function hostProblem(text: string): string | undefined {
  const host = text.trim()
  return HOST.test(host) || isIP(host) !== 0 ? undefined : 'a host name, such as scanner.example'
}
