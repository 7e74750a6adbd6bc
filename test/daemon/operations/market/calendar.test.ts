import { describe, expect, it } from 'vitest'
import { Calendar } from '../../../../src/core/calendar/index.js'
import { ownedWorld } from '../../../core/identity/support.js'
import { mounted } from '../../../support/desk/mounted.js'

async function openApp() {
  const { identity, clock, db, apiKey: apikey } = await ownedWorld()
  const calendar = await Calendar.open({ db, clock })
  const app = mounted(identity, undefined, { calendar, clock })
  const call = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify({ apikey, ...body }) }
    // This request has no socket.
    const response = await app.request(`/api/v1/${path}`, init, {})
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  return { call }
}

const NSE_TO_BCD = ['NSE', 'BSE', 'NFO', 'BFO', 'CDS', 'BCD']

describe('the calendar of the public API', () => {
  it('lists the holidays of a year', async () => {
    const { call } = await openApp()
    const { status, body } = await call('market/holidays', { year: '2026' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ status: 'success', year: 2026, timezone: 'Asia/Kolkata' })
    const data = body.data as { date: string }[]
    expect(data).toHaveLength(19)
    expect(data[0]).toMatchObject({
      date: '2026-01-01',
      closed_exchanges: [],
      open_exchanges: [{ exchange: 'MCX', start_time: 1767238200000, end_time: 1767267000000 }],
    })
    expect(data.find(({ date }) => date === '2026-03-03')).toEqual({
      date: '2026-03-03',
      description: 'Holi',
      holiday_type: 'TRADING_HOLIDAY',
      closed_exchanges: NSE_TO_BCD,
      open_exchanges: [{ exchange: 'MCX', start_time: 1772537400000, end_time: 1772562300000 }],
    })
    expect(data.find(({ date }) => date === '2026-11-08')).toMatchObject({
      holiday_type: 'SPECIAL_SESSION',
      closed_exchanges: [],
    })
    expect((await call('market/holidays', {})).body).toMatchObject({ year: 2026 })
    expect((await call('market/holidays', { year: 2031 })).body).toMatchObject({ year: 2031, data: [] })
  })

  it('returns the trading hours of each exchange on a date', async () => {
    const { call } = await openApp()
    const on = async (date: string) => (await call('market/timings', { date })).body.data as object[]
    const names = (rows: object[]) => rows.map((row) => Object(row).exchange)
    const friday = await on('2025-12-19')
    expect(names(friday)).toEqual(['NSE', 'BSE', 'NFO', 'BFO', 'MCX', 'BCD', 'CDS', 'NCO', 'CRYPTO'])
    expect(friday[0]).toEqual({ exchange: 'NSE', start_time: 1766115900000, end_time: 1766138400000 })
    expect(await on('2026-11-21')).toEqual([
      {
        exchange: 'CRYPTO',
        start_time: Date.parse('2026-11-21T00:00:00+05:30'),
        end_time: Date.parse('2026-11-21T23:59:59+05:30'),
      },
    ])
    expect(names(await on('2026-03-03'))).toEqual(['MCX', 'NCO', 'CRYPTO'])
    const everybody = ['NSE', 'BSE', 'NFO', 'BFO', 'MCX', 'BCD', 'CDS', 'NCO', 'CRYPTO']
    expect(names(await on('2026-11-08'))).toEqual(everybody)
    expect(names(await on('2026-12-25'))).toEqual(['CRYPTO'])
  })

  it('checks a date, for one exchange or for all', async () => {
    const { call } = await openApp()
    expect(await call('checkholiday', { date: '2026-01-26', exchange: 'NSE' })).toEqual({
      status: 200,
      body: { status: 'success', data: { date: '2026-01-26', exchange: 'NSE', is_holiday: true } },
    })
    expect((await call('checkholiday', { date: '2026-01-27' })).body.data).toEqual({
      date: '2026-01-27',
      exchange: 'ALL',
      is_holiday: false,
    })
  })

  it.each([
    [
      'market/holidays',
      { year: 2019 },
      'year: Must be greater than or equal to 2020 and less than or equal to 2050.',
    ],
    ['market/holidays', { yeer: 2026 }, 'yeer: Unknown field. Did you mean "year"?'],
    ['market/timings', {}, 'date: Missing data for required field.'],
    ['market/timings', { date: '19-12-2025' }, 'Invalid date format. Use YYYY-MM-DD'],
    ['market/timings', { date: '2026-02-30' }, 'Invalid date format. Use YYYY-MM-DD'],
    ['market/timings', { date: '2051-01-01' }, 'Date must be between 2020-01-01 and 2050-12-31'],
    ['checkholiday', { date: '2019-12-31' }, 'Date must be between 2020-01-01 and 2050-12-31'],
    [
      'checkholiday',
      { date: '2026-01-26', exchange: 'XYZ' },
      'Exchange must be one of: NSE, BSE, NFO, BFO, MCX, BCD, CDS, NCO, CRYPTO',
    ],
  ])('%s refuses %j', async (path, body, message) => {
    const { call } = await openApp()
    expect(await call(path, body)).toMatchObject({ status: 400, body: { status: 'error', message } })
  })

  it.each(['market/holidays', 'market/timings', 'checkholiday'])(
    '%s needs a key that is known',
    async (path) => {
      const { call } = await openApp()
      expect(
        await call(path, { apikey: 'nobody', ...(path !== 'market/holidays' && { date: '2026-01-26' }) }),
      ).toEqual({
        status: 403,
        body: { status: 'error', message: 'Invalid svc apikey' },
      })
    },
  )
})
