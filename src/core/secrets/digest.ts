import { createHmac, hash, timingSafeEqual } from 'node:crypto'

/**
 * Returns the SHA-256 as 64 lower-case hex characters. Only for secrets of high entropy; passwords use
 * argon2id.
 */
export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex')
}

/** Returns the HMAC-SHA256, url-safe. */
export function hmac(key: Uint8Array, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}

/** Returns the HMAC-SHA256 of a text with a secret of high entropy, as 64 lower-case hex characters. */
export function keyedDigest(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text).digest('hex')
}

/**
 * Returns whether two texts are equal, in constant time. It compares digests of equal length, so the duration
 * reveals neither the length nor the position of a difference.
 */
export function safeEqual(a: string, b: string): boolean {
  return timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'))
}

/** Returns the HMAC-SHA256 as 64 lower-case hex characters, the form of webhook signatures. */
export function hmacHex(key: string, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex')
}
