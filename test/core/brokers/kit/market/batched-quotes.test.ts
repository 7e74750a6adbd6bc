import { expect, it } from 'vitest'
import { Units } from '../../../../../src/core/brokers/kit/books/units.js'
import { type AskedQuote, BatchedQuotes } from '../../../../../src/core/brokers/kit/market/batched-quotes.js'
import { InMemoryDirectory } from '../../../../../src/core/instruments/index.js'
import type { Instrument } from '../../../../../src/core/instruments/schema.js'
import { VirtualClock } from '../../../../../src/core/time/index.js'

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

/** The broker knows INFY; SBIN is in the master only. */
function open(read?: () => Promise<Map<string, AskedQuote>>) {
  const calls: (readonly string[])[] = []
  const instruments = InMemoryDirectory.of([instrument('INFY'), instrument('SBIN')])
  const quotes = new BatchedQuotes(
    { clock: new VirtualClock('2025-09-12T10:00:00+05:30'), instruments },
    {
      units: new Units(new Set()),
      keyOf: ({ token }) => token,
      size: 10,
      turn: async () => undefined,
      read: async (keys) => {
        calls.push(keys)
        return read ? read() : new Map([['token of INFY', ROW]])
      },
    },
  )
  return { calls, quotes }
}

const at = (symbol: string) => ({ symbol, exchange: 'NSE' })

it('one call answers for all symbols in order, and says which are unknown and which have no quote', async () => {
  const { calls, quotes } = open()
  expect(await quotes.of([at('SBIN'), at('NOSUCH'), at('INFY'), at('INFY')])).toMatchObject([
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
  await quotes.of([at('INFY'), at('SBIN')])
  expect(quotes.priceBand(at('INFY'))).toEqual({ lower: 90, upper: 110 })
  expect(quotes.priceBand(at('SBIN'))).toBeNull()
  expect(quotes.priceBand(at('NOSUCH'))).toBeNull()

  const failing = open(() => Promise.reject(new Error('no answer')))
  await expect(failing.quotes.of([at('INFY')])).rejects.toThrow('no answer')
  expect(failing.quotes.priceBand(at('INFY'))).toBeNull()
})
