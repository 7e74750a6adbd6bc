import { expect, test } from 'vitest'
import { istDateTime } from '../../../../src/core/time/index.js'
import { adminRig } from './admin-rig.js'

const WEDNESDAY = '2026-11-25'
const ELECTIONS = { holiday_date: WEDNESDAY, description: 'Elections', exchanges: ['NSE', 'BSE'] }
interface Entry {
  id: number
  date: string
  open_exchanges: { exchange: string; start_time: number; end_time: number }[]
}

const entriesOf = async ({ call }: Awaited<ReturnType<typeof adminRig>>, year: number) =>
  (await call('GET', `holidays?year=${year}`)).body.data as Entry[]

test('the list of a year has types, exchanges and the hours of special sessions', async () => {
  const rig = await adminRig()
  const { body } = await rig.call('GET', 'holidays')
  expect(body).toMatchObject({
    status: 'success',
    current_year: 2026,
    years: [2025, 2026, 2027],
    exchanges: ['NSE', 'BSE', 'NFO', 'BFO', 'MCX', 'CDS', 'BCD'],
    coverage: 'complete',
  })
  expect(body).not.toHaveProperty('warning')
  const entries = body.data as Entry[]
  expect(entries.find(({ date }) => date === '2026-03-03')).toEqual({
    id: expect.any(Number),
    date: '2026-03-03',
    day_name: 'Tuesday',
    description: 'Holi',
    holiday_type: 'TRADING_HOLIDAY',
    closed_exchanges: ['NSE', 'BSE', 'NFO', 'BFO', 'CDS', 'BCD'],
    open_exchanges: [{ exchange: 'MCX', start_time: 1772537400000, end_time: 1772562300000 }],
  })
  expect((await rig.call('GET', 'holidays?year=')).body.current_year).toBe(2026)
})

test('a holiday is added and deleted, and the public routes agree at once', async () => {
  const rig = await adminRig()
  const closed = async (exchange: string) => {
    const { data } = await rig.api('checkholiday', { date: WEDNESDAY, exchange })
    return Object(data).is_holiday
  }
  const trading = async () =>
    (Object((await rig.api('market/timings', { date: WEDNESDAY })).data) as { exchange: string }[]).map(
      ({ exchange }) => exchange,
    )
  expect(await closed('NSE')).toBe(false)
  const added = await rig.call('POST', 'holidays', ELECTIONS)
  const { id } = added.body.data as Entry
  expect(added).toMatchObject({
    status: 200,
    body: {
      message: 'Added holiday: Elections on 2026-11-25',
      data: { date: WEDNESDAY, day_name: 'Wednesday', closed_exchanges: ['NSE', 'BSE'], open_exchanges: [] },
    },
  })
  expect(await closed('NSE')).toBe(true)
  expect(await closed('MCX')).toBe(false)
  expect(await trading()).toEqual(['NFO', 'BFO', 'MCX', 'BCD', 'CDS', 'NCO', 'CRYPTO'])
  expect((await rig.api('market/holidays', { year: 2026 })).data).toContainEqual(
    expect.objectContaining({ date: WEDNESDAY, closed_exchanges: ['NSE', 'BSE'] }),
  )
  expect((await rig.call('DELETE', `holidays/${id}`)).body).toEqual({
    status: 'success',
    message: 'Deleted holiday: Elections',
  })
  expect(await closed('NSE')).toBe(false)
  expect(await trading()).toContain('NSE')
  expect(await rig.call('DELETE', `holidays/${id}`)).toMatchObject({
    status: 404,
    body: { message: 'Holiday not found' },
  })
})

test('the names of the public system do the same', async () => {
  const rig = await adminRig()
  const reply = await rig.call('POST', 'holidays', {
    date: WEDNESDAY,
    description: 'Elections',
    closed_exchanges: ['nse'],
    open_exchanges: [
      {
        exchange: 'MCX',
        start_time: Date.parse(`${WEDNESDAY}T17:00:00+05:30`),
        end_time: Date.parse(`${WEDNESDAY}T23:00:00+05:30`),
      },
    ],
  })
  expect(reply).toMatchObject({ status: 200, body: { data: { closed_exchanges: ['NSE'] } } })
  expect((await rig.call('POST', 'timings/check', { date: WEDNESDAY })).body.timings).toContainEqual({
    exchange: 'MCX',
    start_time: '17:00',
    end_time: '23:00',
  })
})

