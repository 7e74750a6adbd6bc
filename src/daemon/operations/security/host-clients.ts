import { addressGroup, canonicalAddress, isLoopbackAddress } from '../../../core/security/index.js'
import type { TrafficLog } from '../../../core/telemetry/index.js'

/**
 * Returns the clients of a host name that may be banned, one address for each client. This machine and the
 * networks from which the owner or a bot calls are not among them: the host name is that of the service, and they
 * use it, too.
 * @param callersOwn the addresses of the person who bans
 */
export async function bannableClients(
  traffic: Pick<TrafficLog, 'clientsOf' | 'knownClients'>,
  host: string,
  callersOwn: readonly string[],
): Promise<string[]> {
  const known = [...callersOwn, ...(await traffic.knownClients())]
  const owners = new Set(known.map((address) => groupOf(address)))
  const clients = new Map<string, string>()
  for (const address of await traffic.clientsOf(host)) {
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
