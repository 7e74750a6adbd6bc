import { describe, expect, it } from 'vitest'
import { BrokerError } from '../../../../../src/core/brokers/broker.js'
import type { Candle } from '../../../../../src/core/market/schema.js'
import { contractIn, FRIDAY_11, testMarket } from '../support.js'

const NOW = FRIDAY_11 / 1000
const NINE_FIFTEEN = Date.parse('2026-11-20T09:15:00+05:30') / 1000
const CONTRACTS = [
  ['NSE', 'SBIN'],
  ['NSE_INDEX', 'NIFTY'],
  ['NFO', 'NIFTY24NOV26FUT'],
  ['NFO', 'NIFTY24NOV2626000CE'],
  ['NFO', 'NIFTY24NOV2626000PE'],
  ['NFO', 'NIFTY24NOV2628000CE'],
] as const

describe('history', () => {
  it.each(CONTRACTS)('matches the ticks, second by second: %s:%s', (exchange, symbol) => {
    const market = testMarket('test', 'market')
    const contract = contractIn(market, exchange, symbol)
    const bars = market.bars(contract, '1m', '2026-11-20', '2026-11-20', NOW + 30)
    expect(bars).toHaveLength(106)
    for (const bar of bars) {
      const last = Math.min(59, NOW + 30 - bar.timestamp)
      const ticks = Array.from({ length: last + 1 }, (_, s) =>
        market.tick(contract, bar.timestamp + s, false),
      )
      const prices = ticks.map((tick) => tick.ltp)
      expect(bar).toMatchObject({
        open: prices[0],
        high: Math.max(...prices),
        low: Math.min(...prices),
        close: prices.at(-1),
        volume: ticks.reduce((sum, tick) => sum + tick.lastQuantity, 0),
      })
    }
    const quote = market.quote(contract, NOW + 30)
    expect(quote.volume).toBe(bars.reduce((sum, bar) => sum + bar.volume, 0))
    expect(quote.high).toBe(Math.max(...bars.map((bar) => bar.high)))
    expect(quote.low).toBe(Math.min(...bars.map((bar) => bar.low)))
  })

  it.each([
    ['3m', 3],
    ['5m', 5],
    ['10m', 10],
    ['15m', 15],
    ['30m', 30],
    ['1h', 60],
  ])('joins minutes into %s bars aligned to the opening', (interval, minutes) => {
    const market = testMarket('test', 'market')
    const contract = contractIn(market, 'NSE', 'SBIN')
    const ones = market.bars(contract, '1m', '2026-11-19', '2026-11-19', NOW)
    const joined = market.bars(contract, interval, '2026-11-19', '2026-11-19', NOW)
    expect(joined).toHaveLength(Math.ceil(375 / minutes))
    expect(joined).toEqual(joined.map((_, i) => join(ones.slice(i * minutes, (i + 1) * minutes))))
  })

  it.each(['1m', '5m', '1h'])(
    'gives the same %s bars of a running session, however often it was asked',
    (interval) => {
      const asked = testMarket('test', 'market')
      const contract = contractIn(asked, 'NSE', 'SBIN')
      // Forwards in odd steps, over the close, and back again, as after a clock that was set back.
      const seconds = Array.from({ length: 60 }, (_, step) => NINE_FIFTEEN + step * 397)
      for (const second of [...seconds, ...seconds.filter((_, at) => at % 7 === 0).reverse()]) {
        const fresh = testMarket('test', 'market')
        const [from, to] = ['2026-11-19', '2026-11-20']
        expect(asked.bars(contract, interval, from, to, second)).toEqual(
          fresh.bars(contractIn(fresh, 'NSE', 'SBIN'), interval, from, to, second),
        )
      }
    },
  )

  it('gives the minutes of finished sessions as the same list, and those of a running one anew', () => {
    const market = testMarket('test', 'market')
    const contract = contractIn(market, 'NSE', 'SBIN')
    const bars = (to: string, now: number) => market.bars(contract, '1m', '2026-11-18', to, now)
    const finished = bars('2026-11-19', NOW)
    expect(finished).toHaveLength(750)
    expect(bars('2026-11-19', NOW + 60)).toBe(finished)
    const fresh = testMarket('test', 'market')
    expect(fresh.bars(contractIn(fresh, 'NSE', 'SBIN'), '1m', '2026-11-18', '2026-11-19', NOW)).toEqual(
      finished,
    )
    const running = bars('2026-11-20', NOW)
    expect(bars('2026-11-20', NOW + 60)).toHaveLength(running.length + 1)
  })

  it('leaves out what a clock that was set back has not reached', () => {
    const market = testMarket('test', 'market')
    const contract = contractIn(market, 'NSE', 'SBIN')
    const bars = (now: number) => market.bars(contract, '1m', '2026-11-18', '2026-11-19', now)
    expect(bars(NOW)).toHaveLength(750)
    expect(bars(NOW - 86_400)).toHaveLength(375 + 106)
  })

  it('returns one bar per session for D, at IST midnight, without weekends', () => {
    const market = testMarket('test', 'market')
    const contract = contractIn(market, 'NSE', 'SBIN')
    const days = market.bars(contract, 'D', '2026-11-13', '2026-11-20', NOW)
    expect(days.map((bar) => new Date(bar.timestamp * 1000).toISOString())).toEqual(
      ['12', '15', '16', '17', '18', '19'].map((day) => `2026-11-${day}T18:30:00.000Z`),
    )
    const minutes = market.bars(contract, '1m', '2026-11-19', '2026-11-19', NOW)
    expect(days.at(-2)).toEqual({ ...join(minutes), timestamp: days.at(-2)?.timestamp })
    expect(days.at(-1)?.close).toBe(market.lastPrice(contract, NOW))
  })

  it('ends at the current second and has no bars of the future', () => {
    const market = testMarket('test', 'market')
    const contract = contractIn(market, 'NSE', 'SBIN')
    const bars = market.bars(contract, '1m', '2026-11-20', '2026-12-20', NINE_FIFTEEN)
    expect(bars).toHaveLength(1)
    expect(bars[0]).toMatchObject({
      timestamp: NINE_FIFTEEN,
      open: bars[0]?.close,
      volume: expect.any(Number),
    })
    expect(market.bars(contract, '1m', '2026-11-20', '2026-11-20', NINE_FIFTEEN - 1)).toEqual([])
  })

  it('of an expired contract ends at its expiry', () => {
    const market = testMarket('test', 'market')
    const contract = contractIn(market, 'NFO', 'NIFTY24NOV26FUT')
    const later = Date.parse('2026-11-27T12:00:00+05:30') / 1000
    const bars = market.bars(contract, '1m', '2026-11-24', '2026-11-27', later)
    expect(bars.at(-1)?.timestamp).toBe(Date.parse('2026-11-24T15:39:00+05:30') / 1000)
  })

  it.each([
    ['2m', '2026-11-20', '2026-11-20'],
    ['1m', '2026-11-21', '2026-11-20'],
    ['1m', 'yesterday', '2026-11-20'],
    ['1m', '2020-01-01', '2026-11-20'],
  ])('refuses %s from %s to %s', (interval, from, to) => {
    const market = testMarket()
    const contract = contractIn(market, 'NSE', 'SBIN')
    expect(() => market.bars(contract, interval, from, to, NOW)).toThrow(BrokerError)
  })
})

function join(bars: readonly Candle[]): Candle | undefined {
  const [first, last] = [bars[0], bars.at(-1)]
  if (!first || !last) return undefined
  return {
    timestamp: first.timestamp,
    open: first.open,
    high: Math.max(...bars.map((bar) => bar.high)),
    low: Math.min(...bars.map((bar) => bar.low)),
    close: last.close,
    volume: bars.reduce((sum, bar) => sum + bar.volume, 0),
    oi: last.oi,
  }
}