test('a special session may end after midnight', async () => {
  const rig = await adminRig()
  const saturday = '2026-11-28'
  const reply = await rig.call('POST', 'holidays', {
    holiday_date: saturday,
    description: 'Disaster recovery drill',
    holiday_type: 'SPECIAL_SESSION',
    open_exchanges: [
      { exchange: 'NSE', start_time: '09:15', end_time: '10:00' },
      { exchange: 'MCX', start_time: '18:00', end_time: '00:15' },
    ],
  })
  const { open_exchanges: open } = reply.body.data as Entry
  expect(
    open.map(({ exchange, start_time, end_time }) => [
      exchange,
      istDateTime(start_time),
      istDateTime(end_time),
    ]),
  ).toEqual([
    ['NSE', '2026-11-28 09:15:00', '2026-11-28 10:00:00'],
    ['MCX', '2026-11-28 18:00:00', '2026-11-29 00:15:00'],
  ])
  expect((await rig.call('POST', 'timings/check', { date: saturday })).body).toEqual({
    status: 'success',
    date: saturday,
    timings: [
      { exchange: 'NSE', start_time: '09:15', end_time: '10:00' },
      { exchange: 'MCX', start_time: '18:00', end_time: '00:15' },
      { exchange: 'NCO', start_time: '18:00', end_time: '00:15' },
      { exchange: 'CRYPTO', start_time: '00:00', end_time: '23:59' },
    ],
  })
})

const open = (start_time: unknown, end_time: unknown, exchange = 'MCX') => ({
  exchanges: [],
  open_exchanges: [{ exchange, start_time, end_time }],
})

test.each<[string, object, string | RegExp]>([
  ['no date', { holiday_date: undefined }, 'holiday_date: Date and description are required'],
  ['no description', { description: undefined }, 'description: Missing data for required field.'],
  ['a blank description', { description: ' \n ' }, 'Date and description are required'],
  [
    'a description of control characters',
    { description: 'a\u001b[2Jb' },
    'Must not contain control characters.',
  ],
  [
    'a description that turns text around',
    { description: 'a\u202eb' },
    'Must not contain control characters.',
  ],
  ['a description that is too long', { description: 'x'.repeat(151) }, 'Longer than maximum length 150.'],
  ['both names of the date', { date: WEDNESDAY }, 'date: Is the same as holiday_date: send one of them.'],
  [
    'both names of the exchanges',
    { closed_exchanges: [] },
    'closed_exchanges: Is the same as exchanges: send one of them.',
  ],
  ['a date that does not exist', { holiday_date: '2026-02-30' }, 'Invalid date format. Use YYYY-MM-DD'],
  ['another format of dates', { holiday_date: '25-11-2026' }, 'Invalid date format. Use YYYY-MM-DD'],
  ['a far date', { holiday_date: '9999-12-31' }, 'Date must be between 2020-01-01 and 2050-12-31'],
  [
    'a date of the past century',
    { holiday_date: '1999-12-31' },
    'Date must be between 2020-01-01 and 2050-12-31',
  ],
  ['an unknown type', { holiday_type: 'PARTY' }, /^holiday_type: Must be one of: TRADING_HOLIDAY,/],
  [
    'an unknown exchange',
    { exchanges: ['XYZ'] },
    'Exchange must be one of: NSE, BSE, NFO, BFO, MCX, CDS, BCD',
  ],
  ['an exchange without holidays', { exchanges: ['CRYPTO'] }, /^Exchange must be one of/],
  ['an exchange twice', { exchanges: ['NSE', 'nse '] }, 'NSE is listed twice'],
  ['exchanges that are no list', { exchanges: 'NSE' }, 'exchanges: Not a valid list.'],
  ['too many exchanges', { exchanges: Array(21).fill('NSE') }, 'exchanges: Longer than maximum length 20.'],
  ['nothing that closes', { exchanges: [] }, 'A trading holiday requires at least one exchange'],
  [
    'a session that ends as it starts',
    open('09:00', '09:00'),
    'The session of MCX must end by 03:00 of the next day',
  ],
  [
    'a session that ends in the next morning',
    open('18:00', '03:01'),
    'The session of MCX must end by 03:00 of the next day',
  ],
  ['a session with hours in another form', open('9:5', '15:30'), 'Invalid time format. Use HH:MM'],
  ['a session with an hour that does not exist', open('24:00', '25:00'), 'Invalid time format. Use HH:MM'],
  ['a session on another day', open(1, 2), 'The session of MCX must start on 2026-11-25'],
  ['a session before every date', open(-9e15, 2), 'The session of MCX must start on 2026-11-25'],
  ['a session after every date', open(8.7e15, 9e15), 'The session of MCX must start on 2026-11-25'],
  [
    'a session that ends before it starts',
    open(Date.parse(`${WEDNESDAY}T17:00+05:30`), 5),
    'MCX needs a start_time before its end_time',
  ],
  [
    'a session of fractions',
    open(1.5, 2),
    'open_exchanges.0.start_time: Must be HH:MM or epoch milliseconds.',
  ],
  [
    'a session without an end',
    { open_exchanges: [{ exchange: 'MCX', start_time: '09:00' }] },
    /^open_exchanges\.0\.end_time: /,
  ],
  [
    'a special session without hours',
    { holiday_type: 'SPECIAL_SESSION' },
    'Special session requires at least one exchange with timings',
  ],
  [
    'a settlement holiday with hours',
    { ...open('09:00', '10:00'), holiday_type: 'SETTLEMENT_HOLIDAY' },
    /^A settlement holiday keeps the usual hours/,
  ],
  ['an unknown field', { holidayType: 'x' }, 'holidayType: Unknown field. Did you mean "holiday_type"?'],
])('a holiday with %s is refused', async (_what, change, message) => {
  const rig = await adminRig()
  const before = rig.service.calendar.holidayCount
  const reply = await rig.call('POST', 'holidays', { ...ELECTIONS, ...change })
  expect([reply.status, reply.body.message]).toEqual([
    400,
    typeof message === 'string' ? message : expect.stringMatching(message),
  ])
  expect(rig.service.calendar.holidayCount).toBe(before)
})

