import { expect, it } from 'vitest'
import { Units } from '../../../../../src/core/brokers/kit/books/units.js'
import { type AskedQuote, RestMarket } from '../../../../../src/core/brokers/kit/market/rest-market.js'
import { InMemoryDirectory } from '../../../../../src/core/instruments/index.js'
import type { Instrument } from '../../../../../src/core/instruments/schema.js'
import { addDays, istDate, istInstant, VirtualClock } from '../../../../../src/core/time/index.js'

const instrument = (symbol: string): Instrument => ({
  symbol,
  brokerSymbol: symbol,
  name: symbol,
  exchange: 'NSE',
  brokerExchange: 'NSE',
  token: `token of ${symbol}`,
  expiry: '',
  strike: 0,
  lotSize: 1,
  instrumentType: 'EQ',
  tickSize: 0.05,
})

const ROW: AskedQuote = {
  ltp: 100,
  timestamp: 7,
  depth: { buy: [{ price: 99, quantity: 2, orders: 1 }], sell: [] },
  totalBuyQuantity: 2,
  band: { lower: 90, upper: 110 },
}

const bar = (date: string) => ({
  timestamp: istInstant(date, '09:15:00') / 1000,
  open: 1,
  high: 2,
  low: 1,
  close: 2,
  volume: 3,
  oi: 4,
})

/** The broker knows INFY; SBIN is in the master only. */
function open(read?: () => Promise<Map<string, AskedQuote>>) {
  const calls: (readonly string[])[] = []
  const spans: string[] = []
  const instruments = InMemoryDirectory.of([instrument('INFY'), instrument('SBIN')])
  const quotes = new RestMarket(
    { clock: new VirtualClock('2025-09-12T10:00:00+05:30'), instruments },
    {
      broker: 'Acme',
      units: new Units(new Set()),
      keyOf: ({ token }) => token,
      size: 10,
      turn: async () => undefined,
      read: async (keys) => {
        calls.push(keys)
        return read ? read() : new Map([['token of INFY', ROW]])
      },
      intervals: { '1m': { word: 'minute', chunkDays: 2, since: '2025-09-02' } },
      async bars({ from, instrument: { symbol }, interval, to }) {
        spans.push(`${symbol} ${interval.word} ${from} ${to}`)
        // The broker repeats a bar of the day before, and sends the newest first.
        return [bar(to), bar(from), bar(addDays(from, -1))]
      },
    },
  )
  return { calls, quotes, spans }
}

const at = (symbol: string) => ({ symbol, exchange: 'NSE' })

it('one call answers for all symbols in order, and says which are unknown and which have no quote', async () => {
  const { calls, quotes } = open()
  expect(await quotes.quotes([at('SBIN'), at('NOSUCH'), at('INFY'), at('INFY')])).toMatchObject([
    { error: 'No quote for SBIN on NSE' },
    { error: 'Symbol NOSUCH not found for exchange NSE' },
    { symbol: 'INFY', ltp: 100, bid: 99, bidSize: 2, ask: 0, timestamp: 7 },
    { symbol: 'INFY' },
  ])
  expect(calls).toEqual([['token of SBIN', 'token of INFY']])
})

it('the order book has the details that the broker tells', async () => {
  const { quotes } = open()
  const book = await quotes.depth(at('INFY'))
  expect(book).toMatchObject({ depth: ROW.depth, totalBuyQuantity: 2 })
  expect('lastQuantity' in book).toBe(false)
  await expect(quotes.depth(at('SBIN'))).rejects.toMatchObject({ kind: 'not_found', sent: 'yes' })
  await expect(quotes.depth(at('NOSUCH'))).rejects.toMatchObject({ kind: 'validation', sent: 'never' })
})

