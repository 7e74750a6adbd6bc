import { expect, test } from 'vitest'
import { angelTime } from '../../../../src/core/brokers/angel/wire.js'

const AT = Date.parse('2026-11-29T10:15:00+05:30')

test.each([
  ['29-Nov-2026 10:15:00', AT],
  // A time without a zone is one of India, wherever this machine is.
  ['2026-11-29 10:15:00', AT],
  ['2026-11-29T10:15:00+05:30', AT],
  ['2026-11-29T04:45:00Z', AT],
  ['2026-11-29T10:15:00', 0],
  ['', 0],
])('the time %s is %d', (written, at) => {
  expect(angelTime(written)).toBe(at)
})
