import { isIP } from 'node:net'
import type { Config } from '../../core/config/index.js'
import { ServiceError } from '../../core/errors/index.js'
import type { Check } from '../middleware/basics.js'

const HOST = /^(\[[0-9a-f:.]+\]|[^[\]:]+)(:\d+)?$/i

/** Whether an address is this machine's own loopback. */
export function isLoopback(address: string): boolean {
  const bare = address.replace(/^::ffff:/i, '')
  return bare === '::1' || bare === 'localhost' || (isIP(bare) === 4 && bare.startsWith('127.'))
}

/**
 * Whether a `Host` header names a service on loopback: by address or as `localhost`. A page whose own name was
 * made to point at this machine (DNS rebinding) sends that name, and a browser would take us for its own site.
 */
export function isLocalHost(host: string | undefined): boolean {
  if (host === undefined) return true
  const name = HOST.exec(host)?.[1]
    ?.replace(/^\[|\]$/g, '')
    .toLowerCase()
  return name !== undefined && (name === 'localhost' || name.endsWith('.localhost') || isIP(name) !== 0)
}

/** Only local callers can come: then every name but `localhost` is somebody else's. */
export function isOnLoopback(config: Pick<Config, 'HOST' | 'TRUST_PROXY_HEADERS'>): boolean {
  return isLoopback(config.HOST) && !config.TRUST_PROXY_HEADERS
}

/** Refuses requests for a host that is not this service. Names are only known while it is bound to loopback. */
export function requireOwnHost(): Check {
  // Clients keep to one name: the last good one needs no second look.
  let known: string | undefined
  return (c) => {
    const host = c.req.header('host')
    if (host !== known && !isLocalHost(host)) {
      throw new ServiceError(
        'forbidden',
        'This host name is not the service’s. Use its address or localhost.',
      )
    }
    known = host
  }
}
