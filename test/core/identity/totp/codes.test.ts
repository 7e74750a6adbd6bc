import fc from 'fast-check'
import { generateSync } from 'otplib'
import { expect, it, test } from 'vitest'
import { provisioningUri, stepOfCode } from '../../../../src/core/identity/totp/codes.js'
import { randomBase32 } from '../../../../src/core/secrets/index.js'

const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const STEP_SECONDS = 30

/** The last six digits of the SHA-1 vectors of RFC 6238. */
test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
])('at second %i the code of the standard is %s', (second, code) => {
  expect(stepOfCode(SECRET, code, second * 1000)).toBe(Math.floor(second / STEP_SECONDS))
})

const second = fc.integer({ min: 10_000, max: 4_000_000_000 })

it('accepts the codes of this step, the one before and the one after, and names their step', () => {
  fc.assert(
    fc.property(second, fc.constantFrom(-1, 0, 1), (now, drift) => {
      const code = generateSync({ secret: SECRET, epoch: now + drift * STEP_SECONDS })
      // Neighbouring steps may have the same code, so only its own step or an earlier one is certain.
      expect(stepOfCode(SECRET, code, now * 1000)).toBeOneOf(
        [-1, 0, 1].map((step) => Math.floor(now / STEP_SECONDS) + step),
      )
    }),
  )
})

it('refuses the codes of all other steps', () => {
  fc.assert(
    fc.property(second, fc.integer({ min: 2, max: 300 }), fc.boolean(), (now, steps, late) => {
      const there = now + (late ? -steps : steps) * STEP_SECONDS
      fc.pre(there > 0)
      const code = generateSync({ secret: SECRET, epoch: there })
      const near = [-1, 0, 1].map((step) =>
        generateSync({ secret: SECRET, epoch: now + step * STEP_SECONDS }),
      )
      fc.pre(!near.includes(code))
      expect(stepOfCode(SECRET, code, now * 1000)).toBeUndefined()
    }),
  )
})

it('refuses every other text without an error', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
      fc.pre(!/^\d{6}$/.test(text.replaceAll(/\s/g, '')))
      expect(stepOfCode(SECRET, text, 1_234_567_890_000)).toBeUndefined()
    }),
  )
  for (const text of ['', '05924', '0059245', '-05924', '００５９２４', '5.9e+3']) {
    expect([text, stepOfCode(SECRET, text, 1_234_567_890_000)]).toEqual([text, undefined])
  }
})

it('ignores spaces, which authenticator apps show', () => {
  expect(stepOfCode(SECRET, ' 005 924\n', 1_234_567_890_000)).toBe(41_152_263)
})

it('writes the address of the QR code with the e-mail address as its label', () => {
  const secret = randomBase32(32)
  const uri = new URL(provisioningUri(secret, 'asha+1@example.com'))
  expect([uri.protocol, uri.host, decodeURIComponent(uri.pathname)]).toEqual([
    'otpauth:',
    'totp',
    '/svc:asha+1@example.com',
  ])
  expect(Object.fromEntries(uri.searchParams)).toEqual({ secret, issuer: 'svc' })
})
