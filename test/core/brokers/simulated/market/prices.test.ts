import { describe, expect, it } from 'vitest'
import { contractIn, FRIDAY_11, testMarket } from '../support.js'

const SECOND = FRIDAY_11 / 1000
const SYMBOLS = [
  ['NSE', 'SBIN'],
  ['NSE', 'INFY'],
  ['NSE_INDEX', 'NIFTY'],
  ['NFO', 'NIFTY24NOV26FUT'],
  ['NFO', 'NIFTY24NOV2626000CE'],
  ['NFO', 'NIFTY24NOV2626000PE'],
  ['CDS', 'USDINR27NOV26FUT'],
  ['CRYPTO', 'BTCUSDFUT'],
] as const

describe('prices', () => {
  it('are the same for the same seed and second, in any order of requests', () => {
    const [forwards, backwards] = [testMarket('a'), testMarket('a')]
    const seconds = Array.from({ length: 300 }, (_, i) => SECOND + i * 7)
    for (const [exchange, symbol] of SYMBOLS) {
      const there = seconds.map((s) => forwards.lastPrice(contractIn(forwards, exchange, symbol), s))
      const back = seconds
        .toReversed()
        .map((s) => backwards.lastPrice(contractIn(backwards, exchange, symbol), s))
      expect(back.toReversed()).toEqual(there)
    }
  })

  it('differ between seeds', () => {
    const prices = (seed: string) => {
      const market = testMarket(seed)
      return [1, 2, 3].map((day) =>
        market.lastPrice(contractIn(market, 'NSE', 'SBIN'), SECOND + day * 86_400),
      )
    }
    expect(prices('a')).not.toEqual(prices('b'))
  })

  it.each(SYMBOLS)('are whole ticks, at least one: %s:%s', (exchange, symbol) => {
    const market = testMarket()
    const contract = contractIn(market, exchange, symbol)
    for (let s = SECOND; s < SECOND + 600; s++) {
      const price = market.lastPrice(contract, s)
      expect(Math.abs(price / contract.tick - Math.round(price / contract.tick))).toBeLessThan(1e-6)
      expect(price).toBeGreaterThanOrEqual(contract.tick)
      expect(String(price).length).toBeLessThan(10)
    }
  })

  it('move as much per day as the volatility says, and stay around the base price', () => {
    const returns: number[] = []
    for (let seed = 0; seed < 20; seed++) {
      const market = testMarket(`volatility ${seed}`)
      const contract = contractIn(market, 'NSE', 'SBIN')
      for (let day = 0; day < 60; day++) {
        const from = market.lastPrice(contract, SECOND + day * 86_400)
        const to = market.lastPrice(contract, SECOND + (day + 1) * 86_400)
        returns.push(Math.log(to / from))
        expect(Math.abs(Math.log(from / 800))).toBeLessThan(0.3)
      }
    }
    const deviation = Math.sqrt(returns.reduce((sum, r) => sum + r * r, 0) / returns.length)
    const daily = 0.24 / Math.sqrt(365)
    expect(deviation / daily).toBeGreaterThan(0.85)
    expect(deviation / daily).toBeLessThan(1.15)
  })

  it('of one company on two exchanges agree', () => {
    const market = testMarket()
    expect(market.lastPrice(contractIn(market, 'BSE', 'SBIN'), SECOND)).toBe(
      market.lastPrice(contractIn(market, 'NSE', 'SBIN'), SECOND),
    )
  })

  it('of futures include interest over spot, and of call and put match the future (put-call parity)', () => {
    const market = testMarket()
    const price = (exchange: string, symbol: string) =>
      market.lastPrice(contractIn(market, exchange, symbol), SECOND)
    const [spot, future] = [price('NSE_INDEX', 'NIFTY'), price('NFO', 'NIFTY24NOV26FUT')]
    expect(future).toBeGreaterThan(spot)
    expect(future / spot).toBeLessThan(1.002)
    const parity = price('NFO', 'NIFTY24NOV2626000CE') - price('NFO', 'NIFTY24NOV2626000PE')
    expect(Math.abs(parity - (future - 26000))).toBeLessThan(0.5)
    expect(price('NFO', 'NIFTY24NOV2628000CE')).toBeLessThan(price('NFO', 'NIFTY24NOV2626000CE'))
  })

  it('of options end at their payoff at expiry', () => {
    const market = testMarket()
    const expiry = Date.parse('2026-11-24T15:40:00+05:30') / 1000
    const spot = market.lastPrice(contractIn(market, 'NSE_INDEX', 'NIFTY'), expiry - 1)
    for (const [symbol, worth] of [
      ['NIFTY24NOV2626000CE', spot - 26000],
      ['NIFTY24NOV2626000PE', 26000 - spot],
    ] as const) {
      const contract = contractIn(market, 'NFO', symbol)
      expect(Math.abs(market.settlementPrice(contract) - Math.max(0, worth))).toBeLessThanOrEqual(0.06)
      expect(market.hasExpired(contract, expiry)).toBe(true)
      expect(market.lastPrice(contract, expiry + 86_400)).toBe(market.lastPrice(contract, expiry - 1))
    }
  })
})

