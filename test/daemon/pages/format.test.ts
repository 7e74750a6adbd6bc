import { expect, test } from 'vitest'
import { clockTime, indianTime } from '../../../src/daemon/pages/components/format.js'

test.each([
  ['2026-11-20 12:00:00 AM', '2026-11-20 00:00:00'],
  ['2026-11-20 09:15:01 AM', '2026-11-20 09:15:01'],
  ['2026-11-20 12:30:59 PM', '2026-11-20 12:30:59'],
  ['2026-11-20 03:29:59 PM', '2026-11-20 15:29:59'],
  ['', ''],
])('the stored time %s has 24 hours on a page', (stored, shown) => {
  expect(clockTime(stored)).toBe(shown)
})

test('an instant is shown in Indian time', () => {
  expect(indianTime('2026-11-20T10:00:00.000Z')).toBe('2026-11-20 15:30:00')
})
