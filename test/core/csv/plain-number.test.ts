import { expect, test } from 'vitest'
import { plainNumber } from '../../../src/core/csv/index.js'

test.each([
  [25256.399999999998, 25256.4],
  [0.1 + 0.2, 0.3],
  [-1.1 * 3, -3.3],
  [83.2525, 83.2525],
  [0.00000001, 0.00000001],
  [250408000989443, 250408000989443],
  [0, 0],
])('%d is written as %d', (value, plain) => {
  expect(plainNumber(value)).toBe(plain)
})

test.each([Number.NaN, Number.POSITIVE_INFINITY])('%d stays', (value) => {
  expect(plainNumber(value)).toBe(value)
})
