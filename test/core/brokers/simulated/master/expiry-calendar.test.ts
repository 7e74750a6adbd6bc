import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  ExpiryCalendar,
  mergeDates,
} from '../../../../../src/core/brokers/simulated/master/expiry-calendar.js'

const TUESDAY = 2
const THURSDAY = 4

describe('expiry dates', () => {
  // 2026-11-21 is a Saturday.
  const calendar = new ExpiryCalendar('2026-11-21', 'NFO')

  it('are weekly on their weekday', () => {
    expect(calendar.weekly(TUESDAY, 3)).toEqual(['2026-11-24', '2026-12-01', '2026-12-08'])
  })

  it('are monthly on the last such weekday', () => {
    expect(calendar.monthly(TUESDAY, 3)).toEqual(['2026-11-24', '2026-12-29', '2027-01-26'])
    expect(calendar.monthly(THURSDAY, 2)).toEqual(['2026-11-26', '2026-12-31'])
  })

  it('skip months without one', () => {
    expect(calendar.monthly(TUESDAY, 2, [3, 12])).toEqual(['2026-12-29', '2027-03-30'])
  })

  it('move a fixed day off the weekend', () => {
    expect(calendar.dayOfMonth(5, 2)).toEqual(['2026-12-04', '2027-01-05'])
    expect(calendar.dayOfMonth(undefined, 2)).toEqual(['2026-11-30', '2026-12-31'])
  })

  it('count trading days backwards', () => {
    expect(calendar.beforeMonthEnd(2, 1)).toEqual(['2026-11-26'])
    expect(calendar.before(['2026-12-18', '2026-11-23'], 2)).toEqual(['2026-12-16'])
  })

  it('include the last day of a contract and exclude the day after', () => {
    expect(new ExpiryCalendar('2026-11-24', 'NFO').weekly(TUESDAY, 1)).toEqual(['2026-11-24'])
    expect(new ExpiryCalendar('2026-11-25', 'NFO').weekly(TUESDAY, 1)).toEqual(['2026-12-01'])
  })

  it('move from a holiday to the previous trading day', () => {
    const closed = new Set(['2026-11-24', '2026-11-23'])
    const moved = new ExpiryCalendar(
      '2026-11-18',
      'NFO',
      (exchange, date) => exchange === 'NFO' && closed.has(date),
    )
    expect(moved.weekly(TUESDAY, 2)).toEqual(['2026-11-20', '2026-12-01'])
    const after = new ExpiryCalendar('2026-11-24', 'NFO', (_, date) => closed.has(date))
    expect(after.weekly(TUESDAY, 1)).toEqual(['2026-12-01'])
  })

  it('work with a predicate that closes every day', () => {
    expect(new ExpiryCalendar('2026-11-21', 'NFO', () => true).weekly(TUESDAY, 2)).toHaveLength(2)
  })

  it('are ascending, distinct, never past and never on a closed day, for any date and holidays', () => {
    const dates = fc
      .date({ min: new Date('2020-01-01'), max: new Date('2050-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10))
    fc.assert(
      fc.property(dates, fc.integer({ min: 2, max: 30 }), (today, nth) => {
        // Every n-th day of the month is closed: far worse than any real calendar.
        const isHoliday = (_: string, date: string) => Number(date.slice(8)) % nth === 0
        const calendar = new ExpiryCalendar(today, 'NFO', isHoliday)
        for (const list of [
          calendar.weekly(TUESDAY, 6),
          calendar.monthly(THURSDAY, 4),
          calendar.beforeMonthEnd(2, 3),
        ]) {
          expect(list).toEqual(mergeDates(list))
          for (const date of list) {
            expect(date >= today).toBe(true)
            expect([0, 6]).not.toContain(new Date(`${date}T00:00:00Z`).getUTCDay())
            expect(isHoliday('NFO', date)).toBe(false)
          }
        }
      }),
      { numRuns: 300 },
    )
  })
})
