import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import type { ErrorEntry } from '../../../src/core/diagnostics/errors/entry.js'
import { fingerprintOf, signatureOf } from '../../../src/core/diagnostics/errors/fingerprint.js'

const entry = (message: string, exception?: string[]): ErrorEntry => ({
  at: 0,
  level: 'ERROR',
  logger: 'a.b',
  module: 'a',
  file: null,
  message,
  exception,
  request: undefined,
  details: {},
})

it('a fingerprint is the beginning of the SHA-256 of level, logger, module and signature', () => {
  const digest = createHash('sha256').update('ERROR|a.b|a|TypeError').digest('hex')
  expect(fingerprintOf(entry('x', ['TypeError: x', '    at f (/a.js:1:2)']))).toBe(digest.slice(0, 12))
})

it.each([
  ['the type of the exception', 'm', ['RangeError: 7 is too much'], 'RangeError'],
  ['a type with a code', 'm', ['Error [ERR_X]: y'], 'Error [ERR_X]'],
  ['the exception where it names no type', 'm', ['could not read: 5', 'at x'], 'could not read: <n> at x'],
  ['the message without an exception', 'row 12 at 0xfF', undefined, 'row <n> at 0x?'],
  [
    'a time as one sign',
    'at 2026-11-20 09:15:00,123 and 2026-11-20T03:45:00.5+05:30.',
    undefined,
    'at <ts> and <ts>.',
  ],
  ['white space as one space', ' a \n\t b ', undefined, 'a b'],
  ['numbers only where they are whole', 'v1 1.5 x2y 3', undefined, 'v1 <n>.<n> x2y <n>'],
])('a signature has %s', (_, message, exception, signature) => {
  expect(signatureOf(entry(message, exception))).toBe(signature)
})

it('a signature looks at the first 200 characters', () => {
  const same = 'x'.repeat(200)
  expect(signatureOf(entry(`${same}one`))).toBe(signatureOf(entry(`${same}two`)))
  expect(signatureOf(entry('1 '.repeat(200))).length).toBeLessThanOrEqual(300)
})
