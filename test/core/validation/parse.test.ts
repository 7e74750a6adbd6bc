import { expect, test } from 'vitest'
import { z } from 'zod'
import { ServiceError } from '../../../src/core/errors/index.js'
import { parseWith } from '../../../src/core/validation/index.js'

const schema = z.strictObject({ quantity: z.number().optional(), price_type: z.string().optional() })

function errorsOf(input: unknown): Record<string, string[]> {
  try {
    parseWith(schema, input)
  } catch (error) {
    if (error instanceof ServiceError) return error.errors ?? {}
  }
  return {}
}

test('an unknown field is refused, and the most likely name is suggested', () => {
  expect(errorsOf({ quantty: 1, pricetype: 'x', foo: 1 })).toEqual({
    quantty: ['Unknown field. Did you mean "quantity"?'],
    pricetype: ['Unknown field. Did you mean "price_type"?'],
    foo: ['Unknown field.'],
  })
})

test('of a hundred thousand unknown fields only twenty are reported, with shortened names', () => {
  const input = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`${'x'.repeat(200)}${i}`, 1]))
  const errors = errorsOf(input)
  expect(Object.keys(errors).length).toBeLessThanOrEqual(20)
  expect(Object.keys(errors).every((name) => name.length <= 100)).toBe(true)
  const short = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, 1]))
  expect(Object.keys(errorsOf(short))).toHaveLength(20)
})

test('names of JavaScript properties are names like any other', () => {
  const input: unknown = JSON.parse('{"__proto__":{"quantity":1},"constructor":1,"toString":2}')
  expect(Object.keys(errorsOf(input)).sort()).toEqual(['__proto__', 'constructor', 'toString'])
})
