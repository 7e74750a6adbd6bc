import { expect, test } from 'vitest'
import { redactedPayload, redactedText } from '../../../../src/core/strategies/webhook/redaction.js'

const TOKEN = 'svc_hook_Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmE'
const SECRETS = [TOKEN, 'svc_hook_']
const redacted = (body: unknown): unknown => JSON.parse(redactedPayload(body, SECRETS) ?? 'null')

test('members with the name of a credential lose their value, at any depth, and others keep theirs', () => {
  const body = {
    apikey: 'k',
    note: 'a breakout',
    nested: { password: ['p'], qty: 3, deeper: [{ My_Auth_Code: 5, ok: true }] },
    secretary: { any: 'thing' },
  }
  expect(redacted(body)).toEqual({
    apikey: '[redacted]',
    note: 'a breakout',
    nested: { password: '[redacted]', qty: 3, deeper: [{ My_Auth_Code: '[redacted]', ok: true }] },
    secretary: '[redacted]',
  })
})

test('a text with the token or its prefix is redacted whole, also as a name', () => {
  expect(
    redacted({
      url: `https://desk.example/strategy/webhook/${TOKEN}`,
      [`x${TOKEN}`]: 1,
      hint: 'svc_hook_abc',
    }),
  ).toEqual({
    url: '[redacted]',
    '[redacted]': 1,
    hint: '[redacted]',
  })
})

test('a credential of another kind inside a text is masked', () => {
  expect(redacted({ note: 'apikey=0123456789abcdef buys' })).toEqual({ note: 'apikey=[redacted] buys' })
})

test('depth, items and texts are bounded', () => {
  expect(redacted({ a: { b: { c: { d: { e: 1 } } } } })).toEqual({
    a: { b: { c: { d: { e: '[truncated]' } } } },
  })
  expect(redacted({ a: { b: { c: { d: 1 } } } })).toEqual({ a: { b: { c: { d: 1 } } } })
  expect(redacted({ list: Array.from({ length: 80 }, (_, index) => index) })).toEqual({
    list: Array.from({ length: 50 }, (_, index) => index),
  })
  expect(
    Object.keys(
      Object(redacted(Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`m${index}`, 1])))),
    ),
  ).toHaveLength(50)
  expect(redacted({ text: '₹'.repeat(900) })).toEqual({ text: '₹'.repeat(500) })
})

test('__proto__ is a member like any other', () => {
  expect(redactedPayload(JSON.parse('{"__proto__":{"token":"t"}}'), SECRETS)).toBe(
    '{"__proto__":{"token":"[redacted]"}}',
  )
})

test('only texts have a column', () => {
  expect([1, null, undefined, {}, ['start']].map((value) => redactedText(value, SECRETS, 20))).toEqual(
    Array(5).fill(null),
  )
  expect(redactedText('x'.repeat(30), SECRETS, 20)).toBe('x'.repeat(20))
})
