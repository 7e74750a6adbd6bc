import { expect, test } from 'vitest'
import { Almanac, SEED_TIMINGS } from '../../../../../src/core/calendar/index.js'
import {
  nextInMarketHours,
  readMarketHours,
  withinMarketHours,
} from '../../../../../src/core/flows/triggers/index.js'
import { nextFire, type Schedule } from '../../../../../src/core/flows/triggers/schedule/schedule.js'
import { ist } from '../support.js'

/** A trading holiday with an evening session on MCX, and a special session on a Sunday. */
const almanac = new Almanac(
  [
    {
      id: 1,
      date: '2026-11-24',
      description: 'Guru Nanak Jayanti',
      type: 'TRADING_HOLIDAY',
      exchanges: [
        { exchange: 'NSE', isOpen: false, start: undefined, end: undefined },
        { exchange: 'MCX', isOpen: true, start: ist('2026-11-24 17:00:00'), end: ist('2026-11-24 23:55:00') },
      ],
    },
    {
      id: 2,
      date: '2026-11-08',
      description: 'Muhurat trading',
      type: 'SPECIAL_SESSION',
      exchanges: [
        { exchange: 'NSE', isOpen: true, start: ist('2026-11-08 18:00:00'), end: ist('2026-11-08 19:15:00') },
        { exchange: 'MCX', isOpen: true, start: ist('2026-11-08 18:00:00'), end: ist('2026-11-09 00:15:00') },
      ],
    },
  ],
  SEED_TIMINGS,
)

const FRIDAY = '2026-11-20'

test.each<[string, Record<string, unknown>, at: string, boolean]>([
  ['in session', {}, `${FRIDAY} 11:00:00`, true],
  ['the opening minute', {}, `${FRIDAY} 09:15:00`, true],
  ['before it', {}, `${FRIDAY} 09:14:59`, false],
  ['the whole closing minute', {}, `${FRIDAY} 15:30:59`, true],
  ['after it', {}, `${FRIDAY} 15:31:00`, false],
  ['Saturday', {}, '2026-11-21 11:00:00', false],
  ['a holiday', {}, '2026-11-24 11:00:00', false],
  ['overrides cannot open a holiday', { marketHoursStart: '09:00' }, '2026-11-24 11:00:00', false],
  ['a special session', {}, '2026-11-08 18:30:00', true],
  ['that day at the usual hour', {}, '2026-11-08 11:00:00', false],
  ['MCX in the evening', { marketHoursExchange: 'mcx' }, `${FRIDAY} 21:00:00`, true],
  ['MCX on the evening of a holiday', { marketHoursExchange: 'MCX' }, '2026-11-24 18:00:00', true],
  ['a session past midnight', { marketHoursExchange: 'MCX' }, '2026-11-09 00:15:30', true],
  ['after it', { marketHoursExchange: 'MCX' }, '2026-11-09 00:16:00', false],
  ['CRYPTO at night', { marketHoursExchange: 'CRYPTO' }, '2026-11-22 03:00:00', true],
  ['CRYPTO in the last minute of a day', { marketHoursExchange: 'CRYPTO' }, '2026-11-22 23:59:59', true],
  ['an unknown exchange', { marketHoursExchange: 'LSE' }, `${FRIDAY} 11:00:00`, false],
  ['an early start', { marketHoursStart: '09:00' }, `${FRIDAY} 09:00:00`, true],
  ['a late start', { marketHoursStart: '10:00' }, `${FRIDAY} 09:59:59`, false],
  ['an early end, which leaves the start', { marketHoursEnd: '14:00' }, `${FRIDAY} 14:01:00`, false],
  ['an early end', { marketHoursEnd: '14:00' }, `${FRIDAY} 09:15:00`, true],
  ['a malformed override', { marketHoursStart: '9h', marketHoursEnd: '99:00' }, `${FRIDAY} 15:30:00`, true],
])('%s', (_name, data, at, open) => {
  const hours = readMarketHours({ marketHoursOnly: true, ...data }).value
  expect(hours && withinMarketHours(hours, ist(at), almanac)).toBe(open)
})

test.each([undefined, false, 'false', ' False', '', 0, '0', 'no'])('%j means any hour', (marketHoursOnly) => {
  expect(readMarketHours({ marketHoursOnly, marketHoursStart: '10:00' })).toEqual({ value: undefined })
})

test.each([true, 'true', ' True', 1, '1', 'yes'])('%j means the hours of the exchange', (marketHoursOnly) => {
  expect(readMarketHours({ marketHoursOnly }).value).toMatchObject({ exchange: 'NSE' })
})

const EVERY_MINUTES = (minutes: number): Schedule => ({ type: 'interval', everyMs: minutes * 60_000 })
const DAILY = (hour: number, minute: number): Schedule => ({ type: 'daily', hour, minute })

test.each<[string, Schedule, Record<string, unknown>, from: string, next: string | undefined]>([
  ['in session, the instant itself', EVERY_MINUTES(5), {}, `${FRIDAY} 11:00:00`, `${FRIDAY} 11:00:00`],
  ['before it, the opening', EVERY_MINUTES(5), {}, `${FRIDAY} 08:00:00`, `${FRIDAY} 09:15:00`],
  [
    'on Friday evening, the opening on Monday',
    EVERY_MINUTES(5),
    {},
    `${FRIDAY} 16:00:00`,
    '2026-11-23 09:15:00',
  ],
  ['before a holiday, the day after it', DAILY(10, 0), {}, '2026-11-24 10:00:00', '2026-11-25 10:00:00'],
  [
    'with a late start',
    EVERY_MINUTES(5),
    { marketHoursStart: '10:02' },
    `${FRIDAY} 08:00:00`,
    `${FRIDAY} 10:05:00`,
  ],
  ['a special session on a Sunday', DAILY(18, 30), {}, '2026-11-07 18:30:00', '2026-11-08 18:30:00'],
  ['at night, never', DAILY(20, 0), {}, `${FRIDAY} 20:00:00`, undefined],
  [
    'once, on a Saturday, never',
    { type: 'once', at: ist('2026-11-21 11:00:00') },
    {},
    '2026-11-21 11:00:00',
    undefined,
  ],
  [
    'at an unknown exchange, never',
    DAILY(11, 0),
    { marketHoursExchange: 'LSE' },
    `${FRIDAY} 11:00:00`,
    undefined,
  ],
])('the next run %s', (_name, schedule, data, from, next) => {
  const hours = readMarketHours({ marketHoursOnly: true, ...data }).value
  const after = (instant: number) =>
    nextFire(schedule, { after: instant, anchor: ist('2026-11-01 00:00:00') })
  const found = hours && nextInMarketHours(hours, ist(from), almanac, after)
  expect(found).toBe(next === undefined ? undefined : ist(next))
})
