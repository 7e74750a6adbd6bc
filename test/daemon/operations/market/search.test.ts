import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MarketApp } from '../../../support/desk/market-app.js'

let rig: MarketApp
beforeAll(async () => {
  rig = await MarketApp.open({
    DATA_RATE_LIMIT: '1 per hour',
    SEARCH_RATE_LIMIT: '1 per hour',
    API_RATE_LIMIT: '1 per hour',
  })
  await rig.service.instruments.search.warm()
})
afterAll(() => rig?.close())

interface Found {
  results: { symbol: string; exchange: string; instrumenttype: string; strike: number }[]
  total: number
}

async function search(query: string): Promise<Found> {
  const { status, body } = await rig.session(`/search/api/search${query}`)
  expect(status).toBe(200)
  const found = body as unknown as Found
  expect(found.total).toBe(found.results.length)
  return found
}

const keys = ({ results }: Found) => results.map(({ exchange, symbol }) => `${exchange}:${symbol}`)

describe('search', () => {
  test('without words and exchange finds nothing, and that is no error', async () => {
    expect(await search('')).toEqual({ results: [], total: 0 })
    expect(await search('?q=%20&instrumenttype=CE&underlying=NIFTY')).toEqual({ results: [], total: 0 })
  })

  test('answers with all there is to a row', async () => {
    const { results } = await search('?q=NIFTY24NOV2626000CE')
    expect(results).toEqual([
      {
        symbol: 'NIFTY24NOV2626000CE',
        brsymbol: 'NIFTY24NOV2626000CE',
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
        contract_value: null,
      },
    ])
  })

  test('takes exchanges together, in small letters too, each row once', async () => {
    const found = keys(await search('?q=SBIN&exchange=nse,bse,NSE'))
    expect(found).toEqual(['NSE:SBIN', 'BSE:SBIN'])
  })

  test('of an exchange alone lists it', async () => {
    const found = keys(await search('?exchange=NSE'))
    expect(found).toHaveLength(rig.service.instruments.directory.countByExchange().NSE ?? -1)
  })

  test.each([
    ['instrumenttype=CE', (types: string[]) => types.every((type) => type === 'CE')],
    ['instrumenttype=ce,PE', (types: string[]) => new Set(types).size === 2],
    ['instrumenttype=options', (types: string[]) => new Set(types).size === 2],
    ['instrumenttype=FUTURES', (types: string[]) => types.every((type) => type === 'FUT')],
  ])('keeps to %s', async (filter, holds) => {
    const { results } = await search(`?q=NIFTY&exchange=NFO&${filter}`)
    expect(results.length).toBeGreaterThan(0)
    expect(holds(results.map(({ instrumenttype }) => instrumenttype))).toBe(true)
  })

  test('keeps to an underlying, an expiry and strikes', async () => {
    const filters = '&underlying=nifty&expiry=24nov26&strike_min=25900&strike_max=26000&instrumenttype=CE'
    const found = keys(await search(`?exchange=NFO${filters}`))
    expect(found).toEqual(['NFO:NIFTY24NOV2625900CE', 'NFO:NIFTY24NOV2625950CE', 'NFO:NIFTY24NOV2626000CE'])
  })

  test('with an exchange nobody knows finds nothing', async () => {
    expect((await search('?q=SBIN&exchange=XXX')).total).toBe(0)
  })

  test.each(['strike_min=abc', 'strike_max=1e', 'strike_min=NaN'])('refuses %s', async (query) => {
    const { status, body } = await rig.session(`/search/api/search?q=NIFTY&${query}`)
    const field = query.split('=')[0] ?? ''
    expect({ status, errors: body.errors }).toEqual({
      status: 400,
      errors: { [field]: [expect.any(String)] },
    })
  })
})

describe('lists', () => {
  const expiries = async (query: string) =>
    (await rig.session(`/search/api/expiries?${query}`)).body.expiries as string[]
  const underlyings = async (query: string) =>
    (await rig.session(`/search/api/underlyings?${query}`)).body.underlyings as string[]

  test('expiries keep to every filter', async () => {
    const all = await expiries('')
    const options = await expiries('exchange=NFO&underlying=nifty&instrumenttype=options')
    const futures = await expiries('exchange=nfo&underlying=NIFTY&instrumenttype=fut')
    expect(options[0]).toBe('24-NOV-26')
    expect(futures).toHaveLength(3)
    expect(options.length).toBeGreaterThan(futures.length)
    expect(all).toEqual(expect.arrayContaining([...options, ...futures]))
    expect(await expiries('underlying=NIFTY&instrumenttype=EQ')).toEqual(await expiries('underlying=NIFTY'))
    expect(await expiries('exchange=NSE')).toEqual([])
  })

  test('underlyings are sorted, and of one exchange on request', async () => {
    const all = await underlyings('')
    expect(all).toEqual([...all].sort())
    expect(all).toEqual(expect.arrayContaining(['BTC', 'NIFTY', 'SBIN', 'SENSEX']))
    expect(await underlyings('exchange=bfo')).toEqual(['SENSEX'])
    expect(await underlyings('exchange=NFO&include_futures=yes')).toEqual(['NIFTY', 'RELIANCE', 'SBIN'])
  })
})

describe('old addresses', () => {
  test('the page returns the matches of its symbol', async () => {
    const { body } = await rig.session('/search/?symbol=sbin')
    expect((body as unknown as Found).results[0]).toMatchObject({ symbol: 'SBIN', exchange: 'NSE' })
    expect((await rig.session('/search')).body).toEqual({ results: [], total: 0 })
  })

  test('a token finds its instruments', async () => {
    const token = rig.service.instruments.directory.find('SBIN', 'NSE')?.token ?? ''
    const { body } = await rig.session(`/search/token?token=${token}`)
    expect((body as unknown as Found).results).toContainEqual(
      expect.objectContaining({ symbol: 'SBIN', token }),
    )
    expect((await rig.session('/search/token')).body).toEqual({ results: [], total: 0 })
  })
})

test.each([
  '/search/',
  '/search/token',
  '/search/api/search',
  '/search/api/expiries',
  '/search/api/underlyings',
])('%s is for signed-in users alone, and has no limit', async (path) => {
  expect(await rig.session(path, '')).toMatchObject({ status: 401, body: { error: 'session_expired' } })
  for (let call = 0; call < 30; call++) expect((await rig.session(path)).status).toBe(200)
})
