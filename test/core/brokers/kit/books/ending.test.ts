import { expect, test } from 'vitest'
import { endingOf } from '../../../../../src/core/brokers/kit/books/ending.js'
import type { OrderStatus } from '../../../../../src/core/orders/schema.js'

test.each<[OrderStatus, string, string, 'cancel' | 'IOC' | undefined]>([
  ['open', 'OPEN', 'DAY', undefined],
  ['open', 'CANCEL PENDING', 'DAY', 'cancel'],
  ['open', 'cancel pending', 'IOC', 'cancel'],
  // The exchange did not cancel it.
  ['open', 'not cancelled', 'DAY', undefined],
  ['open', 'OPEN', 'IOC', 'IOC'],
  // A stop waits for its trigger.
  ['trigger pending', 'TRIGGER PENDING', 'IOC', undefined],
  ['cancelled', 'CANCELLED', 'IOC', undefined],
])('an order that is %s (%s, %s) ends now by: %s', (status, word, validity, ending) => {
  expect(endingOf(status, { validity, word }).ending).toBe(ending)
})
