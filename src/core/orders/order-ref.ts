import { randomBytes } from 'node:crypto'
import type { Clock } from '../time/index.js'

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const TIME_CHARACTERS = 9
const RANDOM_CHARACTERS = 10

/**
 * Our reference of an order: 20 characters that sort by time, unique without asking anybody, and short and plain
 * enough (`A-Z0-9`) to travel as a broker's order tag.
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

/** Our reference of a request of several orders: as theirs, with a letter of its own. */
export function newBatchRef(clock: Clock): string {
  return `B${newOrderRef(clock).slice(1)}`
}

/** Tells our references from a broker's order ids. */
export function isOrderRef(text: string): boolean {
  return /^S[0-9A-HJKMNP-TV-Z]{19}$/.test(text)
}
