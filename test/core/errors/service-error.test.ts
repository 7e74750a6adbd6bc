import { expect, test } from 'vitest'
import { PublicError, ServiceError, validationError } from '../../../src/core/errors/index.js'

const LONG = 'x'.repeat(500_000)

test('a long value in a message is cut out of its middle, so that the field and the rule stay', () => {
  const message = `Invalid expiry_time format: ${LONG}. Use HH:MM format`
  const error = validationError({ expiry_time: [message] })
  for (const text of [
    error.message,
    error.errors?.expiry_time?.[0] ?? '',
    new PublicError(message).message,
  ]) {
    expect(text.length).toBeLessThan(2100)
    expect(text).toMatch(
      /^(expiry_time: )?Invalid expiry_time format: x+ … \(49\d{4} characters left out\) … x+\. Use HH:MM format$/,
    )
  }
})

test('a message of usual length stays as it is', () => {
  const message = 'y'.repeat(2000)
  expect(new ServiceError('validation', message).message).toBe(message)
})
