import { describe, expect, test } from 'vitest'
import { KnownBodies } from '../../../../src/daemon/http/body/known-bodies.js'

const TEXT = JSON.stringify({ apikey: 'k', symbols: [{ symbol: 'SBIN', exchange: 'NSE' }] })

/** Parses a text and keeps it, as for a caller with a valid key. */
function keep(bodies: KnownBodies, text: string): unknown {
  const given = bodies.parse(text)
  bodies.keep(given, { symbols: [{ symbol: 'SBIN', exchange: 'NSE' }] })
  return given
}

describe('a body that is sent again', () => {
  test('is the same value, with the payload that was checked', () => {
    const bodies = new KnownBodies()
    const given = keep(bodies, TEXT)
    expect(bodies.parse(TEXT)).toBe(given)
    expect(bodies.payloadOf(given)).toEqual({ symbols: [{ symbol: 'SBIN', exchange: 'NSE' }] })
  })

  test('has a payload that nobody can change, at any depth', () => {
    const bodies = new KnownBodies()
    const payload = { symbols: [{ symbol: 'SBIN', exchange: 'NSE' }] }
    bodies.keep(bodies.parse(TEXT), payload)
    expect([payload, payload.symbols, payload.symbols[0]].every(Object.isFrozen)).toBe(true)
  })

  test('is another value as long as nobody with a valid key has sent it', () => {
    const bodies = new KnownBodies()
    const given = bodies.parse(TEXT)
    expect(bodies.parse(TEXT)).not.toBe(given)
    expect(bodies.payloadOf(given)).toBeUndefined()
  })

  test('that differs by one character is another one', () => {
    const bodies = new KnownBodies()
    const given = keep(bodies, TEXT)
    expect(bodies.parse(TEXT.replace('SBIN', 'SBIM'))).not.toBe(given)
    expect(bodies.parse(`${TEXT} `)).not.toBe(given)
  })

  test('is kept among the last ones only, and not when it is very long', () => {
    const bodies = new KnownBodies()
    const long = (size: number, name: string) => JSON.stringify({ name, symbols: 'x'.repeat(size) })
    const first = keep(bodies, long(40_000, 'first'))
    const huge = keep(bodies, long(60_000, 'huge'))
    expect(bodies.parse(long(60_000, 'huge'))).not.toBe(huge)
    expect(bodies.parse(long(40_000, 'first'))).toBe(first)
    for (const name of ['a', 'b', 'c', 'd']) keep(bodies, long(40_000, name))
    expect(bodies.parse(long(40_000, 'first'))).not.toBe(first)
  })

  test.each(['', '{', '{"a":1,}'])('is refused as JSON is: %j', (text) => {
    expect(() => new KnownBodies().parse(text)).toThrow(SyntaxError)
  })
})
