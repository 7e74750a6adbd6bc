import { createHmac } from 'node:crypto'
import { MINUTE_MS } from '../time/index.js'
import { safeEqual } from './digest.js'

/** How far the time of a message may be from the service's clock. A recorded message is refused after this. */
export const SIGNATURE_TOLERANCE_MS = 5 * MINUTE_MS
/** A message may have several signatures, while its sender changes the secret. */
const MAX_SIGNATURES = 10
/** The id is part of the signed text, which uses dots as separators, so an id has none. */
const MESSAGE_ID = /^[!-\-/-~]{1,255}$/
const UNIX_SECONDS = /^\d{1,12}$/

/** The headers of a signed message, as Standard Webhooks names them. */
export interface MessageHeaders {
  'webhook-id': string | undefined
  'webhook-timestamp': string | undefined
  'webhook-signature': string | undefined
}

interface SignedMessage {
  headers: MessageHeaders
  /** The bytes as they arrived. */
  body: Uint8Array
}

/**
 * Checks the signature and the time of a message by the rules of Standard Webhooks: HMAC-SHA256 over
 * `<id>.<timestamp>.<body>`, in base64 after `v1,`. The caller has to see to it that each id acts once.
 * @returns the id of the message, or the reason to refuse it
 */
export function checkSignature(
  { headers, body }: SignedMessage,
  key: Uint8Array,
  now: number,
): { id: string } | { problem: string } {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers
  if (!id || !timestamp || !signatures) {
    const missing = Object.entries(headers).find(([, value]) => !value)
    return { problem: `Missing header ${missing?.[0]}` }
  }
  if (!MESSAGE_ID.test(id)) return { problem: 'webhook-id: 1 to 255 visible ASCII characters without a dot' }
  if (!UNIX_SECONDS.test(timestamp)) return { problem: 'webhook-timestamp: Must be Unix seconds' }
  if (!hasSignature(signatures, signatureOf(key, id, timestamp, body))) {
    return { problem: 'Invalid webhook signature' }
  }
  if (Math.abs(now - Number(timestamp) * 1000) > SIGNATURE_TOLERANCE_MS) {
    return { problem: 'webhook-timestamp: More than 5 minutes from the clock of the service' }
  }
  return { id }
}

function hasSignature(signatures: string, expected: string): boolean {
  return signatures
    .split(' ', MAX_SIGNATURES)
    .map((given) => safeEqual(given, expected))
    .includes(true)
}

function signatureOf(key: Uint8Array, id: string, timestamp: string, body: Uint8Array): string {
  const mac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body)
  return `v1,${mac.digest('base64')}`
}
