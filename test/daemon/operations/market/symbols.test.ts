import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { csvRecords } from '../../../../src/core/csv/records.js'
import { MarketApp } from '../../../support/desk/market-app.js'

let rig: MarketApp
beforeAll(async () => {
  rig = await MarketApp.open()
})
afterAll(() => rig?.close())

const COLUMNS = ['symbol', 'brsymbol', 'name', 'exchange', 'brexchange', 'token', 'expiry', 'strike']
const MORE = ['lotsize', 'instrumenttype', 'tick_size']
const OPTION = 'NIFTY24NOV2626000CE'

describe('symbol', () => {
  test('returns the complete row, with the freeze quantity of its underlying', async () => {
    const { body } = await rig.post('symbol', { symbol: OPTION, exchange: 'NFO' })
    expect(body).toEqual({
      status: 'success',
      data: {
        id: rig.service.instruments.directory.idOf(OPTION, 'NFO'),
        symbol: OPTION,
        brsymbol: OPTION,
        name: 'NIFTY',
        exchange: 'NFO',
        brexchange: 'NFO',
        token: expect.any(String),
        expiry: '24-NOV-26',
        strike: 26000,
        lotsize: 65,
        instrumenttype: 'CE',
        tick_size: 0.05,
        freeze_qty: 1800,
      },
    })
    const share = await rig.post('symbol', { symbol: 'SBIN', exchange: 'NSE' })
    expect(share.body.data).toMatchObject({ expiry: '', strike: 0, lotsize: 1, freeze_qty: 1 })
  })

  test('is looked up exactly', async () => {
    expect(await rig.post('symbol', { symbol: 'sbin', exchange: 'NSE' })).toMatchObject({
      status: 404,
      code: 'not_found',
      body: { status: 'error', message: 'Symbol sbin not found in exchange NSE' },
    })
  })
})

describe('search', () => {
  test('finds by words and returns the number of matches', async () => {
    const { body } = await rig.post('search', { query: 'nifty 26000 24nov26' })
    expect(body.message).toBe('Found 2 matching symbols')
    const rows = body.data as Record<string, unknown>[]
    expect(rows.map(({ symbol }) => symbol)).toEqual([OPTION, 'NIFTY24NOV2626000PE'])
    expect(Object.keys(rows[0] ?? {})).toEqual([...COLUMNS, ...MORE, 'freeze_qty'])
  })

  test('keeps to an exchange, and to 500 rows', async () => {
    const shares = await rig.post('search', { query: 'SBIN', exchange: 'BSE' })
    expect(shares.body.data).toMatchObject([{ symbol: 'SBIN', exchange: 'BSE' }])
    const many = await rig.post('search', { query: 'N' })
    expect(many.body.data).toHaveLength(500)
  })

  test('finds nothing without failing', async () => {
    expect(await rig.post('search', { query: 'QQQQQ' })).toMatchObject({
      status: 200,
      body: { status: 'success', message: 'No matching symbols found', data: [] },
    })
  })

  test('says the same from the index as from the database', async () => {
    const ask = () => rig.post('search', { query: 'sbin' })
    const before = await ask()
    await rig.service.instruments.search.warm()
    expect(await ask()).toEqual(before)
    const typo = await rig.post('search', { query: 'RELIANSE' })
    expect((typo.body.data as object[])[0]).toMatchObject({ symbol: 'RELIANCE', exchange: 'NSE' })
  })

  test.each(['', '   '])('wants a query: %j', async (query) => {
    expect(await rig.post('search', { query })).toMatchObject({
      status: 400,
      body: { message: 'Query parameter is required and cannot be empty' },
    })
  })
})

describe('expiry', () => {
  const expiry = (fields: object) =>
    rig.post('expiry', { symbol: 'NIFTY', exchange: 'NFO', instrumenttype: 'options', ...fields })

  test('lists future expiries in order', async () => {
    const { body } = await expiry({ symbol: 'nifty' })
    const data = body.data as string[]
    expect(data[0]).toBe('24-NOV-26')
    expect(data.length).toBeGreaterThan(3)
    expect(body.message).toBe(`Found ${data.length} expiry dates for NIFTY options in NFO`)
  })

  test.each([
    [{ instrumenttype: 'futures' }, '24-NOV-26'],
    [
      { symbol: 'CRUDEOIL', exchange: 'MCX', instrumenttype: 'futures' },
      expect.stringMatching(/^\d\d-[A-Z]{3}-\d\d$/),
    ],
    [{ symbol: 'BTC', exchange: 'CRYPTO' }, expect.stringMatching(/^\d\d-[A-Z]{3}-\d\d$/)],
  ])('of %j begins with the nearest', async (fields, first) => {
    expect(((await expiry(fields)).body.data as string[])[0]).toEqual(first)
  })

  test('is empty for an underlying without contracts', async () => {
    expect((await expiry({ symbol: 'NIF' })).body).toEqual({
      status: 'success',
      message: 'No expiry dates found for NIF options in NFO',
      data: [],
    })
  })

  test('wants a symbol', async () => {
    expect(await expiry({ symbol: ' ' })).toMatchObject({
      status: 400,
      body: { message: 'Symbol parameter is required and cannot be empty' },
    })
  })
})

