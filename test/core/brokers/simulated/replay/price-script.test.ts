import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  PriceScript,
  type ScriptedStep,
} from '../../../../../src/core/brokers/simulated/replay/price-script.js'
import { contractIn, FRIDAY_11, testMarket } from '../support.js'

const SECOND = FRIDAY_11 / 1000
const MINUTE = SECOND / 60
const at = (seconds: number, price: number): ScriptedStep => ({ at: FRIDAY_11 + seconds * 1000, price })

describe('scripted prices', () => {
  const steps = [at(0, 100), at(90, 110), at(100, 95), at(300, 120)]

  it.each([
    ['long before the first step: the first', -86_400, 100],
    ['from its second on', 0, 100],
    ['until the second before the next', 89, 100],
    ['the next, not on a minute', 90, 110],
    ['another one within the same minute', 100, 95],
    ['between steps: the one before', 299, 95],
    ['on a minute', 300, 120],
    ['after the last: the last', 86_400, 120],
  ])('%s', (_, seconds, price) => {
    expect(new PriceScript(steps).at(SECOND + seconds)).toBe(price)
  })

  it.each<[string, ScriptedStep[], number, { open: number; high: number; low: number; close: number }]>([
    ['without a step', [at(0, 100)], 1, { open: 100, high: 100, low: 100, close: 100 }],
    ['before the first step', [at(0, 100)], -5, { open: 100, high: 100, low: 100, close: 100 }],
    [
      'with a step at its start',
      [at(0, 100), at(60, 110)],
      1,
      { open: 110, high: 110, low: 110, close: 110 },
    ],
    ['with a step in it', [at(0, 100), at(90, 110)], 1, { open: 100, high: 110, low: 100, close: 110 }],
    [
      'with several, whose extremes are between its ends',
      [at(0, 100), at(61, 130), at(75, 70), at(119, 101)],
      1,
      { open: 100, high: 130, low: 70, close: 101 },
    ],
    [
      'with two in one second, of which the last counts',
      [at(0, 100), { at: FRIDAY_11 + 70_100, price: 150 }, { at: FRIDAY_11 + 70_900, price: 90 }],
      1,
      { open: 100, high: 100, low: 90, close: 90 },
    ],
  ])('a minute %s', (_, written, minutes, bar) => {
    expect(new PriceScript(written).path(MINUTE + minutes)).toMatchObject({ ...bar, traded: true })
  })

  it('cannot be empty', () => {
    expect(() => new PriceScript([])).toThrow(RangeError)
  })

  it('a minute contains every price of its seconds, reaches its extremes, and opens and closes at its own prices', () => {
    const script = fc
      .array(
        fc.record({ after: fc.integer({ min: 0, max: 300_000 }), price: fc.integer({ min: 1, max: 500 }) }),
        {
          minLength: 1,
          maxLength: 12,
        },
      )
      .map((written) => written.sort((a, b) => a.after - b.after))
      .map(
        (written) => new PriceScript(written.map(({ after, price }) => ({ at: FRIDAY_11 + after, price }))),
      )
    fc.assert(
      fc.property(script, fc.integer({ min: -1, max: 6 }), (prices, minutes) => {
        const { open, high, low, close } = prices.path(MINUTE + minutes)
        const seconds = Array.from({ length: 60 }, (_, second) => prices.at((MINUTE + minutes) * 60 + second))
        expect({ open, high, low, close }).toEqual({
          open: seconds[0],
          high: Math.max(...seconds),
          low: Math.min(...seconds),
          close: seconds[59],
        })
      }),
    )
  })
})

