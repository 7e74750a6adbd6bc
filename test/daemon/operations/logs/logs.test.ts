import { describe, expect, test } from 'vitest'
import { csvRecords } from '../../../../src/core/csv/index.js'
import type { EventMode } from '../../../../src/core/events/index.js'
import { OPERATION_LIST } from '../../../../src/daemon/operations/index.js'
import { READS } from '../../../../src/daemon/operations/logs/reads.js'
import { orderPlaced } from '../../../core/telemetry/fixtures.js'
import { asleep } from '../../../support/asleep.js'
import { bearer, HttpDesk } from '../../../support/desk/http-desk.js'

const DAY_MS = 86_400_000

async function open() {
  const http = await HttpDesk.open()
  let token = await http.signIn()
  const get = (path: string) => http.request('GET', path, { headers: bearer(token) })
  /** Moves the clock and signs in again, because a session ends at night. */
  const advance = async (ms: number) => {
    await asleep(http.desk.clock, ms)
    token = await http.signIn()
  }
  const clear = () => http.request('POST', '/analyzer/clear', { headers: bearer(token) })
  const { orderLogs } = http.desk.service
  const { clock } = http.desk
  const record = (mode: EventMode, request_data: Record<string, unknown>, response_data = {}) =>
    orderLogs.record(
      orderPlaced({ mode, request_data, response_data: { status: 'success', ...response_data } }),
    )
  return { http, get, clear, advance, clock, record, orderLogs }
}

const symbolsOf = (body: Record<string, unknown>, list = 'logs') =>
  (body[list] as { request_data: { symbol: string } }[]).map(({ request_data }) => request_data.symbol)

describe('GET /logs/', () => {
  test('shows today by pages of 20, newest first, as entries without credentials', async () => {
    const { get, record, advance } = await open()
    record('live', { symbol: 'OLD' })
    await advance(DAY_MS)
    for (let row = 0; row < 41; row++) record('live', { symbol: `S${row}`, apikey: 'x'.repeat(64) })
    record('analyze', { symbol: 'SIMULATED' })
    const first = await get('/logs/')
    expect(first.body).toMatchObject({ total_pages: 3, current_page: 1 })
    expect(symbolsOf(first.body)).toEqual(Array.from({ length: 20 }, (_, row) => `S${40 - row}`))
    expect(first.text).not.toMatch(/apikey/i)
    expect((await get('/logs/?page=3')).body).toMatchObject({ current_page: 3, total_pages: 3 })
    expect(symbolsOf((await get('/logs?page=3')).body)).toEqual(['S0'])
    expect((await get('/logs?page=0')).body).toMatchObject({ current_page: 0, total_pages: 3 })
    const [entry] = (await get('/logs?search=s40')).body.logs as object[]
    expect(entry).toMatchObject({
      api_type: 'placeorder',
      strategy: 'Unknown',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d (0[1-9]|1[0-2]):\d\d:\d\d [AP]M$/),
    })
  })

  test('takes days as Indian days, one bound as an open period, and has no page without rows', async () => {
    const { get, record, clock, advance } = await open()
    const midnight = Date.parse('2026-11-21T00:00:00+05:30')
    await advance(midnight - 1 - clock.now())
    record('live', { symbol: 'LAST' })
    await clock.advance(1)
    record('live', { symbol: 'FIRST' })
    const symbols = async (query: string) => symbolsOf((await get(`/logs?${query}`)).body)
    expect(await symbols('start_date=2026-11-20&end_date=2026-11-20')).toEqual(['LAST'])
    expect(await symbols('start_date=2026-11-21&end_date=2026-11-21')).toEqual(['FIRST'])
    expect(await symbols('')).toEqual(['FIRST'])
    expect(await symbols('start_date=2026-11-20')).toEqual(['FIRST', 'LAST'])
    expect(await symbols('end_date=2026-11-20')).toEqual(['LAST'])
    expect((await get('/logs?end_date=2001-01-01')).body).toEqual({
      logs: [],
      total_pages: 0,
      current_page: 1,
    })
  })

  test.each([
    ['start_date=05-03-2031', 'start_date'],
    ['end_date=2031-02-30', 'end_date'],
    ['start_date=2031-03-05&end_date=2031-03-04', 'end_date'],
    ['page=one', 'page'],
    ['page=-1', 'page'],
  ])('refuses %s and names the field', async (query, field) => {
    const { get } = await open()
    const { status, body } = await get(`/logs?${query}`)
    expect([status, Object.keys(body.errors ?? {})]).toEqual([400, [field]])
  })
})