describe('instruments', () => {
  test('lists an exchange as JSON', async () => {
    const { body } = await rig.get('instruments', { exchange: 'NSE' })
    const rows = body.data as Record<string, unknown>[]
    expect(body).toMatchObject({ status: 'success', message: `Found ${rows.length} instruments` })
    expect(rows.map(({ symbol }) => symbol)).toEqual(
      expect.arrayContaining(['SBIN', 'INFY', 'TCS', 'RELIANCE']),
    )
    expect(Object.keys(rows[0] ?? {})).toEqual([...COLUMNS, ...MORE])
  })

  test('lists everything as CSV, every row once', async () => {
    const { text, type } = await rig.get('instruments', { format: 'CSV' })
    const [header, ...records] = [...csvRecords(text)].map(({ fields }) => fields)
    expect(type).toBe('text/csv; charset=utf-8')
    expect(header).toEqual([...COLUMNS, ...MORE])
    expect(records).toHaveLength(rig.service.instruments.directory.count)
    expect(new Set(records.map((fields) => `${fields[3]}:${fields[0]}`)).size).toBe(records.length)
    const option = records.find(([symbol]) => symbol === OPTION)
    expect(option?.slice(6)).toEqual(['24-NOV-26', '26000', '65', 'CE', '0.05'])
  })

  test('names the file after the exchange', async () => {
    const fileOf = async (query: string) => {
      const path = `/api/v1/instruments?apikey=${rig.apikey}&format=csv${query}`
      const response = await rig.raw(path)
      await response.text()
      return response.headers.get('content-disposition')
    }
    expect(await fileOf('')).toBe('attachment; filename=instruments_all.csv')
    expect(await fileOf('&exchange=NSE')).toBe('attachment; filename=instruments_NSE.csv')
  })

  test('of an exchange that lists nothing are none', async () => {
    expect((await rig.get('instruments', { exchange: 'NCDEX' })).body).toEqual({
      status: 'success',
      message: 'No instruments found',
      data: [],
    })
  })

  test('ignore unknown keys of the query', async () => {
    const { body } = await rig.get('instruments', { exchange: 'NCDEX' })
    const busted = await rig.get('instruments', { exchange: 'NCDEX', exchnge: 'NSE', _: '1' })
    expect([busted.status, busted.body]).toEqual([200, body])
  })

  test('take the key from a header, too', async () => {
    const response = await rig.raw('/api/v1/instruments?exchange=NCDEX', {
      headers: { 'X-API-KEY': rig.apikey },
    })
    expect(response.status).toBe(200)
  })

  test.each([
    [{ exchange: 'nse' }, 400, /^exchange: Must be one of: NSE, /],
    [{ format: 'xml' }, 400, /^format: Must be one of: json, csv\.$/],
    [{ apikey: '' }, 400, /^apikey: Length must be between 1 and 256\.$/],
    [{ apikey: 'wrong' }, 403, /^Invalid svc apikey$/],
  ])('are refused for %j', async (query, status, message) => {
    expect(await rig.get('instruments', { ...query })).toMatchObject({
      status,
      body: { status: 'error', message: expect.stringMatching(message) },
    })
    if ('format' in query) return
    const plain = await rig.get('instruments', { ...query, format: 'csv' })
    expect(plain.status).toBe(status)
    expect(plain.type).toMatch(/^text\/plain/)
    expect(plain.text.trimEnd()).toMatch(message)
  })
})

describe('every body', () => {
  const BODIES: [path: string, body: Record<string, unknown>][] = [
    ['symbol', { symbol: 'SBIN', exchange: 'NSE' }],
    ['search', { query: 'SBIN' }],
    ['expiry', { symbol: 'NIFTY', exchange: 'NFO', instrumenttype: 'options' }],
  ]

  test.each(BODIES)('of %s must be whole and known', async (path, body) => {
    for (const field of Object.keys(body)) {
      const { [field]: _, ...rest } = body
      const errorsOf = async (given: object) => (await rig.post(path, given)).body.errors
      expect(await errorsOf(rest)).toEqual({ [field]: ['Missing data for required field.'] })
      expect(await errorsOf({ ...body, [field]: null })).toEqual({ [field]: ['Field may not be null.'] })
      expect(await errorsOf({ ...body, [field]: {} })).toEqual({ [field]: [expect.any(String)] })
    }
    expect((await rig.post(path, { ...body, apikey: 'wrong' })).status).toBe(403)
    expect((await rig.post(path, { ...body, querry: 1 })).status).toBe(400)
  })

  test.each([
    [
      'expiry',
      { symbol: 'NIFTY', exchange: 'NSE', instrumenttype: 'options' },
      'exchange',
      'Must be one of: NFO, BFO, MCX, CDS, NCO, BCD, NCDEX, CRYPTO.',
    ],
    [
      'expiry',
      { symbol: 'NIFTY', exchange: 'NFO', instrumenttype: 'CE' },
      'instrumenttype',
      'Must be one of: futures, options.',
    ],
    ['search', { query: 'x'.repeat(256) }, 'query', 'Longer than maximum length 255.'],
  ])('of %s is refused by its field: %j', async (path, body, field, text) => {
    expect(await rig.post(path, body)).toMatchObject({ status: 400, body: { errors: { [field]: [text] } } })
  })
})