test('an exchange has one entry a day, also when many add it at once', async () => {
  const rig = await adminRig()
  const replies = await Promise.all(Array.from({ length: 8 }, () => rig.call('POST', 'holidays', ELECTIONS)))
  expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
  expect(replies.find(({ status }) => status === 409)?.body.message).toMatch(
    /^NSE has an entry on 2026-11-25 already: Elections \(id \d+\)\. Delete it first\.$/,
  )
  // Another exchange may have an entry of its own on the same day.
  expect((await rig.call('POST', 'holidays', { ...ELECTIONS, exchanges: ['MCX'] })).status).toBe(200)
  const unsettled = { holiday_date: '2026-11-26', description: 'Banks', holiday_type: 'SETTLEMENT_HOLIDAY' }
  expect((await rig.call('POST', 'holidays', unsettled)).status).toBe(200)
  expect((await rig.call('POST', 'holidays', unsettled)).status).toBe(409)
})

test('a settlement holiday of commodities does not stop the settlement of shares', async () => {
  const { call, service } = await adminRig()
  const entry = { holiday_date: WEDNESDAY, description: 'Banks', holiday_type: 'SETTLEMENT_HOLIDAY' }
  await call('POST', 'holidays', { ...entry, exchanges: ['MCX'] })
  expect(service.calendar.isSettlementDay(WEDNESDAY)).toBe(true)
  await call('POST', 'holidays', { ...entry, exchanges: ['NSE'] })
  expect(service.calendar.isSettlementDay(WEDNESDAY)).toBe(false)
})

test.each(['2019', '2051', 'abc', '2026.5', '%00', '1e3'])(
  'the list of the year %s is refused',
  async (year) => {
    const rig = await adminRig()
    expect((await rig.call('GET', `holidays?year=${year}`)).status).toBe(400)
  },
)

test('the timings show the usual hours and those of today', async () => {
  const rig = await adminRig()
  const { body } = await rig.call('GET', 'timings')
  const rows = body.data as { exchange: string }[]
  expect(rows.map(({ exchange }) => exchange)).toEqual([
    'BCD',
    'BFO',
    'BSE',
    'CDS',
    'CRYPTO',
    'MCX',
    'NCO',
    'NFO',
    'NSE',
  ])
  expect(rows.at(-1)).toEqual({
    id: expect.any(Number),
    exchange: 'NSE',
    start_time: '09:15',
    end_time: '15:30',
    start_offset: 33_300_000,
    end_offset: 55_800_000,
  })
  expect(rows.find(({ exchange }) => exchange === 'CRYPTO')).toMatchObject({ end_offset: 86_399_000 })
  expect(body.today).toBe('2026-11-20')
  expect(body.today_timings).toContainEqual({ exchange: 'NFO', start_time: '09:15', end_time: '15:40' })
  expect(body.market_status).toContainEqual({
    exchange: 'NSE',
    start_time: Date.parse('2026-11-20T09:15:00+05:30'),
    end_time: Date.parse('2026-11-20T15:30:00+05:30'),
  })
})

