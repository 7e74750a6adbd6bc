import { createServer, type Server } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { BrokerContext } from '../../../../src/core/brokers/broker.js'
import { zerodha } from '../../../../src/core/brokers/zerodha/index.js'
import { VirtualClock } from '../../../../src/core/time/index.js'
import { contextFor, EVERY_SYMBOL, SESSION, startRig } from './rig.js'

const INFY = { symbol: 'INFY', exchange: 'NSE' }
const LIMITS = zerodha.manifest.rateLimits

/** A server that records requests and answers them with one function. */
async function recorder(answer: (url: URL) => unknown) {
  const asked: URL[] = []
  const server: Server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://fake')
    asked.push(url)
    response.end(JSON.stringify({ status: 'success', data: answer(url) }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  servers.push(server)
  return { api: `http://127.0.0.1:${port}`, asked }
}

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** Runs a call to its end while the virtual clock advances; returns how long it took on that clock. */
async function paced<T>(clock: VirtualClock, call: Promise<T>): Promise<{ value: T; tookMs: number }> {
  const start = clock.now()
  let done = false
  const outcome = call.finally(() => {
    done = true
  })
  outcome.catch(() => {})
  while (!done) {
    // Advance only if the call waits for the clock, not for a socket.
    if (clock.pending === 1) await clock.advance(1)
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  return { value: await outcome, tookMs: clock.now() - start }
}

describe('quotes', () => {
  it('are requested in batches of 500, one second apart, each symbol once', async () => {
    const { api, asked } = await recorder((url) =>
      Object.fromEntries(url.searchParams.getAll('i').map((key) => [key, { last_price: 5, ohlc: {} }])),
    )
    const clock = new VirtualClock('2025-09-04T10:00:00+05:30')
    const context: BrokerContext = { ...contextFor({ api }, clock, LIMITS), instruments: EVERY_SYMBOL }
    const refs = Array.from({ length: 1001 }, (_, index) => ({ symbol: `S${index}`, exchange: 'NSE' }))
    const { market } = zerodha.connect(SESSION, context)
    const { value, tookMs } = await paced(clock, market.quotes([...refs, ...refs]))
    expect(asked.map((url) => url.searchParams.getAll('i').length)).toEqual([500, 500, 1])
    expect(tookMs).toBeGreaterThanOrEqual(2000)
    expect(value).toHaveLength(2002)
    expect(value.every((quote) => 'ltp' in quote && quote.ltp === 5)).toBe(true)
  })

  it('nothing is requested for symbols that the master lacks', async () => {
    const { api, asked } = await recorder(() => ({}))
    const { market } = zerodha.connect(SESSION, contextFor({ api }))
    expect(await market.quotes([{ symbol: 'NOPE', exchange: 'NSE' }])).toEqual([
      { error: 'Symbol NOPE not found for exchange NSE' },
    ])
    expect(asked).toEqual([])
  })

  it('an instrument that is missing or unreadable in the response has its own error', async () => {
    const { api } = await recorder(() => ({ 'NSE:INFY': { last_price: 'high' } }))
    const { market } = zerodha.connect(SESSION, contextFor({ api }))
    const [first, second] = await market.quotes([INFY, { symbol: 'SBIN', exchange: 'NSE' }])
    expect([first, second]).toEqual([
      { error: 'No quote for INFY on NSE' },
      { error: 'No quote for SBIN on NSE' },
    ])
    await expect(market.depth(INFY)).rejects.toMatchObject({ kind: 'not_found' })
  })

  it('an index is requested by the broker’s name and has no order book', async () => {
    const rig = await startRig()
    try {
      const [quote] = await rig.client.market.quotes([{ symbol: 'NIFTY', exchange: 'NSE_INDEX' }])
      expect(quote).toMatchObject({
        symbol: 'NIFTY',
        exchange: 'NSE_INDEX',
        ltp: 24_000,
        bid: 0,
        ask: 0,
        oi: 0,
      })
    } finally {
      await rig.close()
    }
  })
})

describe('history', () => {
  let asked: URL[]
  let clock: VirtualClock
  let context: BrokerContext
  /**
   * Bars at the first and the last minute of each chunk, then the first again: unsorted and with duplicates.
   */
  beforeEach(async () => {
    const server = await recorder((url) => {
      const at = (name: string, time: string) => `${url.searchParams.get(name)?.slice(0, 10)}T${time}:00+0530`
      return {
        candles: [
          [at('to', '15:29'), 2, 3, 1, 2, 10, 7],
          [at('from', '09:15'), 1, 2, 1, 2, 10],
          [at('from', '09:15'), 1, 2, 1, 2, 10, null],
        ],
      }
    })
    asked = server.asked
    clock = new VirtualClock('2025-09-04T10:00:00+05:30')
    context = contextFor({ api: server.api }, clock, LIMITS)
  })

  const history = (interval: string, from: string, to: string) =>
    paced(clock, zerodha.connect(SESSION, context).market.history({ ...INFY, interval, from, to }))
  const spans = () => asked.map((url) => `${url.searchParams.get('from')} - ${url.searchParams.get('to')}`)

  it('one day is one call, from its first to its last second', async () => {
    const { value } = await history('5m', '2025-09-04', '2025-09-04')
    expect(spans()).toEqual(['2025-09-04 00:00:00 - 2025-09-04 23:59:59'])
    expect(asked[0]?.pathname).toBe('/instruments/historical/408065/5minute')
    expect([asked[0]?.searchParams.get('oi'), asked[0]?.searchParams.get('continuous')]).toEqual(['1', '0'])
    expect(value).toEqual([
      {
        timestamp: Date.parse('2025-09-04T09:15:00+05:30') / 1000,
        open: 1,
        high: 2,
        low: 1,
        close: 2,
        volume: 10,
        oi: 0,
      },
      {
        timestamp: Date.parse('2025-09-04T15:29:00+05:30') / 1000,
        open: 2,
        high: 3,
        low: 1,
        close: 2,
        volume: 10,
        oi: 7,
      },
    ])
  })

  it('sixty days are one call, sixty-one are two calls without overlap or gap', async () => {
    await history('1m', '2025-01-01', '2025-03-01')
    expect(spans()).toEqual(['2025-01-01 00:00:00 - 2025-03-01 23:59:59'])
    asked.length = 0
    const { value } = await history('1m', '2025-01-01', '2025-03-02')
    expect(spans()).toEqual([
      '2025-01-01 00:00:00 - 2025-03-01 23:59:59',
      '2025-03-02 00:00:00 - 2025-03-02 23:59:59',
    ])
    expect(value.map((bar) => bar.timestamp)).toEqual([...new Set(value.map((bar) => bar.timestamp))].sort())
  })

  it.each([
    ['3m', '2025-01-01', '2025-04-10'],
    ['5m', '2025-01-01', '2025-04-10'],
    ['10m', '2025-01-01', '2025-04-10'],
    ['15m', '2025-01-01', '2025-07-19'],
    ['30m', '2025-01-01', '2025-07-19'],
    ['1h', '2025-01-01', '2026-02-04'],
  ])(
    'a call of %s bars covers %s to %s, and one more day needs a second call',
    async (interval, from, to) => {
      await history(interval, from, to)
      expect(asked).toHaveLength(1)
      await history(interval, '2024-12-31', to)
      expect(asked).toHaveLength(3)
    },
  )

  it('eight calls take two seconds, because three are allowed in one', async () => {
    const { tookMs } = await history('1m', '2024-01-01', '2025-03-01')
    expect(asked).toHaveLength(8)
    expect(tookMs).toBeGreaterThanOrEqual(2_000)
    expect(tookMs).toBeLessThan(2_500)
  })

  it('a call of daily bars covers 2000 days', async () => {
    await history('D', '2018-01-01', '2025-01-01')
    expect(spans()).toEqual([
      '2018-01-01 00:00:00 - 2023-06-23 23:59:59',
      '2023-06-24 00:00:00 - 2025-01-01 23:59:59',
    ])
  })
})
