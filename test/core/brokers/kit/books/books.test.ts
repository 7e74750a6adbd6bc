import { describe, expect, it } from 'vitest'
import { type DayTurnover, withDayPnl } from '../../../../../src/core/brokers/kit/books/day-pnl.js'
import { mapped, reversed } from '../../../../../src/core/brokers/kit/books/mapping.js'
import { masterBatches } from '../../../../../src/core/brokers/kit/books/master-batches.js'
import { ServiceError } from '../../../../../src/core/errors/index.js'
import type { Instrument } from '../../../../../src/core/instruments/schema.js'
import type { Quote } from '../../../../../src/core/market/schema.js'
import { recordingLogger } from '../../../logging/recording-logger.js'

describe('a table of words', () => {
  const ORDER_TYPES = { MARKET: 'MKT', LIMIT: 'LMT' } as const

  it('reads in both directions', () => {
    expect(reversed<'MARKET' | 'LIMIT'>(ORDER_TYPES)).toEqual({ MKT: 'MARKET', LMT: 'LIMIT' })
  })

  it('logs a word that it lacks, also one of every object, and reads the fallback', () => {
    const log = recordingLogger()
    const table = reversed<'MARKET' | 'LIMIT'>(ORDER_TYPES)
    expect(mapped({ log }, 'type', table, 'MKT', 'LIMIT')).toBe('MARKET')
    expect(mapped({ log }, 'type', table, 'constructor', 'LIMIT')).toBe('LIMIT')
    expect(log.lines).toMatchObject([
      { event: 'broker.unknown_value', fields: { field: 'type', value: 'constructor', readAs: 'LIMIT' } },
    ])
  })
})

describe('a master', () => {
  const row: Instrument = {
    symbol: 'INFY',
    brokerSymbol: 'INFY',
    name: 'INFY',
    exchange: 'NSE',
    brokerExchange: 'NSE',
    token: '1',
    expiry: '',
    strike: 0,
    lotSize: 1,
    instrumentType: 'EQ',
    tickSize: 0.05,
  }

  it('comes in batches of 5,000, and its unusable rows are counted', () => {
    const log = recordingLogger()
    const batches = masterBatches('GET /master', log, function* (onUnusable) {
      for (let count = 0; count < 5001; count++) {
        if (count % 1000 === 0) onUnusable()
        yield row
      }
    })
    expect([...batches].map((batch) => batch.length)).toEqual([5000, 1])
    expect(log.lines).toMatchObject([{ event: 'broker.unusable_instruments', fields: { rows: 6 } }])
  })

  it('that is no master is an error of the protocol', () => {
    const batches = masterBatches('GET /master', recordingLogger(), () => {
      throw new ServiceError('validation', 'no heading')
    })
    expect(() => [...batches]).toThrow(
      expect.objectContaining({ kind: 'protocol', message: 'GET /master: no heading' }),
    )
  })
})

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
})
