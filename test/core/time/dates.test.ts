import { expect, test } from 'vitest'
import { isDate, zonedInstant } from '../../../src/core/time/index.js'

test.each([
  ['2026-11-20', true],
  ['2028-02-29', true],
  ['2026-02-29', false],
  ['2026-11-31', false],
  ['2026-13-01', false],
  ['2026-1-1', false],
  ['2026-11-20 ', false],
  ['', false],
])('isDate %j is %s', (text, expected) => {
  expect(isDate(text)).toBe(expected)
})

test.each([
  ['2026-11-20T09:15Z', Date.UTC(2026, 10, 20, 9, 15)],
  ['2026-11-20T09:15:00+05:30', Date.UTC(2026, 10, 20, 3, 45)],
  ['2026-11-20T09:15:01.250Z', Date.UTC(2026, 10, 20, 9, 15, 1, 250)],
  ['2026-02-30T00:00:00Z', undefined],
  ['2026-11-31T00:00:00+05:30', undefined],
  ['2026-11-20T25:00:00Z', undefined],
  ['2026-11-20T09:15:00', undefined],
  ['2026-11-20', undefined],
])('zonedInstant %j is %s', (text, expected) => {
  expect(zonedInstant(text)).toBe(expected)
})
