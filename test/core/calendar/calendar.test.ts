import { describe, expect, it, onTestFinished } from 'vitest'
import { Calendar, SEED_HOLIDAYS } from '../../../src/core/calendar/index.js'
import { Database } from '../../../src/core/storage/index.js'
import { istDateTime, istInstant, VirtualClock } from '../../../src/core/time/index.js'
import { tempFile } from '../../support/files/temp.js'

async function open(file = tempFile('svc.db')) {
  const db = await Database.open({ file, schema: 'svc' })
  onTestFinished(() => db.close())
  const clock = new VirtualClock('2026-11-20T11:00:00+05:30')
  return { db, clock, calendar: await Calendar.open({ db, clock }) }
}

const hours = (calendar: Calendar, exchange: string, date: string): string => {
  const window = calendar.sessionOf(exchange, date)
  return window ? `${istDateTime(window.open)} to ${istDateTime(window.close)}` : 'closed'
}

/** Event, exchange, date, hours. */
const SESSIONS: [string, string, string, string][] = [
  ['an ordinary Friday', 'NSE', '2026-11-20', '2026-11-20 09:15:00 to 2026-11-20 15:30:00'],
  ['derivatives close later', 'NFO', '2026-11-20', '2026-11-20 09:15:00 to 2026-11-20 15:40:00'],
  ['currencies', 'CDS', '2026-11-20', '2026-11-20 09:00:00 to 2026-11-20 17:00:00'],
  ['commodities', 'MCX', '2026-11-20', '2026-11-20 09:00:00 to 2026-11-20 23:55:00'],
  [
    'an exchange without a row of its own',
    'NCDEX',
    '2026-11-20',
    '2026-11-20 09:00:00 to 2026-11-20 17:00:00',
  ],
  [
    'an index trades with its exchange',
    'NSE_INDEX',
    '2026-11-20',
    '2026-11-20 09:15:00 to 2026-11-20 15:30:00',
  ],
  ['a Saturday', 'NSE', '2026-11-21', 'closed'],
  ['crypto on a Saturday', 'CRYPTO', '2026-11-21', '2026-11-21 00:00:00 to 2026-11-21 23:59:59'],
  ['a holiday', 'NSE', '2026-11-24', 'closed'],
  ['the evening session of a holiday', 'MCX', '2026-11-24', '2026-11-24 17:00:00 to 2026-11-24 23:55:00'],
  ['a holiday that closes everything', 'MCX', '2026-12-25', 'closed'],
  ['commodities at NSE on a holiday', 'NCO', '2026-11-24', '2026-11-24 17:00:00 to 2026-11-24 23:55:00'],
  ['a holiday that closes commodities too', 'NCO', '2026-12-25', 'closed'],
  ['crypto on a holiday', 'CRYPTO', '2026-12-25', '2026-12-25 00:00:00 to 2026-12-25 23:59:59'],
  ['an exchange that no holiday lists, on one of MCX', 'NCDEX', '2026-01-26', 'closed'],
  ['the same without an evening session', 'NCDEX', '2026-11-24', 'closed'],
  [
    'the same where MCX trades in the morning',
    'NCDEX',
    '2026-01-01',
    '2026-01-01 09:00:00 to 2026-01-01 17:00:00',
  ],
  [
    'New Year at MCX has no evening session',
    'MCX',
    '2026-01-01',
    '2026-01-01 09:00:00 to 2026-01-01 17:00:00',
  ],
  ['nor has it at NSE’s commodities', 'NCO', '2026-01-01', '2026-01-01 09:00:00 to 2026-01-01 17:00:00'],
  ['New Year at NSE', 'NSE', '2026-01-01', '2026-01-01 09:15:00 to 2026-01-01 15:30:00'],
  ['New Year 2025 at MCX', 'MCX', '2025-01-01', '2025-01-01 09:00:00 to 2025-01-01 17:00:00'],
  ['New Year 2025 in currencies', 'CDS', '2025-01-01', '2025-01-01 09:00:00 to 2025-01-01 17:00:00'],
  ['Republic Day 2025, a Sunday', 'NSE', '2025-01-26', 'closed'],
  ['the budget Sunday of 2026', 'NSE', '2026-02-01', '2026-02-01 09:15:00 to 2026-02-01 15:30:00'],
  ['the budget Sunday of 2026', 'MCX', '2026-02-01', '2026-02-01 09:00:00 to 2026-02-01 17:00:00'],
  ['the budget Saturday of 2025', 'NSE', '2025-02-01', '2025-02-01 09:15:00 to 2025-02-01 15:30:00'],
  ['Good Friday 2025', 'MCX', '2025-04-18', 'closed'],
  ['Muhurat 2025', 'NFO', '2025-10-21', '2025-10-21 13:45:00 to 2025-10-21 14:45:00'],
  ['Balipratipada 2025', 'BSE', '2025-10-22', 'closed'],
  ['its evening session', 'MCX', '2025-10-22', '2025-10-22 17:00:00 to 2025-10-22 23:30:00'],
  ['the last day of New York’s winter', 'MCX', '2026-03-06', '2026-03-06 09:00:00 to 2026-03-06 23:55:00'],
  ['the first of its summer', 'MCX', '2026-03-09', '2026-03-09 09:00:00 to 2026-03-09 23:30:00'],
  ['the same at NSE', 'NCO', '2026-03-09', '2026-03-09 09:00:00 to 2026-03-09 23:30:00'],
  ['the same for its indices', 'MCX_INDEX', '2026-03-09', '2026-03-09 09:00:00 to 2026-03-09 23:30:00'],
  ['an evening session in summer', 'NCO', '2026-10-20', '2026-10-20 17:00:00 to 2026-10-20 23:30:00'],
  ['the last day of New York’s summer', 'NCO', '2026-10-30', '2026-10-30 09:00:00 to 2026-10-30 23:30:00'],
  ['the first of its winter', 'NCO', '2026-11-02', '2026-11-02 09:00:00 to 2026-11-02 23:55:00'],
  ['Gurpurb 2025', 'NSE', '2025-11-05', 'closed'],
  ['a Friday in November 2025', 'NSE', '2025-11-14', '2025-11-14 09:15:00 to 2025-11-14 15:30:00'],
  ['a special session on a Sunday', 'NSE', '2026-11-08', '2026-11-08 18:00:00 to 2026-11-08 19:15:00'],
  ['a special session past midnight', 'MCX', '2026-11-08', '2026-11-08 18:00:00 to 2026-11-09 00:15:00'],
  ['the same at NSE', 'NCO', '2026-11-08', '2026-11-08 18:00:00 to 2026-11-09 00:15:00'],
  ['an exchange that a special session does not list', 'NCDEX', '2026-11-08', 'closed'],
]

