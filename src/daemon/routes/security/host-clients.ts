import { addressGroup, canonicalAddress, isLoopbackAddress } from '../../../core/security/index.js'

export interface HostClients {
  /** Returns the addresses that recently called the service by a host name, without signing in. */
  clientsOfHost(host: string): Promise<string[]>
  /** Returns the addresses from which a bot or a person recently called with a valid credential. */
  knownClients(): Promise<string[]>
}

/**
 * Returns the clients of a host name that may be banned, one address for each client. This machine and the
 * networks from which the owner or a bot calls are not among them: the host name is that of the service, and they
 * use it, too.
 * @param callersOwn the addresses of the person who bans
 */
export async function bannableClients(
  { clientsOfHost, knownClients }: HostClients,
  host: string,
  callersOwn: readonly string[],
): Promise<string[]> {
  const known = [...callersOwn, ...(await knownClients())]
  const owners = new Set(known.map((address) => groupOf(address)))
  const clients = new Map<string, string>()
  for (const address of await clientsOfHost(host)) {
    const group = groupOf(address)
    if (group === undefined || isLoopbackAddress(address) || owners.has(group)) continue
    clients.set(group, address)
  }
  return [...clients.values()]
}

function groupOf(text: string): string | undefined {
  const address = canonicalAddress(text)
  return address && addressGroup(address)
}
