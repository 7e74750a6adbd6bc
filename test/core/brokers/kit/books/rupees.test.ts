import { expect, test } from 'vitest'
import { rupees } from '../../../../../src/core/brokers/kit/books/rupees.js'

test.each([
  [[], '0.00'],
  [[0.1, 0.2], '0.30'],
  [[1000000.5, -50000], '950000.50'],
])('the sum of %j is %s', (amounts, sum) => {
  expect(rupees(...amounts)).toBe(sum)
})