describe('a scripted market', () => {
  const scripted = (symbol: string, exchange: string, steps: readonly ScriptedStep[], mode?: 'market') => {
    const market = testMarket('test', mode)
    market.script({ symbol, exchange }, new PriceScript(steps))
    return market
  }

  it('quotes the scripted price, in whole ticks', () => {
    const market = scripted('SBIN', 'NSE', [at(0, 812.33), at(30, 0.001)])
    const sbin = contractIn(market, 'NSE', 'SBIN')
    expect(market.quote(sbin, SECOND + 29)).toMatchObject({ ltp: 812.35 })
    expect(market.quote(sbin, SECOND + 30)).toMatchObject({ ltp: 0.05 })
  })

  it('quotes the scripted price at once, even if that second was already requested', () => {
    const market = testMarket('test')
    const [sbin, call] = [
      contractIn(market, 'NSE', 'SBIN'),
      contractIn(market, 'NFO', 'NIFTY24NOV2626000CE'),
    ] as const
    const before = market.quote(call, SECOND)
    market.quote(sbin, SECOND)
    market.script({ symbol: 'SBIN', exchange: 'NSE' }, new PriceScript([at(0, 812.35)]))
    market.script({ symbol: 'NIFTY', exchange: 'NSE_INDEX' }, new PriceScript([at(0, 30_000)]))
    expect(market.quote(sbin, SECOND).ltp).toBe(812.35)
    expect(market.quote(call, SECOND).ltp).toBeGreaterThan(before.ltp + 1000)
  })

  it('has the bars of the steps', () => {
    const market = scripted('SBIN', 'NSE', [at(0, 800), at(70, 810), at(80, 790), at(130, 805)], 'market')
    const bars = market.bars(
      contractIn(market, 'NSE', 'SBIN'),
      '1m',
      '2026-11-20',
      '2026-11-20',
      SECOND + 180,
    )
    const ofMinutes = bars.filter(({ timestamp }) => timestamp >= SECOND && timestamp < SECOND + 180)
    expect(ofMinutes.map(({ open, high, low, close }) => [open, high, low, close])).toEqual([
      [800, 800, 800, 800],
      [800, 810, 790, 790],
      [790, 805, 790, 805],
    ])
  })

  it('an option follows the underlying: the call rises with it, the put falls', () => {
    const market = scripted('NIFTY', 'NSE_INDEX', [at(0, 26_000), at(60, 26_300)])
    const moved = (symbol: string) => {
      const contract = contractIn(market, 'NFO', symbol)
      return market.lastPrice(contract, SECOND + 60) - market.lastPrice(contract, SECOND)
    }
    expect(moved('NIFTY24NOV2626000CE')).toBeGreaterThan(100)
    expect(moved('NIFTY24NOV2626000PE')).toBeLessThan(-50)
    expect(moved('NIFTY24NOV26FUT')).toBeGreaterThan(250)
  })

  it('a scripted contract keeps its own price, whatever its underlying does', () => {
    const market = scripted('NIFTY', 'NSE_INDEX', [at(0, 26_000), at(60, 26_300)])
    market.script({ symbol: 'NIFTY24NOV2626000CE', exchange: 'NFO' }, new PriceScript([at(0, 110)]))
    const call = contractIn(market, 'NFO', 'NIFTY24NOV2626000CE')
    expect([0, 60, 600].map((second) => market.lastPrice(call, SECOND + second))).toEqual([110, 110, 110])
  })

  it('moves outside the session too, with consistent quotes; bars end with the session', () => {
    const evening = 5 * 3600
    const market = scripted('SBIN', 'NSE', [at(0, 800), at(evening, 820)], 'market')
    const sbin = contractIn(market, 'NSE', 'SBIN')
    const quote = market.quote(sbin, SECOND + evening)
    expect(quote).toMatchObject({ ltp: 820, high: 820, low: 800 })
    expect(market.lastPrice(sbin, SECOND + evening)).toBe(820)
    const bars = market.bars(sbin, '1m', '2026-11-20', '2026-11-20', SECOND + evening)
    expect(bars).toHaveLength(375)
    expect(Math.max(...bars.map(({ high }) => high))).toBe(800)
  })
})
