import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'
import type { CallingMachine } from '../../core/brokers/index.js'

type NetworkCards = NodeJS.Dict<NetworkInterfaceInfo[]>

/**
 * Returns what a broker that asks for it is told of this machine: the first network card with an address that others reach. On a
 * server that is often the public one; behind a router only the configuration knows it.
 * @param publicIp the configured address
 * @returns undefined if no card has such an address
 */
export function callingMachine(
  publicIp: string | undefined,
  cards: () => NetworkCards = networkInterfaces,
): CallingMachine | undefined {
  const outward = Object.values(readable(cards)).flatMap((card) => card?.filter(isOutward) ?? [])
  const card = outward.find(({ family }) => family === 'IPv4') ?? outward[0]
  if (!card) return publicIp === undefined ? undefined : { publicIp, localIp: publicIp, mac: NO_CARD }
  return { publicIp: publicIp ?? card.address, localIp: card.address, mac: card.mac }
}

/** A system with few rights for its services does not tell of its cards. No order depends on them, and no start. */
function readable(cards: () => NetworkCards): NetworkCards {
  try {
    return cards()
  } catch {
    return {}
  }
}

const NO_CARD = '00:00:00:00:00:00'
/** Addresses that a card gives itself where nobody else does. */
const OWN = /^(169\.254\.|fe80:)/i

function isOutward({ address, internal }: NetworkInterfaceInfo): boolean {
  return !internal && !OWN.test(address)
}
