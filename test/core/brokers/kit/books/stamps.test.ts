import { expect, it } from 'vitest'
import { timeOfStamp } from '../../../../../src/core/brokers/kit/books/stamps.js'
import { istInstant } from '../../../../../src/core/time/index.js'

it('reads the times of rows as Indian time', () => {
  expect(timeOfStamp('2026-11-27 09:15:30')).toBe(istInstant('2026-11-27', '09:15:30'))
})

it.each([
  '',
  '2026-11-27',
  '27-11-2026 09:15:30',
  '2026-11-27T09:15:30',
  '2026-13-45 09:15:30',
  '1969-01-01 00:00:00',
])('is 0 for what is no such time: "%s"', (stamp) => {
  expect(timeOfStamp(stamp)).toBe(0)
})
