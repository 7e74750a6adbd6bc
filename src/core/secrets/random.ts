import { randomBytes } from 'node:crypto'

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Returns random bytes as url-safe text: 32 bytes are 43 characters. */
export function randomToken(bytes: number): string {
  return randomBytes(bytes).toString('base64url')
}

/** Returns random bytes as lower-case hex: 32 bytes are 64 characters. */
export function randomHex(bytes: number): string {
  return randomBytes(bytes).toString('hex')
}

/** Returns random base32 characters of 5 bits each, the format of authenticator secrets: 32 are 160 bits. */
export function randomBase32(characters: number): string {
  return Array.from(randomBytes(characters), (byte) => BASE32[byte & 31]).join('')
}
