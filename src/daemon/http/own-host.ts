import { isIP } from 'node:net'
import type { Config } from '../../core/config/index.js'
import { ServiceError } from '../../core/errors/index.js'
import type { Check } from '../middleware/basics.js'

const HOST = /^(\[[0-9a-f:.]+\]|[^[\]:]+)(:\d+)?$/i
/** Characters of a refused name that are told. */
const SHOWN_CHARACTERS = 80

/** Whether an address is this machine's own loopback. */
export function isLoopback(address: string): boolean {
  const bare = address.replace(/^::ffff:/i, '')
  return bare === '::1' || bare === 'localhost' || (isIP(bare) === 4 && bare.startsWith('127.'))
}

/** Whether a `Host` header names this machine by address or as `localhost`. */
export function isLocalHost(host: string | undefined): boolean {
  if (host === undefined) return true
  const name = nameIn(host)
  return name !== undefined && (name === 'localhost' || name.endsWith('.localhost') || isIP(name) !== 0)
}

type HostSettings = Pick<Config, 'HOST' | 'TRUST_PROXY_HEADERS' | 'ALLOWED_HOSTS'>

/**
 * The host names this service answers to. A page whose own name was pointed at this machine (DNS rebinding) sends that
 * name, and a browser would take the service for the page's own site. On loopback every name but `localhost` is
 * therefore refused; elsewhere the names are known only when `ALLOWED_HOSTS` lists them.
 */
export class OwnHosts {
  readonly #listed: ReadonlySet<string>
  readonly #isChecked: boolean

  constructor({ HOST: address, TRUST_PROXY_HEADERS, ALLOWED_HOSTS }: HostSettings) {
    this.#listed = new Set(ALLOWED_HOSTS)
    this.#isChecked = ALLOWED_HOSTS !== undefined || (isLoopback(address) && !TRUST_PROXY_HEADERS)
  }

  has(host: string | undefined): boolean {
    if (!this.#isChecked || isLocalHost(host) || host === undefined) return true
    const name = nameIn(host)
    return name !== undefined && (this.#listed.has(name) || this.#listed.has(host.toLowerCase()))
  }
}

/** What a caller is told whose `Host` is refused. */
export function foreignHost(host: string | undefined): string {
  const shown = (host ?? '').slice(0, SHOWN_CHARACTERS)
  return `Host: "${shown}" is not a name of this service. Use its address or localhost, or list the name in ALLOWED_HOSTS.`
}

/** Refuses requests for a host that is not this service. */
export function requireOwnHost(hosts: OwnHosts): Check {
  // Clients keep to one name: the last good one needs no second look.
  let known: string | undefined
  return (c) => {
    const host = c.req.header('host')
    if (host !== known && !hosts.has(host)) throw new ServiceError('forbidden', foreignHost(host))
    known = host
  }
}

function nameIn(host: string): string | undefined {
  return HOST.exec(host)?.[1]
    ?.replace(/^\[|\]$/g, '')
    .toLowerCase()
}
