import { expect, test } from 'vitest'
import { pendingOf } from '../../../../../src/core/brokers/kit/books/pending.js'

test.each([
  ['open', 10, 0, 10],
  ['open', 10, 4, 6],
  ['trigger pending', 10, 0, 10],
  ['complete', 10, 10, 0],
  ['cancelled', 10, 4, 0],
  ['rejected', 10, 0, 0],
  // A change to less than what has been filled meanwhile.
  ['open', 3, 4, 0],
] as const)(
  'an order that is %s, of %i with %i filled, may still trade %i',
  (status, quantity, filled, rest) => {
    expect(pendingOf(status, quantity, filled)).toBe(rest)
  },
)