it('the price band is that of the last quote, and none where a quote has none or the call failed', async () => {
  const { quotes } = open()
  expect(quotes.priceBand(at('INFY'))).toBeUndefined()
  await quotes.quotes([at('INFY'), at('SBIN')])
  expect(quotes.priceBand(at('INFY'))).toEqual({ lower: 90, upper: 110 })
  expect(quotes.priceBand(at('SBIN'))).toBeNull()
  expect(quotes.priceBand(at('NOSUCH'))).toBeNull()

  const failing = open(() => Promise.reject(new Error('no answer')))
  await expect(failing.quotes.quotes([at('INFY')])).rejects.toThrow('no answer')
  expect(failing.quotes.priceBand(at('INFY'))).toBeNull()
})

it('an order book has the best five levels, without empty ones', async () => {
  const level = (price: number) => ({ price, quantity: 1, orders: 1 })
  const depth = { buy: [99, 98, 97, 96, 95, 94].map(level), sell: [101, 0, 0, 0, 0].map(level) }
  const { quotes } = open(async () => new Map([['token of INFY', { ...ROW, depth }]]))
  const book = (await quotes.depth(at('INFY'))).depth
  expect([book.buy, book.sell].map((side) => side.map(({ price }) => price))).toEqual([
    [99, 98, 97, 96, 95],
    [101],
  ])
})

it('bars are read in the spans of the broker, from its first day on, and come once each in order', async () => {
  const { quotes, spans } = open()
  const query = { ...at('INFY'), interval: '1m', from: '2025-09-01', to: '2025-09-06' }
  const bars = await quotes.history(query)
  expect(spans).toEqual([
    'INFY minute 2025-09-02 2025-09-03',
    'INFY minute 2025-09-04 2025-09-05',
    'INFY minute 2025-09-06 2025-09-06',
  ])
  expect(bars.map(({ timestamp }) => istDate(timestamp * 1000).slice(8))).toEqual([
    '01',
    '02',
    '03',
    '04',
    '05',
    '06',
  ])
  expect(quotes.intervals).toEqual(['1m'])
  await expect(quotes.history({ ...query, interval: '2m' })).rejects.toMatchObject({ sent: 'never' })
  await expect(quotes.history({ ...query, symbol: 'NOSUCH' })).rejects.toMatchObject({ sent: 'never' })
})

it.each([-5, Number.NaN, Number.POSITIVE_INFINITY, 1e12])(
  'a price of %d that cannot be true is no quote, and the error names broker and symbol',
  async (ltp) => {
    const row: AskedQuote = { ...ROW, ltp }
    const { quotes } = open(
      async () =>
        new Map([
          ['token of INFY', row],
          ['token of SBIN', ROW],
        ]),
    )
    const error = `Acme gave a price of INFY on NSE that cannot be true: ${ltp}`
    expect(await quotes.quotes([at('INFY'), at('SBIN')])).toMatchObject([
      { error },
      { symbol: 'SBIN', ltp: 100 },
    ])
    await expect(quotes.depth(at('INFY'))).rejects.toMatchObject({ kind: 'not_found', message: error })
  },
)

it('a quote with a good price counts without the fields that cannot be true', async () => {
  const sell = [{ price: 1e12, quantity: 1, orders: 1 }]
  const row: AskedQuote = {
    ...ROW,
    ...{ open: -1, oi: -7, totalBuyQuantity: Number.NaN, timestamp: Number.NaN },
    depth: { ...ROW.depth, sell },
    band: { lower: -1, upper: 110 },
  }
  const { quotes } = open(async () => new Map([['token of INFY', row]]))
  const now = Date.parse('2025-09-12T10:00:00+05:30')
  const good = { ltp: 100, bid: 99, ask: 0, open: 0, oi: 0, timestamp: now }
  expect(await quotes.quotes([at('INFY')])).toMatchObject([good])
  expect(await quotes.depth(at('INFY'))).toMatchObject({
    ...good,
    depth: { ...ROW.depth, sell: [] },
    totalBuyQuantity: 0,
  })
  expect(quotes.priceBand(at('INFY'))).toBeNull()
})
