import { AddressSet } from '../../security/index.js'
import { networkOf } from '../config/networks.js'

/**
 * Returns whether an address may call a webhook: any address if the list is empty. An entry that is no address and no
 * network allows nobody.
 * @param address in its canonical form
 */
export function isAllowed(address: string, entries: readonly string[]): boolean {
  return (
    entries.length === 0 || new AddressSet(entries.flatMap((entry) => networkOf(entry) ?? [])).has(address)
  )
}
