import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ServiceError } from '../../../src/core/errors/index.js'
import { fields } from '../../../src/core/validation/index.js'
import { parseKeyed } from '../../../src/daemon/http/api-route.js'

const schema = z.strictObject({ strategy: fields.text(), quantity: fields.number() })
const SOUND = { apikey: 'k', strategy: 's', quantity: '5' }

function errorsOf(given: unknown): Record<string, readonly string[]> | undefined {
  try {
    parseKeyed(schema, given)
  } catch (error) {
    if (error instanceof ServiceError) return error.errors
    throw error
  }
  return undefined
}

describe('a request with its key', () => {
  test('is split into the key and a payload that has none', () => {
    expect(parseKeyed(schema, SOUND)).toEqual({ apikey: 'k', payload: { strategy: 's', quantity: 5 } })
    expect(SOUND).toHaveProperty('apikey', 'k')
  })

  test('is refused with all its errors at once, the key first', () => {
    const errors = errorsOf({ quantity: 'x', strategy: 1 })
    expect(errors).toEqual({
      apikey: ['Missing data for required field.'],
      strategy: ['Not a valid string.'],
      quantity: ['Not a valid number.'],
    })
    expect(Object.keys(errors ?? {})[0]).toBe('apikey')
    expect(errorsOf({ ...SOUND, apikey: '' })).toEqual({ apikey: ['Length must be between 1 and 256.'] })
  })

  test('learns the nearest known name of a field it mistyped, the key included', () => {
    expect(errorsOf({ ...SOUND, apikeys: 'k' })).toEqual({
      apikeys: ['Unknown field. Did you mean "apikey"?'],
    })
    expect(errorsOf({ ...SOUND, quantiti: 1 })).toEqual({
      quantiti: ['Unknown field. Did you mean "quantity"?'],
    })
  })

  test.each([[[]], ['text'], [5], [null], [undefined]])('that is %j is no object', (given) => {
    expect(errorsOf(given)).toEqual({ _schema: ['Invalid input type.'] })
  })
})
