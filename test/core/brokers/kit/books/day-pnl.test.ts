import { describe, expect, it } from 'vitest'
import { BrokerError, type BrokerErrorKind } from '../../../../../src/core/brokers/broker.js'
import { type DayTurnover, withDayPnl } from '../../../../../src/core/brokers/kit/books/day-pnl.js'
import type { Quote } from '../../../../../src/core/market/schema.js'

describe('the profit of the day', () => {
  const position = (changes: Partial<DayTurnover>): DayTurnover => ({
    symbol: 'INFY',
    exchange: 'NSE',
    product: 'NRML',
    quantity: 10,
    averagePrice: 90,
    ltp: 0,
    pnl: 77,
    realized: 0,
    unrealized: 77,
    carried: 0,
    bought: 0,
    sold: 0,
    ...changes,
  })
  const quote: Quote = {
    symbol: 'INFY',
    exchange: 'NSE',
    ltp: 110,
    bid: 0,
    ask: 0,
    bidSize: 0,
    askSize: 0,
    open: 0,
    high: 0,
    low: 0,
    prevClose: 100,
    volume: 0,
    oi: 0,
    timestamp: 0,
  }
  const dayPnl = async (changes: Partial<DayTurnover>, answer: Quote | { error: string } = quote) => {
    const asked: number[] = []
    const quotes = async (refs: readonly unknown[]) => {
      asked.push(refs.length)
      return refs.map(() => answer)
    }
    const [found] = await withDayPnl([position(changes)], { quotes })
    return { dayPnl: found?.dayPnl, ltp: found?.ltp, asked }
  }

  it('counts a carried quantity from the previous close, and what was traded today from its own price', async () => {
    expect(await dayPnl({ carried: 10 })).toEqual({ dayPnl: 100, ltp: 110, asked: [1] })
    expect(await dayPnl({ bought: 1050 })).toMatchObject({ dayPnl: 50 })
    expect(await dayPnl({ quantity: 4, carried: 10, sold: 630 })).toMatchObject({ dayPnl: 70 })
    expect(await dayPnl({ quantity: -10, carried: -10 })).toMatchObject({ dayPnl: -100 })
  })

  it('of a closed position of today needs no quote', async () => {
    expect(await dayPnl({ quantity: 0, bought: 1000, sold: 1020 })).toMatchObject({ dayPnl: 20, asked: [] })
  })

  it('of a carried position without a previous close is the profit since it was opened', async () => {
    expect(await dayPnl({ carried: 10 }, { error: 'no quote' })).toMatchObject({ dayPnl: 77 })
  })

  const failing = (kind: BrokerErrorKind) => ({
    quotes: async () => {
      throw new BrokerError(kind, 'no quotes', { sent: 'maybe' })
    },
  })

  it.each(['unavailable', 'network', 'protocol', 'permission', 'rate_limit'] as const)(
    'needs no quotes: an outage of them (%s) hides no position',
    async (kind) => {
      const rows = [position({ ltp: 95, bought: 900 }), position({ symbol: 'SBIN', carried: 10 })]
      expect(await withDayPnl(rows, failing(kind))).toMatchObject([
        { symbol: 'INFY', quantity: 10, ltp: 95, dayPnl: 50 },
        { symbol: 'SBIN', quantity: 10, dayPnl: 77 },
      ])
    },
  )

  it('fails where the session is refused, so that it is renewed', async () => {
    await expect(withDayPnl([position({})], failing('auth'))).rejects.toMatchObject({ kind: 'auth' })
  })
})
