import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { USER } from '../../../support/desk/desk.js'
import { MarketApp } from '../../../support/desk/market-app.js'

let rig: MarketApp
beforeAll(async () => {
  rig = await MarketApp.open()
})
afterAll(() => rig?.close())

const SBIN = { symbol: 'SBIN', exchange: 'NSE' }
const POSITIVE = expect.toSatisfy((value: unknown) => typeof value === 'number' && value > 0)
const UNLISTED =
  "Symbol 'NOPE' not found for exchange 'NSE'. Please verify the symbol name and ensure master contracts are downloaded."
const WEEK = { start_date: '2026-11-16', end_date: '2026-11-20' }

describe('quotes and depth', () => {
  test('a quote has its numbers, and they agree', async () => {
    const { status, body } = await rig.post('quotes', SBIN)
    expect(status).toBe(200)
    const data = body.data as Record<'ask' | 'bid' | 'ltp' | 'open' | 'high' | 'low' | 'prev_close', number>
    expect(body).toEqual({
      status: 'success',
      data: { ...data, ask_qty: POSITIVE, bid_qty: POSITIVE, volume: POSITIVE, oi: 0 },
    })
    const { ask, bid, ltp, open, high, low, prev_close } = data
    expect(bid).toBeLessThan(ask)
    expect([low, high]).toEqual([Math.min(low, open, ltp), Math.max(high, open, ltp)])
    for (const price of [ask, bid, ltp, open, high, low, prev_close]) {
      expect(price).toBeGreaterThan(0)
      expect(price * 100, 'a multiple of the tick').toBeCloseTo(Math.round(price * 20) * 5, 6)
    }
    const { results } = (await rig.post('multiquotes', { symbols: [SBIN] })).body
    expect(results).toEqual([{ ...SBIN, data }])
  })

  test('depth has five levels a side, the last traded quantity and totals', async () => {
    const { body } = await rig.post('depth', SBIN)
    const { data: quote } = (await rig.post('quotes', SBIN)).body as { data: Record<string, number> }
    interface Level {
      price: number
      quantity: number
    }
    const data = body.data as { bids: Level[]; asks: Level[]; totalbuyqty: number; totalsellqty: number }
    expect(data.bids).toHaveLength(5)
    expect(data.asks).toHaveLength(5)
    const falling = (levels: Level[]) => levels.map(({ price }) => price).sort((a, b) => b - a)
    expect(data.bids.map(({ price }) => price)).toEqual(falling(data.bids))
    expect(data.asks.map(({ price }) => price)).toEqual(falling(data.asks).reverse())
    expect([data.bids[0]?.price, data.asks[0]?.price]).toEqual([quote.bid, quote.ask])
    const offered = (levels: Level[]) => levels.reduce((sum, { quantity }) => sum + quantity, 0)
    expect(data.totalbuyqty).toBeGreaterThanOrEqual(offered(data.bids))
    expect(data.totalsellqty).toBeGreaterThanOrEqual(offered(data.asks))
    expect(data).toMatchObject({ ltq: POSITIVE, ltp: quote.ltp })
  })

  test('of many symbols those that are not listed come first, each with its error', async () => {
    const nope = { symbol: 'NOPE', exchange: 'NSE' }
    const { status, body } = await rig.post('multiquotes', {
      symbols: [SBIN, nope, { ...SBIN, symbol: 'TCS' }],
    })
    expect(status).toBe(200)
    expect(body).toEqual({
      status: 'success',
      results: [
        { ...nope, error: UNLISTED },
        { ...SBIN, data: (await rig.post('quotes', SBIN)).body.data },
        { ...SBIN, symbol: 'TCS', data: (await rig.post('quotes', { ...SBIN, symbol: 'TCS' })).body.data },
      ],
    })
  })

  test('of the same symbols have the same bytes until the second ends, however they are asked for', async () => {
    const symbols = [SBIN, { ...SBIN, symbol: 'TCS' }]
    const ask = () => rig.post('multiquotes', { symbols })
    // The order of the members makes it another body, which was never sent before.
    const askAnew = () => rig.post('multiquotes', { symbols, apikey: rig.apikey })
    const first = await ask()
    expect((await ask()).text).toBe(first.text)
    expect((await askAnew()).text).toBe(first.text)
    await rig.clock.advance(1000)
    const next = await ask()
    expect(next.text).not.toBe(first.text)
    const reversed = await rig.post('multiquotes', { symbols: symbols.toReversed() })
    expect(next.body.results).toEqual((reversed.body.results as object[]).toReversed())
  })

  test('of many symbols at least one must be listed', async () => {
    const nope = { symbol: 'NOPE', exchange: 'NSE' }
    expect(await rig.post('multiquotes', { symbols: [nope, nope] })).toMatchObject({
      status: 400,
      body: { status: 'error', message: UNLISTED, invalid_symbols: [nope, { ...nope, error: UNLISTED }] },
    })
  })
})

