import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../src/core/errors/index.js'
import type { Candle } from '../../../src/core/market/index.js'
import {
  type BarSource,
  type PnlDay,
  PnlTracker,
  type PositionRow,
  type TradeRow,
} from '../../../src/core/pnl/index.js'
import { istInstant, MINUTE_MS, SECOND_MS, VirtualClock } from '../../../src/core/time/index.js'
import { DATE, valuesOf } from './day-support.js'

const OPENS = istInstant(DATE, '09:15')

interface Given {
  trades?: readonly TradeRow[]
  positions?: readonly PositionRow[]
  source?: Partial<BarSource>
  at?: string
  contractValue?: number
}

/** A tracker on given books, with bars that rise by a rupee a minute from 100 (NSE) or 500 (others). */
class Rig {
  readonly clock: VirtualClock
  readonly tracker: PnlTracker
  /** The symbol, interval and time of each call of the broker. */
  readonly calls: { call: string; at: number }[] = []
  trades: readonly TradeRow[]
  positions: readonly PositionRow[]
  account = 'sandbox'

  constructor({ at = '09:20', contractValue = 1, positions = [], source = {}, trades = [] }: Given) {
    this.clock = new VirtualClock(istInstant(DATE, at))
    this.trades = trades
    this.positions = positions
    this.tracker = new PnlTracker({
      clock: this.clock,
      books: {
        account: (userId) => `${this.account} ${userId}`,
        trades: async () => this.trades,
        positions: async () => this.positions,
      },
      bars: {
        broker: () => 'test',
        history: async ({ exchange, interval, symbol }) => {
          this.calls.push({ call: `${symbol} ${interval}`, at: this.clock.now() })
          return this.#bars(exchange === 'NSE' ? 100 : 500)
        },
        previousCloses: async (refs) => {
          this.calls.push({ call: 'quotes', at: this.clock.now() })
          return refs.map(() => 98)
        },
        closesAt: (_exchange, date) => istInstant(date, '15:30'),
        ...source,
      },
      contractValue: () => contractValue,
    })
  }

  #bars(first: number): Candle[] {
    const count = Math.floor((this.clock.now() - OPENS) / MINUTE_MS) + 1
    return Array.from({ length: count }, (_, minute) => {
      const price = first + minute
      const timestamp = (OPENS + minute * MINUTE_MS) / SECOND_MS
      return { timestamp, open: price, high: price, low: price, close: price, volume: 1, oi: 0 }
    })
  }

  /** Returns the day, and moves the clock on while the tracker waits. */
  today(): Promise<PnlDay> {
    return this.settled(this.tracker.today('asha'))
  }

  /** Moves the clock on until an answer is there. */
  async settled<Answer>(waiting: Promise<Answer>): Promise<Answer> {
    let done = false
    const answer = waiting.finally(() => {
      done = true
    })
    answer.catch(() => undefined)
    while (!done) {
      await new Promise((resolve) => setImmediate(resolve))
      if (!done) await this.clock.advance(50)
    }
    return answer
  }
}

const trade = (fields: Partial<TradeRow> = {}): TradeRow => ({
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'BUY',
  quantity: 10,
  average_price: 100,
  timestamp: `${DATE} 09:15:00`,
  ...fields,
})
const position = (fields: Partial<PositionRow> = {}): PositionRow => ({
  symbol: 'SBIN',
  exchange: 'NSE',
  product: 'MIS',
  quantity: 10,
  ltp: 0,
  pnl: 0,
  unrealized: 0,
  ...fields,
})
const many = (count: number) => Array.from({ length: count }, (_, n) => trade({ symbol: `S${n}` }))

