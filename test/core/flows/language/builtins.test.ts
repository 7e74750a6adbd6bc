import { expect, test } from 'vitest'
import { BUILTINS, builtinAt, isoWeek } from '../../../../src/core/flows/language/builtins.js'

const TUESDAY = Date.parse('2026-08-04T09:07:05.123+05:30')
const FORMATS: Readonly<Record<string, string>> = {
  timestamp: '2026-08-04 09:07:05',
  iso_timestamp: '2026-08-04T09:07:05.123000',
  date: '2026-08-04',
  session_date: '2026-08-04',
  time: '09:07:05',
  year: '2026',
  month: '08',
  day: '04',
  hour: '09',
  minute: '07',
  second: '05',
  weekday: 'Tuesday',
  weekday_num: '2',
  quarter: '3',
  week_of_year: '32',
  day_of_year: '216',
}

test.each(Object.entries(FORMATS))('%s is %s', (name, text) => {
  expect(builtinAt(name, TUESDAY)).toBe(text)
})

test('these are all built-ins', () => {
  expect(Object.keys(BUILTINS).sort()).toEqual(Object.keys(FORMATS).sort())
  for (const name of ['constructor', '__proto__', 'toString', 'Date', 'date ', '']) {
    expect(builtinAt(name, TUESDAY)).toBeUndefined()
  }
})

test.each([
  ['2026-08-04T00:30:00+05:30', '2026-08-04', '2026-08-03'],
  ['2026-08-04T02:59:59.999+05:30', '2026-08-04', '2026-08-03'],
  ['2026-08-04T03:00:00+05:30', '2026-08-04', '2026-08-04'],
  ['2026-01-01T00:30:00+05:30', '2026-01-01', '2025-12-31'],
])('at %s the date is %s and the session that of %s', (at, date, session) => {
  expect(builtinAt('date', Date.parse(at))).toBe(date)
  expect(builtinAt('session_date', Date.parse(at))).toBe(session)
})

test('dates are in IST, whatever the time zone of the machine', () => {
  const at = Date.parse('2025-12-31T18:30:00Z')
  const names = ['timestamp', 'weekday', 'weekday_num', 'quarter', 'week_of_year', 'day_of_year']
  expect(names.map((name) => builtinAt(name, at))).toEqual([
    '2026-01-01 00:00:00',
    'Thursday',
    '4',
    '1',
    '1',
    '1',
  ])
})

test.each([
  ['2020-12-31', 53, 366],
  ['2021-01-01', 53, 1],
  ['2021-01-03', 53, 3],
  ['2021-01-04', 1, 4],
  ['2024-12-30', 1, 365],
  ['2024-12-31', 1, 366],
  ['2026-12-31', 53, 365],
  ['2027-01-01', 53, 1],
  ['2027-01-04', 1, 4],
])('%s is in ISO week %i, day %i of its year', (date, week, day) => {
  expect(isoWeek(date)).toBe(week)
  expect(builtinAt('day_of_year', Date.parse(`${date}T12:00:00+05:30`))).toBe(String(day))
})

test.each([
  ['2026-03-31', '1'],
  ['2026-04-01', '2'],
  ['2026-09-30', '3'],
  ['2026-12-31', '4'],
])('%s is in quarter %s', (date, quarter) => {
  expect(builtinAt('quarter', Date.parse(`${date}T12:00:00+05:30`))).toBe(quarter)
})
