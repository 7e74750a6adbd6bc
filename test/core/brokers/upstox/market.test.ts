import { get } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { VirtualClock } from '../../../../src/core/time/index.js'
import { INFY, SESSION, startRig } from './rig.js'

const REF = { symbol: 'INFY', exchange: 'NSE' }

async function open(at = '2026-11-27T11:00:00+05:30') {
  const rig = await startRig(new VirtualClock(at))
  onTestFinished(() => rig.close())
  return rig
}

it('a key whose bar is not escaped is refused by the broker', async () => {
  const { fake } = await open()
  const headers = { accept: 'application/json', authorization: `Bearer ${SESSION.accessToken}` }
  const statusOf = (key: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      // Not fetch, which might escape it.
      const path = `/v2/market-quote/quotes?instrument_key=${key}`
      get({ host: '127.0.0.1', port: fake.port, path, headers }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      }).on('error', reject)
    })
  expect(await statusOf(INFY)).toBe(400)
  expect(await statusOf(INFY.replace('|', '%7C'))).toBe(200)
})

describe('a quote', () => {
  it('is that of the key in the row, with the previous close from the change', async () => {
    const { client, fake } = await open()
    fake.exchange.nextDay()
    fake.setPrice(INFY, 1510.05)
    const [quote, index, unknown] = await client.market.quotes([
      REF,
      { symbol: 'NIFTY', exchange: 'NSE_INDEX' },
      { symbol: 'NOSUCH', exchange: 'NSE' },
    ])
    expect(quote).toMatchObject({
      ...REF,
      ltp: 1510.05,
      prevClose: 1500,
      bid: 1510,
      ask: 1510.1,
      volume: 100_010,
    })
    expect(index).toMatchObject({ ltp: 24_000, bid: 0, volume: 0 })
    expect(unknown).toEqual({ error: 'Symbol NOSUCH not found for exchange NSE' })
    expect(fake.requests).toEqual(['GET /v2/market-quote/quotes'])
  })

  it('tells the price band', async () => {
    const { client } = await open()
    expect(client.priceBand?.(REF)).toBeUndefined()
    await client.market.quotes([REF, { symbol: 'NIFTY', exchange: 'NSE_INDEX' }])
    expect(client.priceBand?.(REF)).toEqual({ lower: 1350, upper: 1650.0000000000002 })
    expect(client.priceBand?.({ symbol: 'NIFTY', exchange: 'NSE_INDEX' })).toBeNull()
  })

  it('of a commodity has units', async () => {
    const { client } = await open()
    const depth = await client.market.depth({ symbol: 'GOLDM31JAN30FUT', exchange: 'MCX' })
    expect(depth).toMatchObject({ bidSize: 1000, volume: 1_000_000, totalBuyQuantity: 15_000 })
    expect(depth.depth.sell[4]).toEqual({ price: 72_155, quantity: 5000, orders: 5 })
  })
})

describe('history', () => {
  it('asks for a month of minutes, a quarter of longer ones and a decade of days at most, and for today apart', async () => {
    const { client, fake } = await open()
    const calls = async (interval: string, from: string) => {
      const before = fake.requests.length
      const bars = await client.market.history({ ...REF, interval, from, to: '2026-11-27' })
      expect(bars.length).toBeGreaterThan(0)
      const times = bars.map(({ timestamp }) => timestamp)
      expect(times).toEqual([...new Set(times)].sort((a, b) => a - b))
      return fake.requests.slice(before).map((each) => decodeURIComponent(each).replace(`/${INFY}`, ''))
    }
    expect(await calls('5m', '2026-10-01')).toEqual([
      'GET /v3/historical-candle/minutes/5/2026-10-28/2026-10-01',
      'GET /v3/historical-candle/minutes/5/2026-11-25/2026-10-29',
      'GET /v3/historical-candle/minutes/5/2026-11-26/2026-11-26',
      'GET /v3/historical-candle/intraday/minutes/5',
    ])
    expect(await calls('1h', '2026-09-01')).toEqual([
      'GET /v3/historical-candle/hours/1/2026-11-26/2026-09-01',
      'GET /v3/historical-candle/intraday/hours/1',
    ])
    expect(await calls('D', '1990-01-01')).toEqual([
      'GET /v3/historical-candle/days/1/2009-12-28/2000-01-01',
      'GET /v3/historical-candle/days/1/2019-12-26/2009-12-29',
      'GET /v3/historical-candle/days/1/2026-11-26/2019-12-27',
      'GET /v3/historical-candle/intraday/days/1',
    ])
  })

  it('of earlier days leaves today out, and of the future is empty', async () => {
    const { client, fake } = await open()
    const query = { ...REF, interval: '1m' }
    await client.market.history({ ...query, from: '2026-11-25', to: '2026-11-26' })
    expect(fake.requests).toHaveLength(1)
    expect(await client.market.history({ ...query, from: '2026-11-28', to: '2026-11-30' })).toEqual([])
    expect(fake.requests).toHaveLength(1)
  })
})