describe('a quote', () => {
  it.each(SYMBOLS)('is consistent: %s:%s', (exchange, symbol) => {
    const market = testMarket()
    const contract = contractIn(market, exchange, symbol)
    let volume = 0
    for (const s of [SECOND, SECOND + 1, SECOND + 59, SECOND + 3600]) {
      const quote = market.quoteWithDepth(contract, s)
      expect(quote.low).toBeLessThanOrEqual(Math.min(quote.ltp, quote.open))
      expect(quote.high).toBeGreaterThanOrEqual(Math.max(quote.ltp, quote.open))
      expect(quote.volume).toBeGreaterThanOrEqual(volume)
      expect(quote.timestamp).toBe(s * 1000)
      volume = quote.volume
      if (contract.kind === 'index') {
        expect(quote).toMatchObject({ bid: 0, ask: 0, volume: 0, depth: { buy: [], sell: [] } })
        continue
      }
      expect(quote.bid).toBeLessThanOrEqual(quote.ltp)
      expect(quote.ask).toBeGreaterThanOrEqual(quote.ltp)
      expect(quote.depth.buy).toHaveLength(5)
      expect(quote.depth.sell[0]).toMatchObject({ price: quote.ask, quantity: quote.askSize })
      const spread = Math.round((quote.ask - quote.bid) / contract.tick)
      expect(spread).toBeGreaterThanOrEqual(1)
      expect(spread).toBeLessThanOrEqual(3)
      for (const side of [quote.depth.buy, quote.depth.sell.toReversed()]) {
        const prices = side.map((level) => level.price)
        expect(prices).toEqual([...new Set(prices)].sort((a, b) => b - a))
        for (const level of side) expect(level.quantity % contract.lot).toBeCloseTo(0)
      }
    }
  })

  it('has the last price of the previous session as the previous close', () => {
    const market = testMarket('test', 'market')
    const contract = contractIn(market, 'NSE', 'SBIN')
    const thursdayClose = Date.parse('2026-11-19T15:29:59+05:30') / 1000
    expect(market.quote(contract, SECOND).prevClose).toBe(market.lastPrice(contract, thursdayClose))
    expect(market.previousClose(contract, SECOND)).toBe(market.lastPrice(contract, thursdayClose))
  })

  it('at any second has the same high, low and volume as the ticks added up one by one', () => {
    const [stepping, jumping] = [testMarket(), testMarket()]
    const contract = contractIn(stepping, 'NFO', 'NIFTY24NOV2626000PE')
    const midnight = Date.parse('2026-11-20T00:00:00+05:30') / 1000
    for (let s = midnight; s < midnight + 700; s++) stepping.quote(contract, s)
    const jumped = jumping.quote(contractIn(jumping, 'NFO', 'NIFTY24NOV2626000PE'), midnight + 700)
    expect(stepping.quote(contract, midnight + 700)).toEqual(jumped)
  })
})

describe('market hours', () => {
  it.each([
    ['NSE', 'SBIN', '2026-11-20T09:14:59+05:30', false],
    ['NSE', 'SBIN', '2026-11-20T09:15:00+05:30', true],
    ['NSE', 'SBIN', '2026-11-20T15:29:59+05:30', true],
    ['NSE', 'SBIN', '2026-11-20T15:30:00+05:30', false],
    ['NFO', 'NIFTY24NOV26FUT', '2026-11-20T15:39:59+05:30', true],
    ['NFO', 'NIFTY24NOV26FUT', '2026-11-20T15:40:00+05:30', false],
    ['CDS', 'USDINR27NOV26FUT', '2026-11-20T16:59:59+05:30', true],
    ['NSE', 'SBIN', '2026-11-21T11:00:00+05:30', false],
    ['CRYPTO', 'BTCUSDFUT', '2026-11-22T03:00:00+05:30', true],
  ])('%s %s at %s', (exchange, symbol, at, open) => {
    const second = Date.parse(at) / 1000
    const [kept, always] = [testMarket('test', 'market'), testMarket()]
    expect(kept.isOpen(contractIn(kept, exchange, symbol), second)).toBe(open)
    expect(always.isOpen(contractIn(always, exchange, symbol), second)).toBe(true)
  })

  it('keep the price at the close until the next session', () => {
    const market = testMarket('test', 'market')
    const contract = contractIn(market, 'NSE', 'SBIN')
    const friday = Date.parse('2026-11-20T15:29:59+05:30') / 1000
    const sunday = Date.parse('2026-11-22T12:00:00+05:30') / 1000
    expect(market.quote(contract, sunday)).toEqual(market.quote(contract, friday))
  })
})
