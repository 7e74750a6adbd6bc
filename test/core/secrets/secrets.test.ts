import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  randomBase32,
  randomHex,
  randomToken,
  SecretBox,
  safeEqual,
  sha256Hex,
} from '../../../src/core/secrets/index.js'

const box = await SecretBox.derive({ appKey: 'k'.repeat(64), salt: 's'.repeat(32) })

describe('SecretBox', () => {
  it('opens any sealed text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(box.open(box.seal(text))).toBe(text)
      }),
    )
  })

  it('seals a text differently every time and reveals nothing of it', () => {
    const sealed = Array.from({ length: 50 }, () => box.seal('token-of-a-broker'))
    expect(new Set(sealed).size).toBe(50)
    expect(sealed.join()).not.toContain('token-of-a-broker')
  })

  it('refuses a sealed text with any byte changed', () => {
    const sealed = box.seal('secret')
    const bytes = Buffer.from(sealed.slice(3), 'base64url')
    for (let at = 0; at < bytes.length; at++) {
      const altered = Buffer.from(bytes)
      altered[at] = (altered[at] ?? 0) ^ 1
      expect(box.open(`v1.${altered.toString('base64url')}`)).toBeUndefined()
    }
  })

  it.each(['', 'v1.', 'v1.AAAA', 'v2.AAAA', 'plain text', 'v1.***'])(
    'refuses %j, which it did not seal',
    (text) => {
      expect(box.open(text)).toBeUndefined()
    },
  )

  it.each([
    ['APP_KEY', { appKey: 'K'.repeat(64), salt: 's'.repeat(32) }],
    ['FERNET_SALT', { appKey: 'k'.repeat(64), salt: 'S'.repeat(32) }],
  ])('opens nothing with another %s', async (_, secrets) => {
    const other = await SecretBox.derive(secrets)
    expect(other.open(box.seal('secret'))).toBeUndefined()
    expect(other.mac('csrf', 'x')).not.toBe(box.mac('csrf', 'x'))
  })

  it('opens with the same secrets after a restart', async () => {
    const again = await SecretBox.derive({ appKey: 'k'.repeat(64), salt: 's'.repeat(32) })
    expect(again.open(box.seal('secret'))).toBe('secret')
    expect(again.mac('csrf', 'x')).toBe(box.mac('csrf', 'x'))
  })

  it('gives a different fingerprint for each purpose', () => {
    expect(box.mac('csrf', 'x')).not.toBe(box.mac('ticket', 'x'))
    expect(box.mac('csrf', 'x')).toMatch(/^[\w-]{43}$/)
  })
})

describe('safeEqual', () => {
  it.each([
    ['same', 'same', true],
    ['', '', true],
    ['same', 'samE', false],
    ['same', 'same ', false],
    ['same', '', false],
  ])('%j and %j: %s', (a, b, equal) => {
    expect(safeEqual(a, b)).toBe(equal)
  })
})

describe('random texts and digests', () => {
  it.each([
    ['randomToken(32)', () => randomToken(32), /^[\w-]{43}$/],
    ['randomHex(32)', () => randomHex(32), /^[0-9a-f]{64}$/],
    ['randomBase32(32)', () => randomBase32(32), /^[A-Z2-7]{32}$/],
  ])('%s has its format and does not repeat', (_, draw, shape) => {
    const drawn = Array.from({ length: 200 }, draw)
    for (const text of drawn) expect(text).toMatch(shape)
    expect(new Set(drawn).size).toBe(200)
  })

  it('sha256Hex matches the published vector', () => {
    expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })
})