describe('sessions', () => {
  it('follow the timings, the holidays and the special sessions', async () => {
    const { calendar } = await open()
    for (const [what, exchange, date, expected] of SESSIONS) {
      expect(`${what}: ${hours(calendar, exchange, date)}`).toBe(`${what}: ${expected}`)
      expect(calendar.isTradingDay(exchange, date)).toBe(expected !== 'closed')
    }
  })

  it('are open from the first to the last millisecond, both inclusive, also past midnight', async () => {
    const { calendar } = await open()
    const openAt = (exchange: string, at: string) => calendar.isOpen(exchange, Date.parse(at))
    expect(openAt('NSE', '2026-11-20T09:14:59.999+05:30')).toBe(false)
    expect(openAt('NSE', '2026-11-20T09:15:00+05:30')).toBe(true)
    expect(openAt('NSE', '2026-11-20T15:30:00+05:30')).toBe(true)
    expect(openAt('NSE', '2026-11-20T15:30:00.001+05:30')).toBe(false)
    expect(openAt('MCX', '2026-11-09T00:15:00+05:30')).toBe(true)
    expect(openAt('MCX', '2026-11-09T00:16:00+05:30')).toBe(false)
    expect(openAt('CRYPTO', '2026-11-08T23:59:59.999+05:30')).toBe(true)
    expect(calendar.isOpen('NSE')).toBe(true)
  })

  it('open next after weekends and holidays', async () => {
    const { calendar } = await open()
    const next = (exchange: string, at: string) => {
      const instant = calendar.nextOpen(exchange, Date.parse(at))
      return instant === undefined ? 'never' : istDateTime(instant)
    }
    expect(next('NSE', '2026-11-20T08:00:00+05:30')).toBe('2026-11-20 09:15:00')
    expect(next('NSE', '2026-11-20T11:00:00+05:30')).toBe('2026-11-23 09:15:00')
    expect(next('NSE', '2026-11-23T16:00:00+05:30')).toBe('2026-11-25 09:15:00')
    expect(next('NSE', '2026-11-07T12:00:00+05:30')).toBe('2026-11-08 18:00:00')
    expect(next('MCX', '2026-11-24T00:30:00+05:30')).toBe('2026-11-24 17:00:00')
    expect(next('CRYPTO', '2026-11-21T03:00:00+05:30')).toBe('2026-11-21 03:00:00')
    expect(next('NOWHERE', '2026-11-21T03:00:00+05:30')).toBe('never')
  })
})

