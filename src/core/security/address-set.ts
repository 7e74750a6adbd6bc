import { BlockList, isIP, isIPv4 } from 'node:net'
import { canonicalAddress } from './address.js'

/** An address, or a network: all addresses with the same first bits. */
interface Network {
  readonly address: string
  readonly bits: number
  readonly family: 'ipv4' | 'ipv6'
}

/** The bits before an IPv4 address that IPv6 wraps: `::ffff:0:0/96`. */
const MAPPED_BITS = 96

/** A set of addresses and networks. */
export class AddressSet {
  readonly #networks = new BlockList()
  /** Most services name no addresses, and every request asks: a look-up in `BlockList` costs 1.5 µs. */
  readonly #isEmpty: boolean

  constructor(networks: readonly Network[]) {
    this.#isEmpty = networks.length === 0
    for (const network of networks) {
      const { address, bits, family } = unwrapped(network)
      this.#networks.addSubnet(address, bits, family)
    }
  }

  /** @param address in its canonical form; text that is no address is in no set */
  has(address: string): boolean {
    if (this.#isEmpty) return false
    const version = isIP(address)
    return version !== 0 && this.#networks.check(address, version === 4 ? 'ipv4' : 'ipv6')
  }
}

/** Returns a network of wrapped IPv4 addresses as one of IPv4, because clients have their canonical address. */
function unwrapped(network: Network): Network {
  const address = network.family === 'ipv6' ? canonicalAddress(network.address) : undefined
  if (address === undefined || !isIPv4(address) || network.bits < MAPPED_BITS) return network
  return { address, bits: network.bits - MAPPED_BITS, family: 'ipv4' }
}
