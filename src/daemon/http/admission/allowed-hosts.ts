import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { Config } from '../../../core/config/index.js'
import { ServiceError } from '../../../core/errors/index.js'
import { isLoopbackAddress } from '../../../core/security/index.js'
import type { Check } from '../../middleware/basics.js'

const HOST = /^(\[[0-9a-f:.]+\]|[^[\]:]+)(:\d+)?$/i
/** The most characters of a refused host name that the message shows. */
const SHOWN_CHARACTERS = 80

/** Returns whether the address that the service listens on can only be reached from this machine. */
function isLoopback(address: string): boolean {
  return address === 'localhost' || isLoopbackAddress(address)
}

/** Returns whether a `Host` header is an IP address or `localhost`. */
export function isLocalHost(host: string | undefined): boolean {
  if (host === undefined) return true
  const name = nameIn(host)
  return name !== undefined && (name === 'localhost' || name.endsWith('.localhost') || isIP(name) !== 0)
}

type HostSettings = Pick<Config, 'HOST' | 'TRUST_PROXY_HEADERS' | 'ALLOWED_HOSTS'>

/**
 * The host names that this service answers to. An attacker can point the name of a page at this machine (DNS
 * rebinding). The browser then sends that name and treats the service as the page's own site. On loopback the
 * service therefore refuses every name but `localhost`. Elsewhere it knows its names only when
 * `ALLOWED_HOSTS` lists them.
 */
export class AllowedHosts {
  readonly #listed: ReadonlySet<string>
  readonly #isChecked: boolean
  readonly #publicUrl: () => string

  /** @param publicUrl returns the address under which assistants reach the service, or an empty text */
  constructor(
    { HOST: address, TRUST_PROXY_HEADERS, ALLOWED_HOSTS }: HostSettings,
    publicUrl: () => string = () => '',
  ) {
    this.#publicUrl = publicUrl
    this.#listed = new Set(ALLOWED_HOSTS)
    this.#isChecked = ALLOWED_HOSTS !== undefined || (isLoopback(address) && !TRUST_PROXY_HEADERS)
  }

  has(host: string | undefined): boolean {
    if (!this.#isChecked || isLocalHost(host) || host === undefined) return true
    const name = nameIn(host)
    if (name === undefined) return false
    return this.#listed.has(name) || this.#listed.has(host.toLowerCase()) || this.#isPublic(name)
  }

  /** The owner has named this address for assistants, so it is a name of this service. */
  #isPublic(name: string): boolean {
    const url = this.#publicUrl()
    return url !== '' && new URL(url).hostname === name
  }
}

/** The refusal of a request with several `Host` headers: a proxy before the service may have read another one (RFC 9112, 3.2). */
export const SEVERAL_HOSTS = 'Host: The request has more than one Host header.'

/** Returns whether a request has more than one `Host` header. Node shows only the first. */
export function hasSeveralHosts({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts > 1
}

/** Returns the message for a refused `Host`. */
export function refusedHostText(host: string | undefined): string {
  const shown = (host ?? '').slice(0, SHOWN_CHARACTERS)
  return `Host: "${shown}" is not a name of this service. Use its address or localhost, or list the name in ALLOWED_HOSTS.`
}

/** Refuses requests for a host that is not this service, or for several hosts. */
export function requireAllowedHost(hosts: AllowedHosts): Check {
  // Clients use the same name each time, so the last accepted name is not checked again.
  let known: string | undefined
  return (c) => {
    if (c.env.incoming && hasSeveralHosts(c.env.incoming)) throw new ServiceError('validation', SEVERAL_HOSTS)
    const host = c.req.header('host')
    if (host !== known && !hosts.has(host)) throw new ServiceError('forbidden', refusedHostText(host))
    known = host
  }
}

function nameIn(host: string): string | undefined {
  return HOST.exec(host)?.[1]
    ?.replace(/^\[|\]$/g, '')
    .toLowerCase()
}