describe('a body that was sent before', () => {
  test('is refused once its key is replaced', async () => {
    const own = await MarketApp.open()
    try {
      const ask = () => own.post('multiquotes', { symbols: [SBIN] })
      for (let round = 0; round < 2; round++) expect((await ask()).status).toBe(200)
      await own.service.identity.apiKeys.rotate(USER)
      expect(await ask()).toMatchObject({ status: 403, body: { message: 'Invalid svc apikey' } })
    } finally {
      await own.close()
    }
  })

  test('counts without its key when the header has another one', async () => {
    const send = (key: string) =>
      rig.raw('/api/v1/multiquotes', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': key },
        body: JSON.stringify({ symbols: [SBIN] }),
      })
    for (let round = 0; round < 2; round++) expect((await send(rig.apikey)).status).toBe(200)
    expect((await send('another')).status).toBe(403)
  })
})

describe('history', () => {
  const history = (fields: object) => rig.post('history', { ...SBIN, interval: '5m', ...WEEK, ...fields })
  const rowsOf = (reply: { body: Record<string, unknown> }) =>
    reply.body.data as Record<'timestamp' | 'open' | 'high' | 'low' | 'close' | 'oi', number>[]

  test('of minutes begins with the session and ascends', async () => {
    const rows = rowsOf(await history({ start_date: '2026-11-20' }))
    expect(rows[0]).toEqual({
      timestamp: Date.parse('2026-11-20T09:15:00+05:30') / 1000,
      open: POSITIVE,
      high: POSITIVE,
      low: POSITIVE,
      close: POSITIVE,
      volume: POSITIVE,
      oi: 0,
    })
    for (const { open, high, low, close } of rows)
      expect([low, high]).toEqual([Math.min(low, open, close), Math.max(high, open, close)])
    const times = rows.map(({ timestamp }) => timestamp)
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b))
  })

  test('of days carries midnight UTC of each Indian date', async () => {
    const rows = rowsOf(await history({ interval: 'D' }))
    const dates = rows.map(({ timestamp }) => new Date(timestamp * 1000).toISOString())
    expect(dates).toEqual(['16', '17', '18', '19', '20'].map((day) => `2026-11-${day}T00:00:00.000Z`))
  })

  test('of a day on which nothing traded is empty', async () => {
    expect(await history({ start_date: '2026-11-15', end_date: '2026-11-15' })).toMatchObject({
      status: 200,
      body: { status: 'success', data: [] },
    })
  })

  test.each([
    ['an interval the broker lacks', { interval: '2h' }, 400, /^interval: Must be one of: 1m, /],
    ['dates out of order', { end_date: '2026-11-01' }, 400, /^end_date: Must not be before start_date\.$/],
    ['a span without end', { start_date: '2020-01-01' }, 400, /^start_date: At most 366 days of 5m bars/],
    [
      'bars of our own, of which there are none',
      { source: 'db' },
      404,
      /^No data found for SBIN:NSE interval 5m in local/,
    ],
    ['a symbol that is not listed', { symbol: 'NOPE' }, 400, /^Symbol 'NOPE' not found for exchange 'NSE'\./],
  ])('is refused for %s', async (_what, fields, status, message) => {
    expect(await history(fields)).toMatchObject({
      status,
      body: { status: 'error', message: expect.stringMatching(message) },
    })
  })

  test('intervals are listed by unit', async () => {
    expect((await rig.post('intervals', {})).body).toEqual({
      status: 'success',
      data: {
        seconds: [],
        minutes: ['1m', '3m', '5m', '10m', '15m', '30m'],
        hours: ['1h'],
        days: ['D'],
        weeks: [],
        months: [],
      },
    })
  })
})