describe('the newest known day', () => {
  /** Returns what a page gets, with the time that it waited. */
  async function page(rig: Rig) {
    const before = rig.clock.now()
    const latest = await rig.settled(rig.tracker.latest('asha'))
    return { ...latest, waited: rig.clock.now() - before }
  }

  it('waits for no bars, and is there once they have been read', async () => {
    const rig = new Rig({ trades: many(6) })
    const first = await page(rig)
    expect(first).toMatchObject({ isReading: true })
    expect(first.day).toBeUndefined()
    expect(first.waited).toBeLessThanOrEqual(200)
    await rig.clock.advance(3 * SECOND_MS)
    const second = await page(rig)
    expect(second).toMatchObject({ isReading: false, waited: 0, day: await rig.today() })
    expect(rig.calls).toHaveLength(6)
  })

  it('is the one before while a newer one is being read, with the time of its books', async () => {
    const rig = new Rig({ trades: many(6) })
    await rig.today()
    const known = await page(rig)
    await rig.clock.advance(2 * MINUTE_MS)
    expect(await page(rig)).toMatchObject({ isReading: true, day: known.day, asOf: known.asOf })
    await rig.clock.advance(10 * MINUTE_MS)
    await rig.clock.advance(10 * MINUTE_MS)
    expect((await page(rig)).day).toBeUndefined()
  })

  it('is never that of another mode or broker', async () => {
    const rig = new Rig({ trades: [trade()] })
    expect((await page(rig)).day?.current_mtm).toBe(50)
    rig.account = 'live'
    rig.trades = many(6)
    expect((await page(rig)).day).toBeUndefined()
  })

  it('says why it could not be read, and is read again after that', async () => {
    let isDown = true
    const history: BarSource['history'] = async () => {
      if (isDown) throw new ServiceError('broker_rejected', 'down')
      return []
    }
    const rig = new Rig({ trades: [trade()], source: { history } })
    await expect(page(rig)).rejects.toThrow('down')
    isDown = false
    await rig.clock.advance(SECOND_MS)
    expect(await page(rig)).toMatchObject({ isReading: false })
  })
})

describe('bars', () => {
  it.each(['0001-01-01 00:00:00', 100_000, '9999-12-31 09:15:00', '2026-11-05 09:15:00'])(
    'are not read since %s, which some brokers send for a missing time',
    async (timestamp) => {
      const from: string[] = []
      const history: BarSource['history'] = async (query) => {
        from.push(query.from)
        return []
      }
      const trades = [trade({ timestamp, fill_timestamp: `${DATE} 09:16:00` })]
      await new Rig({ trades, source: { history } }).today()
      expect(from).toEqual([DATE])
    },
  )

  it('are asked for twice a second at most, and answered from memory after that', async () => {
    const rig = new Rig({ trades: many(6) })
    await rig.today()
    const times = rig.calls.map(({ at }) => at)
    expect(times).toHaveLength(6)
    for (const at of times) {
      const within = times.filter((other) => other >= at && other < at + 1000)
      expect(within.length).toBeLessThanOrEqual(2)
    }
    const before = rig.clock.now()
    await rig.today()
    expect([rig.calls.length, rig.clock.now() - before]).toEqual([6, 0])
  })

  it('are read once for callers that ask at the same time', async () => {
    const rig = new Rig({ trades: many(3) })
    await Promise.all([rig.today(), rig.today(), rig.today()])
    expect(rig.calls).toHaveLength(3)
  })

  it('are read again after a minute, so that the day goes on', async () => {
    const rig = new Rig({ trades: [trade()] })
    expect((await rig.today()).current_mtm).toBe(50)
    await rig.clock.advance(MINUTE_MS)
    expect((await rig.today()).current_mtm).toBe(60)
    expect(rig.calls).toHaveLength(2)
  })

  it('stay in memory once the market has closed', async () => {
    const rig = new Rig({ trades: [trade()], at: '15:36' })
    await rig.today()
    await rig.clock.advance(3 * 60 * MINUTE_MS)
    await rig.today()
    expect(rig.calls).toHaveLength(1)
  })

  it('are asked for again after a failure', async () => {
    let fails = true
    const source: Partial<BarSource> = {
      history: async () => {
        if (fails) throw new ServiceError('unavailable', 'The broker does not answer')
        return [{ timestamp: OPENS / SECOND_MS, open: 1, high: 1, low: 1, close: 101, volume: 1, oi: 0 }]
      },
    }
    const rig = new Rig({ trades: [trade()], source })
    await expect(rig.today()).rejects.toThrow('The broker does not answer')
    fails = false
    expect((await rig.today()).current_mtm).toBe(10)
  })

  it('of an instrument that the broker does not know are missing, and the others count', async () => {
    const source: Partial<BarSource> = {
      history: async ({ symbol }) => {
        if (symbol === 'GONE') throw new ServiceError('not_found', 'Symbol GONE not found')
        return [{ timestamp: OPENS / SECOND_MS, open: 1, high: 1, low: 1, close: 101, volume: 1, oi: 0 }]
      },
    }
    const rig = new Rig({ trades: [trade({ symbol: 'GONE' }), trade()], source })
    expect((await rig.today()).current_mtm).toBe(10)
  })
})

