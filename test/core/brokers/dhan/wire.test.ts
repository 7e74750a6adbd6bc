import { expect, test } from 'vitest'
import { number } from '../../../../src/core/brokers/dhan/wire.js'

test.each([
  ['12.5', 12.5],
  [' -3 ', -3],
  [7, 7],
])('%j is a number', (sent, read) => {
  expect(number.parse(sent)).toBe(read)
})

test.each(['', '1e9', 'NaN', '9'.repeat(400), Number.POSITIVE_INFINITY, null])('%j is none', (sent) => {
  expect(number.safeParse(sent).success).toBe(false)
})