describe('holidays', () => {
  const DAYS = [
    ['2026-01-01', 'MCX', false],
    ['2026-01-01', undefined, false],
    ['2026-01-26', 'NSE', true],
    ['2026-01-26', 'MCX', true],
    ['2026-03-03', 'MCX', false],
    ['2026-03-03', undefined, true],
    ['2026-03-03', 'NCO', false],
    ['2026-03-03', 'CRYPTO', false],
    ['2026-11-21', 'NSE', true],
    ['2026-11-21', undefined, true],
    ['2026-11-21', 'CRYPTO', false],
    ['2026-11-08', 'NSE', false],
    ['2026-11-08', undefined, false],
    ['2026-11-20', 'NSE', false],
    ['2026-11-20', undefined, false],
  ] as const

  it('are those of the exchange, or of all exchanges', async () => {
    const { calendar } = await open()
    for (const [date, exchange, expected] of DAYS) {
      expect(calendar.isHoliday(date, exchange), `${date} ${exchange}`).toBe(expected)
    }
  })

  it('show the close that commodities have on their day', async () => {
    const { calendar } = await open()
    const ends = (date: string) =>
      calendar
        .holidaysOf()
        .filter((holiday) => holiday.date === date)
        .flatMap(({ exchanges }) => exchanges.flatMap(({ end }) => (end ? [istDateTime(end)] : [])))
    expect(ends('2026-10-20')).toEqual(['2026-10-20 23:30:00'])
    expect(ends('2026-11-10')).toEqual(['2026-11-10 23:55:00'])
  })

  it('of 2025 and 2026 exist at the first start, and a second start adds none', async () => {
    const { calendar, db } = await open()
    const seeded = SEED_HOLIDAYS.filter(({ date }) => date.startsWith('2026-')).length
    expect(calendar.holidaysOf()).toHaveLength(seeded)
    expect(calendar.holidaysOf(2025)).toHaveLength(
      SEED_HOLIDAYS.filter(({ date }) => date.startsWith('2025-')).length,
    )
    expect(calendar.holidaysOf().map(({ date }) => date)).toEqual(
      [...calendar.holidaysOf()].map(({ date }) => date).sort(),
    )
    expect(calendar.holidaysOf(2031)).toEqual([])
    await calendar.removeHoliday(calendar.holidaysOf()[0]?.id ?? 0)
    const again = await Calendar.open({ db, clock: new VirtualClock(0) })
    expect(again.holidaysOf(2026)).toHaveLength(seeded - 1)
    expect(again.timings()).toHaveLength(9)
  })

  it('of a year that a home does not have are added at the next start', async () => {
    const { calendar, db, clock } = await open()
    const all = calendar.holidaysOf(2025)
    for (const { id } of all) await calendar.removeHoliday(id)
    expect(calendar.isTradingDay('NSE', '2025-12-25')).toBe(true)
    const again = await Calendar.open({ db, clock })
    expect(again.holidaysOf(2025)).toHaveLength(all.length)
    expect(again.isTradingDay('NSE', '2025-12-25')).toBe(false)
  })
})

