export { addressGroup, canonicalAddress, isLoopbackAddress } from './address.js'
