import { createHmac, hash, timingSafeEqual } from 'node:crypto'

/** SHA-256 as 64 lower-case hex characters. For secrets of high entropy; passwords go through argon2id. */
export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex')
}

/** HMAC-SHA256, url-safe. */
export function hmac(key: Uint8Array, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}

/**
 * Whether two texts are the same, in a time that tells nothing about where or whether they differ, nor about
 * their lengths: digests of one length are compared, never the texts.
 */
export function safeEqual(a: string, b: string): boolean {
  return timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'))
}