describe('GET /logs/entries', () => {
  test('pages back through a log and reads on after its newest row', async () => {
    const { get, record } = await open()
    for (let row = 0; row < 5; row++) record('analyze', { symbol: `S${row}` })
    const first = (await get('/logs/entries?log=analyzer&limit=3')).body
    expect(symbolsOf(first, 'data')).toEqual(['S4', 'S3', 'S2'])
    const second = (await get(`/logs/entries?log=analyzer&limit=3&before=${first.next_before}`)).body
    expect([symbolsOf(second, 'data'), second.next_before]).toEqual([['S1', 'S0'], null])
    record('analyze', { symbol: 'NEW' })
    const next = (await get(`/logs/entries?log=analyzer&after=${first.newest_id}`)).body
    expect(symbolsOf(next, 'data')).toEqual(['NEW'])
  })
})

describe('the CSV files', () => {
  test('have every row of the period, with cells that no spreadsheet runs', async () => {
    const { get, record } = await open()
    record(
      'live',
      { strategy: '=cmd()', symbol: 'SBIN', quantity: -5, pricetype: 'MARKET' },
      { orderid: '77' },
    )
    for (let row = 0; row < 1200; row++) record('live', { symbol: `S${row}` })
    const { headers, text } = await get('/logs/export')
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename=svc_logs_\d{8}_\d{6}\.csv$/)
    const [titles, ...rows] = [...csvRecords(text)].map(({ fields }) => fields)
    expect(titles?.join(', ')).toBe(
      'ID, Timestamp, API Type, Strategy, Exchange, Symbol, Action, Product, Price Type, Quantity, Position Size, Price, Trigger Price, Disclosed Quantity, Order ID, Response',
    )
    expect(rows.map(([id]) => Number(id))).toEqual(Array.from({ length: 1201 }, (_, row) => 1201 - row))
    const last = rows.at(-1)
    expect([last?.[3], last?.[5], last?.[9], last?.[14]]).toEqual(["'=cmd()", 'SBIN', '-5', '77'])
    expect([...csvRecords((await get('/logs/export?search=cmd')).text)]).toHaveLength(2)
  })

  test('stay whole while rows of the log are deleted: newest first, none twice, no recent row missing', async () => {
    const { get, advance, clear, record } = await open()
    for (let row = 0; row < 3000; row++) record('analyze', { symbol: `OLD${row}` })
    await advance(DAY_MS + 60_000)
    for (let row = 0; row < 3000; row++) record('analyze', { symbol: `NEW${row}` })
    const period = `start_date=2026-11-01&end_date=2026-12-01`
    const [file, ...cleared] = await Promise.all([get(`/analyzer/export?${period}`), clear(), clear()])
    const removed = cleared.reduce((sum, { body }) => sum + Number(body.removed), 0)
    expect(removed).toBe(3000)
    const text = file.text
    const found = [...text.matchAll(/\b(?:OLD|NEW)\d+\b/g)].map(([symbol]) => symbol)
    expect(new Set(found).size).toBe(found.length)
    expect(found.filter((symbol) => symbol.startsWith('NEW'))).toHaveLength(3000)
    expect(found.indexOf('NEW2999')).toBeLessThan(found.indexOf('NEW0'))
  })

  test('of an unreadable log is an error, not a part of a file', async () => {
    const { get, http } = await open()
    await http.desk.service.databases.logs.write((tx) => tx.exec('drop table order_logs'))
    const { status, body } = await get('/logs/export')
    expect([status, body.message]).toEqual([500, 'An error occurred while exporting logs'])
  })
})