describe('a change by the owner', () => {
  const WEDNESDAY = '2026-11-25'

  it.each([
    ['23:00', '23:00', '23:00'],
    ['23:45', '23:45', '23:45'],
    ['23:55', '23:30', '23:55'],
  ])(
    'of the close of commodities to %s: %s in New York’s summer, %s in winter',
    async (end, summer, winter) => {
      const { calendar } = await open()
      await calendar.setTiming({ exchange: 'MCX', start: '10:00', end })
      expect(hours(calendar, 'MCX', '2026-10-30')).toBe(`2026-10-30 10:00:00 to 2026-10-30 ${summer}:00`)
      expect(hours(calendar, 'MCX', '2026-11-02')).toBe(`2026-11-02 10:00:00 to 2026-11-02 ${winter}:00`)
    },
  )

  it('applies at once, notifies listeners, and persists', async () => {
    const { calendar, db, clock } = await open()
    let told = 0
    const unsubscribe = calendar.onChange(() => told++)
    const closed = { exchange: 'NSE', isOpen: false, start: undefined, end: undefined }
    const added = await calendar.addHoliday({
      date: WEDNESDAY,
      description: 'Elections',
      type: 'TRADING_HOLIDAY',
      exchanges: [closed],
    })
    expect(calendar.isTradingDay('NSE', WEDNESDAY)).toBe(false)
    expect(calendar.isTradingDay('BSE', WEDNESDAY)).toBe(true)
    await calendar.setTiming({ exchange: 'BSE', start: '09:00', end: '16:00' })
    expect(hours(calendar, 'BSE', WEDNESDAY)).toBe('2026-11-25 09:00:00 to 2026-11-25 16:00:00')
    const again = await Calendar.open({ db, clock })
    expect(again.isTradingDay('NSE', WEDNESDAY)).toBe(false)
    expect(hours(again, 'BSE', WEDNESDAY)).toBe('2026-11-25 09:00:00 to 2026-11-25 16:00:00')
    expect(await calendar.removeHoliday(added.id)).toEqual(added)
    expect(calendar.isTradingDay('NSE', WEDNESDAY)).toBe(true)
    unsubscribe()
    await calendar.setTiming({ exchange: 'BSE', start: '09:15', end: '15:30' })
    expect(told).toBe(3)
    await expect(calendar.removeHoliday(added.id)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('to a settlement holiday affects settlement but not trading', async () => {
    const { calendar } = await open()
    await calendar.addHoliday({
      date: WEDNESDAY,
      description: 'Banks closed',
      type: 'SETTLEMENT_HOLIDAY',
      exchanges: [{ exchange: 'NSE', isOpen: false, start: undefined, end: undefined }],
    })
    expect(calendar.isTradingDay('NSE', WEDNESDAY)).toBe(true)
    expect(calendar.isHoliday(WEDNESDAY, 'NSE')).toBe(false)
    const settles = ['2026-11-20', '2026-11-21', '2026-11-08', '2026-11-24', WEDNESDAY, '2026-11-26']
    expect(settles.filter((date) => calendar.isSettlementDay(date))).toEqual(['2026-11-20', '2026-11-26'])
  })

  it.each([
    ['an invalid date', { date: '25-11-2026' }, 'Invalid date format. Use YYYY-MM-DD'],
    ['no description', { description: ' ' }, 'Date and description are required'],
    [
      'a special session without hours',
      { type: 'SPECIAL_SESSION' as const },
      'Special session requires at least one exchange with timings',
    ],
    [
      'an exchange that keeps no holidays',
      { exchanges: [{ exchange: 'CRYPTO', isOpen: false, start: undefined, end: undefined }] },
      'Exchange must be one of: NSE, BSE, NFO, BFO, MCX, CDS, BCD',
    ],
    [
      'hours that end before they start',
      { exchanges: [{ exchange: 'NSE', isOpen: true, start: istInstant(WEDNESDAY, '11:00'), end: 5 }] },
      'NSE needs a start_time before its end_time',
    ],
  ])('is refused for %s', async (_what, change, message) => {
    const { calendar } = await open()
    const holiday = { date: WEDNESDAY, description: 'x', type: 'TRADING_HOLIDAY' as const, exchanges: [] }
    await expect(calendar.addHoliday({ ...holiday, ...change })).rejects.toMatchObject({ message })
  })

  it.each([
    [{ exchange: 'NSE', start: '9:15', end: '15:30' }, 'Invalid time format. Use HH:MM'],
    [{ exchange: 'NSE', start: '15:30', end: '09:15' }, 'End time must be after start time'],
    [
      { exchange: 'XYZ', start: '09:15', end: '15:30' },
      expect.stringMatching(/^Exchange must be one of: NSE,/),
    ],
  ])('to hours %j is refused', async (timing, message) => {
    const { calendar } = await open()
    await expect(calendar.setTiming(timing)).rejects.toMatchObject({ message })
  })
})
