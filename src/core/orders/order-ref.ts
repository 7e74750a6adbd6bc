import { randomBytes } from 'node:crypto'
import type { Clock } from '../time/index.js'

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const TIME_CHARACTERS = 9
const RANDOM_CHARACTERS = 8

/**
 * Returns a new order reference: 18 characters that sort by time and are unique without coordination. The
 * reference is short and plain (`A-Z0-9`), so that it fits into the order tag of every broker: the strictest takes 19
 * letters and digits.
 */
export function newOrderRef(clock: Clock): string {
  let time = clock.now()
  let text = ''
  for (let i = 0; i < TIME_CHARACTERS; i++) {
    text = (ALPHABET[time % 32] ?? '0') + text
    time = Math.floor(time / 32)
  }
  for (const byte of randomBytes(RANDOM_CHARACTERS)) text += ALPHABET[byte % 32]
  return `S${text}`
}

/** Returns a new reference for a request of several orders: like an order reference, with another letter. */
export function newBatchRef(clock: Clock): string {
  return `B${newOrderRef(clock).slice(1)}`
}

/** Returns when a reference was made. */
export function timeOfOrderRef(orderRef: string): number {
  const digits = orderRef.slice(1, 1 + TIME_CHARACTERS)
  return [...digits].reduce((time, digit) => time * 32 + ALPHABET.indexOf(digit), 0)
}

/**
 * Returns whether a text is one of our references and not a broker's order id. Orders of earlier versions have references
 * of 20 characters.
 */
export function isOrderRef(text: string): boolean {
  return /^S[0-9A-HJKMNP-TV-Z]{17}(?:[0-9A-HJKMNP-TV-Z]{2})?$/.test(text)
}