test('changed hours apply at once', async () => {
  const rig = await adminRig()
  expect((await rig.call('PUT', 'timings/nse', { start_time: '10:00', end_time: '14:00' })).body).toEqual({
    status: 'success',
    message: 'Updated timing for NSE: 10:00 - 14:00',
  })
  const nse = { exchange: 'NSE', start_time: '10:00', end_time: '14:00' }
  expect((await rig.call('POST', 'timings/check', { date: WEDNESDAY })).body.timings).toContainEqual(nse)
  expect((await rig.call('GET', 'timings')).body.today_timings).toContainEqual(nse)
  const { data } = await rig.api('market/timings', { date: WEDNESDAY })
  expect(data).toContainEqual({
    exchange: 'NSE',
    start_time: Date.parse(`${WEDNESDAY}T10:00:00+05:30`),
    end_time: Date.parse(`${WEDNESDAY}T14:00:00+05:30`),
  })
})

test.each<[string, object, string | RegExp]>([
  ['NSE', { start_time: '9:5', end_time: '15:30' }, 'Invalid time format. Use HH:MM'],
  ['NSE', { start_time: '09:15', end_time: '15:30:00' }, 'Invalid time format. Use HH:MM'],
  ['NSE', { start_time: '09:15', end_time: '24:00' }, 'Invalid time format. Use HH:MM'],
  ['NSE', { start_time: '15:30', end_time: '09:15' }, 'End time must be after start time'],
  ['NSE', { start_time: '09:15', end_time: '09:15' }, 'End time must be after start time'],
  ['NSE', { start_time: '09:15' }, 'end_time: Missing data for required field.'],
  ['NSE', { start_time: 915, end_time: 1530 }, 'start_time: Not a valid string.'],
  ['XYZ', { start_time: '09:15', end_time: '15:30' }, /^Exchange must be one of: NSE,/],
  ['__proto__', { start_time: '09:15', end_time: '15:30' }, /^Exchange must be one of: NSE,/],
  ['%00', { start_time: '09:15', end_time: '15:30' }, /^Exchange must be one of: NSE,/],
  ['CRYPTO', { start_time: '09:15', end_time: '15:30' }, /^CRYPTO trades around the clock/],
])('hours of %s as %j are refused', async (exchange, body, message) => {
  const rig = await adminRig()
  const before = (await rig.call('GET', 'timings')).body
  const reply = await rig.call('PUT', `timings/${exchange}`, body)
  expect([reply.status, reply.body.message]).toEqual([
    400,
    typeof message === 'string' ? message : expect.stringMatching(message),
  ])
  expect((await rig.call('GET', 'timings')).body).toEqual(before)
})

test.each<[object, string]>([
  [{}, 'date: Missing data for required field.'],
  [{ date: 5 }, 'date: Not a valid string.'],
  [{ date: 'tomorrow' }, 'Invalid date format. Use YYYY-MM-DD'],
  [{ date: '2026-02-30' }, 'Invalid date format. Use YYYY-MM-DD'],
  [{ date: '2051-01-01' }, 'Date must be between 2020-01-01 and 2050-12-31'],
])('the hours of %j are refused', async (body, message) => {
  const rig = await adminRig()
  expect(await rig.call('POST', 'timings/check', body)).toMatchObject({ status: 400, body: { message } })
})

test('a second start reads what the first one stored', async () => {
  const first = await adminRig()
  await first.call('POST', 'holidays', ELECTIONS)
  await first.call('PUT', 'timings/NSE', { start_time: '10:00', end_time: '14:00' })
  await first.call('PUT', 'holidays/years/2027', { complete: true })
  const republicDay = (await entriesOf(first, 2027))[0]?.id
  await first.call('DELETE', `holidays/${republicDay}`)
  await first.call('POST', 'holidays', { ...ELECTIONS, holiday_date: '2027-03-22' })
  await first.upload('SYMBOL,FRZ\nSENSEX,77\n', 'BFO')
  const { home } = first.http.desk
  await first.http.desk.settled(first.http.desk.close())
  const second = await adminRig({ home, clock: first.clock })
  expect(second.service.calendar.isTradingDay('BSE', WEDNESDAY)).toBe(false)
  expect((await second.call('GET', 'timings')).body.today_timings).toContainEqual({
    exchange: 'NSE',
    start_time: '10:00',
    end_time: '14:00',
  })
  expect((await entriesOf(second, 2027)).map(({ date }) => date)).toEqual(['2027-03-22'])
  expect((await second.call('GET', 'holidays?year=2027')).body.coverage).toBe('complete')
  expect(second.service.instruments.freeze.of('BFO', 'SENSEX')).toBe(77)
  expect(second.service.instruments.freeze.of('BFO', 'BANKEX')).toBeUndefined()
})