describe('positions', () => {
  it('without a trade of the day count from the previous close', async () => {
    const rig = new Rig({ positions: [position()] })
    const { pnl_series } = await rig.today()
    expect(valuesOf(pnl_series).slice(0, 2)).toEqual([
      ['09:15', 20],
      ['09:16', 30],
    ])
  })

  it('that were closed by exits alone count from the previous close', async () => {
    const sale = trade({ action: 'SELL', average_price: 101.5, timestamp: `${DATE} 09:16:30` })
    const rig = new Rig({ trades: [sale], positions: [position({ quantity: 0 })] })
    const { pnl_series } = await rig.today()
    expect(valuesOf(pnl_series).slice(0, 3)).toEqual([
      ['09:15', 20],
      ['09:16', 30],
      ['09:17', 35],
    ])
  })

  it('of several products are one quantity, and two exchanges are two instruments', async () => {
    const rig = new Rig({
      trades: [trade(), trade({ exchange: 'BSE', average_price: 500, action: 'SELL', quantity: 1 })],
      positions: [
        position({ quantity: 4 }),
        position({ quantity: 6 }),
        position({ exchange: 'BSE', quantity: -1 }),
      ],
    })
    const { pnl_series } = await rig.today()
    // 10 long from 100 and 1 short from 500, each a rupee higher every minute; nothing was carried.
    expect(valuesOf(pnl_series).slice(0, 3)).toEqual([
      ['09:15', 0],
      ['09:16', 9],
      ['09:17', 18],
    ])
  })

  it('count the units of a contract', async () => {
    const rig = new Rig({ trades: [trade()], positions: [position()], contractValue: 0.001 })
    expect((await rig.today()).current_mtm).toBe(0.05)
  })

  it('take the previous close from daily bars if quotes have none', async () => {
    const source = { previousCloses: async () => [0] }
    const rig = new Rig({ positions: [position()], source })
    await rig.today()
    expect(rig.calls.map(({ call }) => call).sort()).toEqual(['SBIN 1m', 'SBIN D'])
  })
})

describe('trades', () => {
  it('whose time cannot be read are left out', async () => {
    const rig = new Rig({ trades: [trade(), trade({ timestamp: 'soon', quantity: 500 })] })
    expect((await rig.today()).current_mtm).toBe(50)
  })

  it('take the first time that can be read', async () => {
    const late = trade({
      timestamp: '-',
      fill_timestamp: undefined,
      fill_time: '09:17:00',
      average_price: 102,
    })
    expect((await new Rig({ trades: [late] }).today()).current_mtm).toBe(30)
  })

  it.each([
    [1000, 10],
    [100, 1],
  ])('with a value of %i and no quantity are %i shares', async (trade_value, shares) => {
    const rig = new Rig({ trades: [trade({ quantity: 0, trade_value })] })
    expect((await rig.today()).current_mtm).toBe(5 * shares)
  })

  it('that are filled between the two books are not taken for a carried position', async () => {
    const rig = new Rig({ trades: [] })
    const reads = [[], [trade()], [trade()]]
    const parts = {
      clock: rig.clock,
      books: {
        account: () => 'sandbox',
        trades: async () => reads.shift() ?? [trade()],
        positions: async () => [position()],
      },
      bars: {
        broker: () => 'test',
        history: async () => [],
        previousCloses: async () => {
          throw new Error('nothing was carried')
        },
        closesAt: () => undefined,
      },
      contractValue: () => 1,
    }
    await expect(new PnlTracker(parts).today('asha')).resolves.toMatchObject({ current_mtm: 0 })
  })

  it('that never stop are reported', async () => {
    let count = 0
    const rig = new Rig({})
    Object.defineProperty(rig, 'trades', { get: () => many(++count) })
    await expect(rig.today()).rejects.toThrow('being filled at this moment')
  })
})
