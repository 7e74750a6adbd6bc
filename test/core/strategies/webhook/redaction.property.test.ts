import fc from 'fast-check'
import { expect, test } from 'vitest'
import { redactedPayload, redactedText } from '../../../../src/core/strategies/webhook/redaction.js'
import { rounds } from '../../../support/chance/chance.js'

const PREFIX = 'svc_hook_'
const TOKEN = `${PREFIX}Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmE`
const SECRETS = [TOKEN, PREFIX]
/** A value that nothing but the name of its member gives away. */
const PLAIN_SECRET = 'correct horse battery staple'
const SECRET_NAMES = [
  'token',
  'Secret',
  'user_password',
  'passwd',
  'APIKEY',
  'api_key',
  'Authorization',
  'X-Signature',
]

const secretName = fc.constantFrom(...SECRET_NAMES)
/** A text that has the token somewhere. */
const withToken = fc
  .tuple(fc.string(), fc.constantFrom(TOKEN, PREFIX), fc.string())
  .map(([before, secret, after]) => before + secret + after)

/** JSON values with credentials in members, texts and names, at any depth. */
const hostile = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 7 },
    fc.constantFrom(null, true, 0, -1.5, 1e300),
    fc.string({ maxLength: 1200 }),
    withToken,
    fc.array(tie('value'), { maxLength: 60 }),
    fc.dictionary(fc.oneof(fc.string(), withToken, fc.constant('__proto__')), tie('value'), { maxKeys: 8 }),
    fc
      .tuple(secretName, fc.constantFrom(PLAIN_SECRET, [PLAIN_SECRET], { of: PLAIN_SECRET }))
      .map(([name, value]) => ({ [name]: value })),
  ),
})).value

test('whatever a body holds, its redaction is bounded JSON without the token and without the value of a secret', () => {
  fc.assert(
    fc.property(hostile, (body) => {
      const text = redactedPayload(body, SECRETS)
      expect(text).not.toBeNull()
      expect(text).not.toContain(PREFIX)
      expect(text).not.toContain(PLAIN_SECRET)
      expect(depthOf(JSON.parse(text ?? ''))).toBeLessThanOrEqual(5)
    }),
    { numRuns: rounds(2000) },
  )
})

test('redaction never throws, whatever it gets', () => {
  const cycle: Record<string, unknown> = {}
  cycle.self = cycle
  const throwing = {
    get a(): never {
      throw new Error('no')
    },
  }
  const odd: unknown[] = [
    undefined,
    Symbol('x'),
    1n,
    () => 1,
    cycle,
    throwing,
    new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('no')
        },
      },
    ),
  ]
  for (const value of [...odd, ...odd.map((inner) => ({ inner }))]) {
    expect(() => redactedPayload(value, SECRETS)).not.toThrow()
  }
  fc.assert(
    fc.property(
      fc.anything({
        withBigInt: true,
        withDate: true,
        withMap: true,
        withNullPrototype: true,
        withObjectString: true,
      }),
      (value) => {
        redactedPayload(value, SECRETS)
        redactedText(value, SECRETS, 20)
      },
    ),
  )
})

test('a column holds no part of a token, although it is cut', () => {
  fc.assert(
    fc.property(withToken, fc.integer({ min: 1, max: 60 }), (text, most) => {
      const kept = redactedText(text, SECRETS, most) ?? ''
      expect(kept.length).toBeLessThanOrEqual(most)
      expect(kept).toBe('[redacted]'.slice(0, most))
    }),
  )
})

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}