describe('ticker', () => {
  const range = { from: '2026-11-19', to: '2026-11-20' }

  test('answers with the rows of history', async () => {
    const { body } = await rig.get('ticker/NSE:SBIN', range)
    const asked = { ...SBIN, interval: 'D', start_date: range.from, end_date: range.to }
    expect(body).toEqual((await rig.post('history', asked)).body)
  })

  test('answers in lines of text, with the time of day where there is one', async () => {
    const days = await rig.get('ticker/NSE:SBIN', { ...range, format: 'txt' })
    expect(days.type).toMatch(/^text\/plain/)
    expect(days.text.split('\n')).toHaveLength(2)
    expect(days.text).toMatch(/^NSE:SBIN,2026-11-19,[\d.]+,[\d.]+,[\d.]+,[\d.]+,\d+\n/)
    const minutes = await rig.get('ticker/NSE:SBIN', { ...range, format: 'txt', interval: '5m' })
    expect(minutes.text).toMatch(/^NSE:SBIN,2026-11-19,09:15:00,[\d.]+,/)
  })

  test('moves a start that is too early up', async () => {
    const early = await rig.get('ticker/NSE:SBIN', { ...range, from: '2026-01-01', interval: '30m' })
    const [first] = early.body.data as { timestamp: number }[]
    expect(first?.timestamp).toBe(Date.parse('2026-10-21T09:15:00+05:30') / 1000)
  })

  test.each([
    ['no exchange', 'SBIN', {}, 'ticker: Must be EXCHANGE:SYMBOL.'],
    ['two colons', 'NSE:SBIN:X', {}, 'ticker: Must be EXCHANGE:SYMBOL.'],
    ['no symbol', 'NSE:', {}, 'ticker: Must be EXCHANGE:SYMBOL.'],
    ['another exchange', 'XXX:SBIN', {}, /^exchange: Must be one of: NSE, /],
    ['a date that is none', 'NSE:SBIN', { from: '2026-02-30' }, 'from: Not a valid date.'],
    ['dates out of order', 'NSE:SBIN', { to: '2026-11-01' }, 'to: Must not be before from.'],
    ['an interval nobody has', 'NSE:SBIN', { interval: '7m' }, /^interval: Must be one of: 1s, /],
    ['another format', 'NSE:SBIN', { format: 'xml' }, 'format: Must be one of: json, txt.'],
  ])('is refused for %s', async (_what, ticker, query, message) => {
    expect(await rig.get(`ticker/${ticker}`, { ...range, ...query })).toMatchObject({
      status: 400,
      code: 'validation',
      body: { message: typeof message === 'string' ? message : expect.stringMatching(message) },
    })
  })

  test('ignores unknown keys of the query', async () => {
    const plain = await rig.get('ticker/NSE:SBIN', range)
    const { status, body } = await rig.get('ticker/NSE:SBIN', { ...range, form: 'x', _: '1' })
    expect({ status, body }).toEqual({ status: 200, body: plain.body })
  })

  test('refuses a request for text in plain text', async () => {
    const query = { ...range, format: 'txt', apikey: 'wrong' }
    const { status, code, type, text } = await rig.get('ticker/NSE:SBIN', query)
    expect({ status, code, text }).toEqual({ status: 403, code: 'invalid_key', text: 'Invalid svc apikey\n' })
    expect(type).toMatch(/^text\/plain/)
  })
})

describe('every body', () => {
  const BODIES: [path: string, body: Record<string, unknown>][] = [
    ['quotes', SBIN],
    ['depth', SBIN],
    ['multiquotes', { symbols: [SBIN] }],
    ['history', { ...SBIN, interval: 'D', ...WEEK }],
    ['intervals', {}],
  ]

  test.each(BODIES)('of %s must be whole', async (path, body) => {
    expect((await rig.post(path, body)).status).toBe(200)
    for (const field of ['apikey', ...Object.keys(body)]) {
      const whole: Record<string, unknown> = { apikey: rig.apikey, ...body }
      const { [field]: _, ...rest } = whole
      const missing = await rig.post(path, field === 'apikey' ? { ...rest, apikey: undefined } : rest)
      expect(missing, field).toMatchObject({
        status: 400,
        body: { errors: { [field]: ['Missing data for required field.'] } },
      })
      const nulled = await rig.post(path, { ...body, [field]: null })
      expect(nulled, field).toMatchObject({
        status: 400,
        body: { errors: { [field]: ['Field may not be null.'] } },
      })
    }
    expect(await rig.post(path, { ...body, symbl: 1 })).toMatchObject({
      status: 400,
      body: { errors: { symbl: [expect.stringMatching(/^Unknown field\./)] } },
    })
    expect(await rig.post(path, { ...body, apikey: 'wrong' })).toMatchObject({
      status: 403,
      code: 'invalid_key',
      body: { message: 'Invalid svc apikey' },
    })
    expect(await rig.post(path, [])).toMatchObject({
      status: 400,
      body: { errors: { _schema: ['Invalid input type.'] } },
    })
  })

  test.each([
    ['quotes', { ...SBIN, exchange: 'nse' }, 'exchange', /^Must be one of: NSE, NFO, CDS, BSE, /],
    ['quotes', { ...SBIN, symbol: 5 }, 'symbol', /^Not a valid string\.$/],
    ['multiquotes', { symbols: SBIN }, 'symbols', /^Not a valid list\.$/],
    ['multiquotes', { symbols: [] }, 'symbols', /^Shorter than minimum length 1\.$/],
    [
      'multiquotes',
      { symbols: [SBIN, { symbol: 'X', exchange: 'Y' }] },
      'symbols.1.exchange',
      /^Must be one of/,
    ],
    ['multiquotes', { symbols: ['SBIN'] }, 'symbols.0', /^Invalid input type\.$/],
    ['history', { ...SBIN, interval: 'd', ...WEEK }, 'interval', /^Must be one of: 1s, /],
    [
      'history',
      { ...SBIN, interval: 'D', ...WEEK, start_date: '16-11-2026' },
      'start_date',
      /^Not a valid date\.$/,
    ],
    ['history', { ...SBIN, interval: 'D', ...WEEK, source: 'x' }, 'source', /^Must be one of: api, db\.$/],
  ])('of %s is refused by its field: %j', async (path, body, field, text) => {
    const { status, body: refusal } = await rig.post(path, body)
    expect(status).toBe(400)
    expect(refusal.errors).toEqual({ [field]: [expect.stringMatching(text)] })
    expect(refusal.message).toBe(`${field}: ${(refusal.errors as Record<string, string[]>)[field]?.[0]}`)
  })
})
