import { expect, it } from 'vitest'
import { TradeTimes } from '../../../../../src/core/brokers/dhan/feed/ticks.js'
import { IST_OFFSET_MS } from '../../../../../src/core/time/index.js'

const NOW = Date.parse('2026-11-27T11:00:00+05:30')
const HOUR_MS = 3_600_000

it('the times of trades count from 1970 in UTC, or as the clock of India shows them, as the fresh ones say', () => {
  const times = new TradeTimes()
  expect(times.of(NOW - 1000, NOW)).toBe(NOW - 1000)
  expect(times.of(NOW + IST_OFFSET_MS - 1000, NOW)).toBe(NOW - 1000)
  // An old trade follows the fresh ones.
  expect(times.of(NOW + IST_OFFSET_MS - 5 * HOUR_MS, NOW)).toBe(NOW - 5 * HOUR_MS)
  expect(times.of(NOW + 1000, NOW)).toBe(NOW + 1000)
  expect(times.of(NOW - 5 * HOUR_MS, NOW)).toBe(NOW - 5 * HOUR_MS)
})

it('a broken time is that of now, and decides nothing', () => {
  const times = new TradeTimes()
  expect(times.of(0xffff_ffff * 1000, NOW)).toBe(NOW)
  expect(times.of(NOW + 8 * HOUR_MS, NOW)).toBe(NOW)
  expect(times.of(NOW - HOUR_MS, NOW)).toBe(NOW - HOUR_MS)
})
