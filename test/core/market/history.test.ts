import { describe, expect, it } from 'vitest'
import {
  type Candle,
  daysBefore,
  depthView,
  type HistoryQuery,
  history,
  intervalsByUnit,
  ListedMarket,
} from '../../../src/core/market/index.js'
import { directoryOf, INSTRUMENTS } from '../brokers/simulated/support.js'

const bar = (instant: string, close = 1): Candle => ({
  timestamp: Date.parse(instant) / 1000,
  open: 1,
  high: 2,
  low: 1,
  close,
  volume: 10,
  oi: 0,
})

const QUERY: HistoryQuery = {
  symbol: 'SBIN',
  exchange: 'NSE',
  interval: '5m',
  from: '2026-11-19',
  to: '2026-11-20',
}

/** History from a broker that has these bars. */
function barsOf(bars: readonly Candle[], query: Partial<HistoryQuery> = {}): Promise<readonly Candle[]> {
  const nothing = () => Promise.reject(new Error('not asked for'))
  const source = { quote: nothing, quotes: nothing, depth: nothing }
  const listed = new ListedMarket(source, directoryOf(INSTRUMENTS))
  return history(listed, { history: async () => bars }, { ...QUERY, ...query })
}

describe('bars', () => {
  it('of minutes have the instant they open', async () => {
    const [first] = await barsOf([bar('2026-11-19T09:15:00+05:30')])
    expect(first?.timestamp).toBe(Date.parse('2026-11-19T03:45:00Z') / 1000)
  })

  it.each(['D', 'W', 'M'])('of %s have midnight UTC of their Indian date', async (interval) => {
    const [first] = await barsOf([bar('2026-11-19T00:00:00+05:30')], { interval })
    expect(first?.timestamp).toBe(Date.parse('2026-11-19T00:00:00Z') / 1000)
  })

  it('are ascending and distinct, and the later of two wins', async () => {
    const [late, early] = ['2026-11-19T09:20:00+05:30', '2026-11-19T09:15:00+05:30']
    const found = await barsOf([bar(late), bar(early, 1), bar(early, 2)])
    expect(found).toEqual([bar(early, 2), bar(late)])
  })

  it('of a frozen list are that list when it is in order, and in order when it is not', async () => {
    const [early, late] = [bar('2026-11-19T09:15:00+05:30'), bar('2026-11-19T09:20:00+05:30')]
    const inOrder = Object.freeze([early, late])
    const reversed = Object.freeze([late, early])
    for (let round = 0; round < 2; round++) {
      expect(await barsOf(inOrder)).toBe(inOrder)
      expect(await barsOf(reversed)).toEqual([early, late])
    }
  })

  it.each<[string, Partial<HistoryQuery>, object]>([
    [
      'a symbol that is not listed',
      { symbol: 'NOPE' },
      {
        code: 'not_found',
        reason: 'not_listed',
        message: expect.stringContaining("Symbol 'NOPE' not found for exchange 'NSE'."),
      },
    ],
    [
      'dates out of order',
      { from: '2026-11-21' },
      { errors: { end_date: ['Must not be before start_date.'] } },
    ],
    [
      'more than a year of minutes',
      { from: '2025-11-19' },
      { errors: { start_date: ['At most 366 days of 5m bars at once.'] } },
    ],
    [
      'more than twenty years of days',
      { interval: 'D', from: '2006-11-19' },
      { errors: { start_date: ['At most 7305 days of D bars at once.'] } },
    ],
  ])('are refused for %s', async (_what, query, refusal) => {
    await expect(barsOf([], query)).rejects.toMatchObject({ code: 'validation', ...refusal })
  })

  it('of one day and of the longest range are accepted', async () => {
    expect(await barsOf([], { from: '2026-11-20' })).toEqual([])
    expect(await barsOf([], { from: '2025-11-20' })).toEqual([])
    expect(await barsOf([], { interval: 'D', from: '2006-11-21' })).toEqual([])
  })
})

it('intervals are grouped by unit, shortest first', () => {
  expect(intervalsByUnit(['D', '1h', '10m', '1m', '5m', 'W', '15s', 'Q'])).toEqual({
    seconds: ['15s'],
    minutes: ['1m', '5m', '10m'],
    hours: ['1h'],
    days: ['D'],
    weeks: ['W'],
    months: [],
  })
})

it('depth has five levels per side, and totals of the known levels', () => {
  const level = { price: 800, quantity: 7, orders: 1 }
  const quote = {
    symbol: 'SBIN',
    exchange: 'NSE',
    ltp: 800,
    bid: 800,
    ask: 0,
    bidSize: 7,
    askSize: 0,
    open: 1,
    high: 2,
    low: 1,
    prevClose: 1,
    volume: 3,
    oi: 0,
    timestamp: 0,
    depth: { buy: [level, level], sell: [] },
  }
  const empty = { price: 0, quantity: 0 }
  expect(depthView(quote)).toEqual({
    asks: [empty, empty, empty, empty, empty],
    bids: [{ price: 800, quantity: 7 }, { price: 800, quantity: 7 }, empty, empty, empty],
    high: 2,
    low: 1,
    ltp: 800,
    ltq: 0,
    oi: 0,
    open: 1,
    prev_close: 1,
    volume: 3,
    totalbuyqty: 14,
    totalsellqty: 0,
  })
  const told = { ...quote, lastQuantity: 5, totalBuyQuantity: 100, totalSellQuantity: 90 }
  expect(depthView(told)).toMatchObject({ ltq: 5, totalbuyqty: 100, totalsellqty: 90 })
})

it('counts days back over months and leap years', () => {
  expect(daysBefore('2024-03-01', 1)).toBe('2024-02-29')
  expect(daysBefore('2026-01-01', 365)).toBe('2025-01-01')
})
