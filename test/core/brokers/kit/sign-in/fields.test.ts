import { expect, test } from 'vitest'
import { requiredField } from '../../../../../src/core/brokers/kit/sign-in/fields.js'

test('a field of a sign-in counts without blanks, and must be there', () => {
  expect(requiredField({ api_key: ' k1 ' }, 'api_key')).toBe('k1')
  const lacking: Readonly<Record<string, string>>[] = [{}, { api_key: '' }, { api_key: ' ' }]
  for (const fields of lacking) expect(() => requiredField(fields, 'api_key')).toThrow('api_key is required.')
})
