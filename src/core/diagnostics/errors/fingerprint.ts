import { sha256Hex } from '../../secrets/index.js'
import type { ErrorEntry } from './entry.js'

const DIGITS = 12
const MAX_SIGNATURE = 300
const MAX_TEXT = 200

/** `TypeError`, `Error [ERR_SOCKET]`: the part of a line that names a type of exception. */
const TYPE = /^[\w$.]+(?: \[\w+\])?$/
const ADDRESS = /0x[0-9a-f]+/gi
const TIMESTAMP = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/g
const WHOLE_NUMBER = /\b\d+\b/g

/** Returns the identity of an error: entries with the same fingerprint differ only in numbers and times. */
export function fingerprintOf(entry: ErrorEntry): string {
  const { level, logger, module } = entry
  return sha256Hex([level, logger, module, signatureOf(entry)].join('|')).slice(0, DIGITS)
}

/** Returns the type of the exception, or the beginning of its text or of the message; without numbers. */
export function signatureOf({ exception, message }: ErrorEntry): string {
  // Node writes the type of an exception on the first line of a stack.
  const [first = ''] = exception ?? []
  const [type = ''] = first.split(':')
  const text = TYPE.test(type) ? type : (exception?.join('\n') || message).slice(0, MAX_TEXT)
  return text
    .replace(ADDRESS, '0x?')
    .replace(TIMESTAMP, '<ts>')
    .replace(WHOLE_NUMBER, '<n>')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_SIGNATURE)
}
