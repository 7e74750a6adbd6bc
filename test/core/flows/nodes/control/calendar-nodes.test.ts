import { describe, expect, it } from 'vitest'
import { CALENDAR_NODES } from '../../../../../src/core/flows/nodes/control/calendar-nodes.js'
import { VirtualClock } from '../../../../../src/core/time/index.js'
import { runNode } from '../../support.js'

const [calendar, holidays, timings] = CALENDAR_NODES
if (!calendar || !holidays || !timings) throw new Error('a calendar node is missing')

const KEYS = [
  ...['date', 'is_trading_day', 'is_trading_holiday', 'is_weekend', 'is_special_session'],
  ...['weekday', 'weekday_num', 'day', 'month', 'quarter', 'year', 'week_of_year', 'day_of_year'],
  ...['is_new_day', 'is_new_week', 'is_new_month', 'is_new_quarter', 'is_new_year'],
  ...['week', 'month', 'quarter', 'year'].map((period) => `is_last_day_of_${period}`),
  ...['prev_trading_day', 'next_trading_day'],
  ...['week', 'month', 'quarter'].map((period) => `first_trading_day_of_${period}`),
  ...['week', 'month', 'quarter'].map((period) => `last_trading_day_of_${period}`),
]

describe('calendar', () => {
  it('returns every documented member', async () => {
    const { result } = await runNode(calendar, { date: '2026-11-20' })

    expect(Object.keys(result ?? {}).sort()).toEqual([...KEYS, 'status'].sort())
  })

  it.each([
    [
      '2026-11-20',
      {
        weekday: 'Friday',
        weekday_num: 5,
        is_trading_day: true,
        is_weekend: false,
        is_last_day_of_week: true,
      },
    ],
    ['2026-11-21', { weekday: 'Saturday', is_trading_day: false, is_weekend: true, is_new_day: false }],
    ['2026-11-21', { prev_trading_day: '2026-11-20', next_trading_day: '2026-11-23' }],
    ['2026-01-26', { is_trading_holiday: true, is_trading_day: false, is_new_week: false }],
    ['2026-01-27', { is_new_week: true, first_trading_day_of_week: '2026-01-27' }],
    [
      '2026-01-01',
      { is_new_year: true, is_new_quarter: true, is_new_month: true, day_of_year: 1, week_of_year: 1 },
    ],
    ['2026-12-31', { is_last_day_of_year: true, is_last_day_of_quarter: true, quarter: 4, week_of_year: 53 }],
    ['2027-01-03', { week_of_year: 53, day_of_year: 3 }],
    ['2024-12-31', { day_of_year: 366 }],
  ])('%s: %j', async (date, facts) => {
    const { result } = await runNode(calendar, { date })

    expect(result).toMatchObject({ status: 'success', date, ...facts })
  })

  it('uses the session date by default, which is yesterday until 03:00', async () => {
    const clock = new VirtualClock('2026-11-20T00:30:00+05:30')

    expect((await runNode(calendar, {}, { clock })).result).toMatchObject({ date: '2026-11-19' })
  })

  it('accepts a date with a time after it, and references', async () => {
    const { result } = await runNode(calendar, { date: '{{at}}' }, { variables: { at: '2026-11-20 09:15' } })

    expect(result).toMatchObject({ date: '2026-11-20' })
  })

  it.each(['20-11-2026', '2026-02-30', 'soon', '{{nothing}}'])('%s is not a date', async (date) => {
    const { failure } = await runNode(calendar, { date })

    expect(failure).toBe(`Calendar date must be YYYY-MM-DD, got '${date}'`)
  })

  it('knows a special session on a weekend', async () => {
    const clock = new VirtualClock('2026-11-20T11:00:00+05:30')
    const special = (await runNode(calendar, {}, { clock })).ports.calendar
      .holidaysOf(2026)
      .find(({ type }) => type === 'SPECIAL_SESSION')
    if (!special) throw new Error('the seed has no special session in 2026')

    const { result } = await runNode(calendar, { date: special.date })

    expect(result).toMatchObject({
      is_special_session: true,
      is_trading_day: true,
      is_trading_holiday: false,
    })
  })
})

it.each([
  [holidays, 'market/holidays', {}, {}],
  [holidays, 'market/holidays', { year: 0 }, {}],
  [holidays, 'market/holidays', { year: '{{y}}' }, { year: 2027 }],
  [timings, 'market/timings', {}, { date: '2026-11-20' }],
  [timings, 'market/timings', { date: '2026-11-23' }, { date: '2026-11-23' }],
] as const)('%# %s asks %j as %j', async (definition, call, data, body) => {
  const outcome = await runNode(definition, data, {
    reads: { [call]: { data: [] } },
    variables: { y: '2027' },
  })

  expect(outcome.ports.asked).toEqual([{ call, body }])
  expect(outcome.result).toEqual({ status: 'success', data: [] })
})

it.each([
  [holidays, 'market/holidays', { year: 1999 }],
  [timings, 'market/timings', { date: 'soon' }],
] as const)('%# returns a refusal', async (definition, call, data) => {
  const refusal = { status: 'error', message: 'out of range', code: 400 }
  const { result } = await runNode(definition, data, { reads: { [call]: refusal } })

  expect(result).toMatchObject({ status: 'error', message: 'out of range', code: 400 })
})

it('a year that is not a number is refused', async () => {
  expect((await runNode(holidays, { year: 'now' })).failure).toBe("year did not resolve to a number: 'now'")
})