describe('the analyzer log', () => {
  test('is cleared while orders flow: every old row goes, and no new one', async () => {
    const { get, advance, clear, orderLogs, record } = await open()
    for (let row = 0; row < 500; row++) record('analyze', { symbol: 'OLD' })
    await advance(DAY_MS + 60_000)
    const clears: Promise<unknown>[] = []
    for (let row = 0; row < 500; row++) {
      record('analyze', { symbol: `NEW${row}` })
      if (row % 100 === 0) clears.push(clear())
    }
    await Promise.all(clears)
    const rows = await orderLogs.list('analyze', { limit: 2000 })
    expect(rows.map(({ requestData }) => requestData).join()).not.toContain('OLD')
    expect(rows).toHaveLength(500)
    expect((await get('/analyzer/requests')).status).toBe(200)
  })

  test('tells what was asked and what was wrong, with figures of 24 hours', async () => {
    const { get, record, clear, advance } = await open()
    record('analyze', { strategy: 'old', symbol: 'OLD' })
    await advance(DAY_MS + 1)
    record('analyze', { strategy: 's', symbol: 'SBIN', pricetype: 'MARKET', product: 'MIS' })
    record('analyze', { symbol: 'NONE' }, { status: 'error', message: 'Invalid symbol NONE' })
    const stats = {
      total_requests: 2,
      issues: {
        total: 1,
        by_type: { rate_limit: 0, invalid_symbol: 1, missing_quantity: 0, invalid_exchange: 0, other: 0 },
      },
      symbols: ['NONE', 'SBIN'],
    }
    expect((await get('/analyzer/stats')).body).toEqual({ ...stats, sources: { Unknown: 1, s: 1 } })
    const { data } = (await get('/analyzer/api/data')).body as {
      data: { stats: object; requests: Record<string, unknown>[] }
    }
    expect(data.stats).toEqual({ ...stats, sources: ['Unknown', 's'] })
    expect(data.requests[0]).toMatchObject({
      source: 'Unknown',
      analysis: { issues: true, error: 'Invalid symbol NONE', error_type: 'error', warnings: [] },
    })
    expect(data.requests[1]).toMatchObject({ source: 's', price_type: 'MARKET', product_type: 'MIS' })
    expect((await get('/analyzer/requests')).body.requests).toHaveLength(3)
    const csv = [...csvRecords((await get('/analyzer/export')).text)].map(({ fields }) => fields)
    expect(csv.map((row) => row.slice(-2))).toEqual([
      ['Status', 'Error Message'],
      ['Error', 'Invalid symbol NONE'],
      ['Success', ''],
    ])
    expect((await clear()).body).toMatchObject({ status: 'success', removed: 1 })
    expect((await get('/analyzer/requests')).body.requests).toHaveLength(2)
  })
})

describe('requests that only read', () => {
  test('are logged in the log of the mode with their answer or error, without the key', async () => {
    const { http, orderLogs } = await open()
    const call = (name: string, body: object = {}) =>
      http.request('POST', `/api/v1/${name}`, { body: { apikey: http.apikey, ...body } })
    for (const name of ['orderbook', 'tradebook', 'positionbook', 'holdings', 'funds']) await call(name)
    await call('quotes', { symbol: 'NOSUCH', exchange: 'NSE' })
    await call('quotes', { symbol: 'SBIN' })
    const rows = await orderLogs.list('live', { limit: 20 })
    expect(rows.map(({ apiType }) => apiType)).toEqual([
      ...['quotes', 'funds', 'holdings', 'positionbook', 'tradebook', 'orderbook'],
    ])
    expect(JSON.parse(rows[0]?.responseData ?? '')).toMatchObject({ status: 'error' })
    expect(JSON.parse(rows[1]?.responseData ?? '')).toMatchObject({ status: 'success' })
    expect(JSON.stringify(rows)).not.toContain(http.apikey)
    await http.desk.service.settings.setAnalyzeMode(true)
    await call('funds')
    expect((await orderLogs.list('analyze', { limit: 20 })).map(({ apiType }) => apiType)).toEqual(['funds'])
  })

  test('are left out of a list on request, and every such operation is known', async () => {
    const { http, get, record } = await open()
    await http.request('POST', '/api/v1/positionbook', { body: { apikey: http.apikey } })
    record('live', { symbol: 'SBIN' })
    const typesOf = async (query: string) => {
      const { body } = await get(`/logs/entries${query}`)
      return (body.data as { api_type: string }[]).map(({ api_type }) => api_type).toSorted()
    }
    expect(await typesOf('')).toEqual(['placeorder', 'positionbook'])
    expect(await typesOf('?reads=true')).toEqual(['placeorder', 'positionbook'])
    expect(await typesOf('?reads=false')).toEqual(['placeorder'])
    expect(await typesOf('?reads=false&after=0')).toEqual(['placeorder'])
    const logged = OPERATION_LIST.flatMap(({ log, changes }) => (log && changes !== true ? [log.as] : []))
    expect([...new Set(logged)].toSorted()).toEqual(READS)
  })
})
