import { expect, it } from 'vitest'
import { instantOf, timeOfStamp } from '../../../../../src/core/brokers/kit/books/stamps.js'
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

const AT = Date.parse('2026-11-29T10:15:00+05:30')

it.each([
  ['2026-11-29T10:15:00+05:30', AT],
  ['2026-11-29T10:15:00+0530', AT],
  ['2026-11-29T04:45:00Z', AT],
  ['2026-11-29T04:45:00.250Z', AT + 250],
  // Without a zone it is a time of India, wherever this machine is.
  ['2026-11-29 10:15:00', AT],
  ['2026-11-29T10:15:00', 0],
  ['29-Nov-2026', 0],
  ['2026-11-29', 0],
  ['', 0],
])('%s is the instant %d', (written, at) => {
  expect(instantOf(written)).toBe(at)
})
