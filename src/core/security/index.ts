export { addressGroup, canonicalAddress, clientAddress, isLoopbackAddress } from './address.js'
export { BanList } from './ban-list.js'
export { type BanOrder, IpSecurity } from './ip-security.js'
export type { Ban, BanRules, Offences } from './schema.js'
