import { describe, expect, it } from 'vitest'
import { BrokerError, type BrokerErrorKind, type CallRank } from '../../../../../src/core/brokers/broker.js'
import {
  type CountedPosition,
  type DayTurnover,
  withDayPnl,
  withSalesAtClose,
} from '../../../../../src/core/brokers/kit/books/day-pnl.js'
import { PreviousCloses } from '../../../../../src/core/brokers/kit/books/previous-closes.js'
import type { Quote, SymbolRef } from '../../../../../src/core/market/schema.js'
import { VirtualClock } from '../../../../../src/core/time/index.js'

const EMPTY_QUOTE = {
  bid: 0,
  ask: 0,
  bidSize: 0,
  askSize: 0,
  open: 0,
  high: 0,
  low: 0,
  volume: 0,
  oi: 0,
  timestamp: 0,
}

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
  const quote: Quote = { ...EMPTY_QUOTE, symbol: 'INFY', exchange: 'NSE', ltp: 110, prevClose: 100 }
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

  it.each([
    ['without a quote', { error: 'no quote' }],
    ['with a quote that lacks it', { ...quote, prevClose: 0 }],
  ] as const)('of a carried position is unknown without a previous close (%s)', async (_, answer) => {
    expect(await dayPnl({ carried: 10 }, answer)).toHaveProperty('dayPnl', undefined)
    // A short option of earlier days that has lost today: its profit since then would hide the loss.
    expect(await dayPnl({ quantity: -10, carried: -10, pnl: 20_000 }, answer)).toHaveProperty(
      'dayPnl',
      undefined,
    )
    expect(await dayPnl({ quantity: 0, carried: 10, sold: 900 }, answer)).toHaveProperty('dayPnl', undefined)
  })

  it.each(['CNC', 'MTF'])(
    'of shares that the account held and sold (%s) counts to the sale, whatever the price does later',
    async (product) => {
      const sale = { product, quantity: -10, sold: 1040 }
      for (const ltp of [90, 110]) {
        expect(await dayPnl(sale, { ...quote, ltp })).toMatchObject({ dayPnl: 40, ltp })
      }
      // Ten of them were bought and sold again today.
      expect(await dayPnl({ ...sale, bought: 1000, sold: 1040 + 1020 })).toMatchObject({ dayPnl: 60 })
      expect(await dayPnl(sale, { ...quote, prevClose: 0 })).toHaveProperty('dayPnl', undefined)
      expect(await dayPnl({ ...sale, product: 'MIS' })).toMatchObject({ dayPnl: -60 })
    },
  )

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
        { symbol: 'SBIN', quantity: 10, dayPnl: undefined },
      ])
    },
  )

  it('fails where the session is refused, so that it is renewed', async () => {
    await expect(withDayPnl([position({})], failing('auth'))).rejects.toMatchObject({ kind: 'auth' })
  })
})

describe('the profit of the day that a broker counts itself', () => {
  const sale: CountedPosition = {
    symbol: 'INFY',
    exchange: 'NSE',
    product: 'CNC',
    quantity: -1000,
    averagePrice: 1500,
    ltp: 1450,
    pnl: 50_000,
    realized: 0,
    unrealized: 50_000,
    dayPnl: 50_000,
    prevClose: 1490,
  }
  const counted = async (changes: Partial<CountedPosition>, prevClose = 1490, rank?: CallRank) => {
    const asked: unknown[] = []
    const quotes = async (refs: readonly SymbolRef[]) => {
      asked.push(...refs.map(({ symbol }) => symbol))
      return refs.map((ref) => ({ ...EMPTY_QUOTE, ...ref, ltp: 1450, prevClose }))
    }
    const [found] = await withSalesAtClose(
      [{ ...sale, ...changes }],
      new PreviousCloses({ quotes }, new VirtualClock('2026-11-20T11:00:00+05:30')),
      rank,
    )
    expect(found).not.toHaveProperty('prevClose')
    return { dayPnl: found?.dayPnl, asked }
  }

  it('counts shares that were held and sold from the previous close to the sale', async () => {
    expect(await counted({})).toEqual({ dayPnl: 10_000, asked: [] })
    expect(await counted({ ltp: 1530, dayPnl: -30_000 })).toEqual({ dayPnl: 10_000, asked: [] })
  })

  it('asks for the close that the row lacks; without one only a loss counts', async () => {
    expect(await counted({ prevClose: 0 })).toEqual({ dayPnl: 10_000, asked: ['INFY'] })
    expect(await counted({ prevClose: 0 }, 0)).toEqual({ dayPnl: 0, asked: ['INFY'] })
    expect(await counted({ prevClose: 0, dayPnl: -20_000 }, 0)).toEqual({ dayPnl: -20_000, asked: ['INFY'] })
    expect(await counted({ prevClose: 0 }, 1490, 'exit')).toEqual({ dayPnl: 0, asked: [] })
  })

  it('asks for a close once in a session, and a minute after it got none', async () => {
    const clock = new VirtualClock('2026-11-20T11:00:00+05:30')
    let [prevClose, asked] = [0, 0]
    const quotes = async (refs: readonly SymbolRef[]) => {
      asked += 1
      return refs.map((ref) => ({ ...EMPTY_QUOTE, ...ref, ltp: 1450, prevClose }))
    }
    const closes = new PreviousCloses({ quotes }, clock)
    const read = async () => {
      const [found] = await withSalesAtClose([{ ...sale, prevClose: 0 }], closes, 'order')
      return [found?.dayPnl, asked]
    }
    expect([await read(), await read()]).toEqual([
      [0, 1],
      [0, 1],
    ])
    prevClose = 1490
    await clock.advance(60_000)
    expect([await read(), await read()]).toEqual([
      [10_000, 2],
      [10_000, 2],
    ])
    await clock.advance(24 * 3_600_000)
    expect(await read()).toEqual([10_000, 3])
  })

  it('stays what it is for every other position, without a question', async () => {
    for (const other of [{ product: 'MIS' }, { product: 'NRML' }, { quantity: 1000 }, { quantity: 0 }]) {
      expect(await counted({ ...other, prevClose: 0 })).toEqual({ dayPnl: 50_000, asked: [] })
    }
    expect(await counted({ dayPnl: undefined })).toEqual({ dayPnl: undefined, asked: [] })
  })
})
