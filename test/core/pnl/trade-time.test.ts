import { expect, it } from 'vitest'
import { parseTradeTime } from '../../../src/core/pnl/trade-time.js'
import { istInstant } from '../../../src/core/time/index.js'

const TODAY = '2026-11-20'
const MORNING = istInstant(TODAY, '09:15:30')

it.each([
  ['20-Nov-2026 09:15:30'],
  ['20-NOV-2026 9:15:30'],
  ['09:15:30 20-11-2026'],
  ['20-11-2026 09:15:30'],
  ['2026-11-20 09:15:30'],
  ['2026-11-20T09:15:30'],
  ['2026-11-20 09:15:30.250'],
  ['09:15:30'],
  ['  09:15:30 '],
  ['2026-11-20T03:45:30Z'],
  ['2026-11-20T09:15:30+05:30'],
  ['2026-11-20T09:15:30+0530'],
  [MORNING],
  [MORNING + 999],
  [MORNING / 1000],
  [String(MORNING / 1000)],
])('the time of a trade %j is Indian time, unless it names its zone', (given) => {
  expect(parseTradeTime(given, TODAY)).toBe(MORNING)
})

it('a time of day without seconds is one of today', () => {
  expect(parseTradeTime('09:15', TODAY)).toBe(istInstant(TODAY, '09:15'))
})

it.each([
  [undefined],
  [''],
  ['soon'],
  [0],
  ['0'],
  [-5],
  [Number.NaN],
  [Number.POSITIVE_INFINITY],
  [1e300],
  ['31-Nov-2026 09:15:30'],
  ['20-Foo-2026 09:15:30'],
  ['2026-02-30 09:15:30'],
  ['2026-11-20 24:15:30'],
  ['2026-11-20 09:61'],
  ['25:00'],
  ['2026-11-20'],
  ['9'.repeat(400)],
])('what names no time (%j) is not read', (given) => {
  expect(parseTradeTime(given, TODAY)).toBeUndefined()
})
