import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseBars, Recording } from '../../../../../src/core/brokers/simulated/replay/recording.js'
import { contractIn, testMarket } from '../support.js'

/** Columns in another order, one minute (09:17 IST) missing, rows unsorted. */
const CSV = `datetime,close,high,low,open,volume
2026-11-20 03:45:00+00:00,26010.2,26020.35,25990.1,26000.05,0.0
2026-11-20T03:46:00Z,25995,26015,25980,26010,0
2026-11-20 09:19:00+05:30,26031,26040,26001,26002.5,
2026-11-20 09:18:00+05:30,26002,26010,25999,26001,
`
const NIFTY = { symbol: 'NIFTY', exchange: 'NSE_INDEX' }
const at = (time: string) => Date.parse(`2026-11-20T${time}+05:30`) / 1000

function replaying(startAt?: number) {
  const market = testMarket('test', 'market')
  market.replay(NIFTY, new Recording(parseBars(CSV), startAt))
  return { market, nifty: contractIn(market, 'NSE_INDEX', 'NIFTY') }
}

const barsAt = (...times: readonly string[]) =>
  `datetime,open,high,low,close,volume\n${times.map((time) => `2026-11-20T${time}:00+05:30,1,1,1,1,0\n`).join('')}`

describe('a recording', () => {
  it('is parsed in any column order, with zones, and sorted', () => {
    expect(parseBars(CSV).map((bar) => [bar.timestamp, bar.open, bar.close])).toEqual([
      [at('09:15:00'), 26000.05, 26010.2],
      [at('09:16:00'), 26010, 25995],
      [at('09:18:00'), 26001, 26002],
      [at('09:19:00'), 26002.5, 26031],
    ])
  })

  it('is parsed as svc history writes it, also with a byte order mark', () => {
    const text =
      '\uFEFFtimestamp,open,high,low,close,volume,oi\n2026-11-20T09:15:00+05:30,83.2525,84,83,83.5,7,0\n'
    expect(parseBars(text)).toMatchObject([{ timestamp: at('09:15:00'), open: 83.2525, volume: 7 }])
  })

  it.each([
    ['a heading without a column', 'datetime,open,high,low,close\n', /lacks: volume/],
    [
      'a time without a zone',
      'datetime,open,high,low,close,volume\n2026-11-20 09:15:00,1,1,1,1,0\n',
      /line 2/,
    ],
    [
      'a high below the close',
      'datetime,open,high,low,close,volume\n2026-11-20T09:15:00Z,1,1,1,2,0\n',
      /line 2/,
    ],
    ['an invalid number', 'datetime,open,high,low,close,volume\n2026-11-20T09:15:00Z,1,x,1,1,0\n', /line 2/],
    ['bars of five minutes', barsAt('09:15', '09:20', '09:30'), /5 minutes apart/],
    ['bars of a day', `${barsAt('00:00')}2026-11-21T00:00:00+05:30,1,1,1,1,0\n`, /a day or more apart/],
  ])('refuses %s', (_name, csv, message) => {
    expect(() => parseBars(csv)).toThrow(message)
  })

  it('takes bars of one minute of which many are missing', () => {
    expect(parseBars(barsAt('09:15', '09:18', '09:20'))).toHaveLength(3)
    expect(parseBars(barsAt('09:15'))).toHaveLength(1)
  })

  it('moves open, low, high, close in a rising minute and open, high, low, close in a falling one', () => {
    const { market, nifty } = replaying()
    const price = (time: string) => market.lastPrice(nifty, at(time))
    expect(['09:15:00', '09:15:20', '09:15:40', '09:15:59'].map(price)).toEqual([
      26000.05, 25990.1, 26020.35, 26010.2,
    ])
    expect(['09:16:00', '09:16:20', '09:16:40', '09:16:59'].map(price)).toEqual([26010, 26015, 25980, 25995])
    for (let s = at('09:15:00'); s < at('09:16:00'); s++) {
      expect(market.lastPrice(nifty, s)).toBeGreaterThanOrEqual(25990.1)
      expect(market.lastPrice(nifty, s)).toBeLessThanOrEqual(26020.35)
    }
  })

  it('stays at the last close in a missing minute, and history has no bar for it', () => {
    const { market, nifty } = replaying()
    expect(market.lastPrice(nifty, at('09:17:30'))).toBe(25995)
    const bars = market.bars(nifty, '1m', '2026-11-20', '2026-11-20', at('10:00:00'))
    expect(bars).toEqual(parseBars(CSV))
    expect(market.bars(nifty, '5m', '2026-11-20', '2026-11-20', at('10:00:00'))).toEqual([
      { timestamp: at('09:15:00'), open: 26000.05, high: 26040, low: 25980, close: 26031, volume: 0, oi: 0 },
    ])
  })

  it('moves its futures and options', () => {
    const { market } = replaying()
    const call = contractIn(market, 'NFO', 'NIFTY24NOV2626000CE')
    const put = contractIn(market, 'NFO', 'NIFTY24NOV2626000PE')
    expect(market.lastPrice(call, at('09:15:40'))).toBeGreaterThan(market.lastPrice(call, at('09:15:20')))
    expect(market.lastPrice(put, at('09:15:40'))).toBeLessThan(market.lastPrice(put, at('09:15:20')))
  })

  it('plays at another time if requested', () => {
    const { market, nifty } = replaying(at('11:00:00') * 1000)
    expect(market.lastPrice(nifty, at('11:00:20'))).toBe(25990.1)
  })
})

const SHARED = process.env.SVC_TEST_BARS ?? ''

describe.skipIf(!existsSync(SHARED))('real recorded bars (SVC_TEST_BARS)', () => {
  it('are returned unchanged by history', () => {
    const bars = parseBars(readFileSync(SHARED, 'utf8'))
    const market = testMarket('test', 'market')
    market.replay(NIFTY, new Recording(bars))
    const nifty = contractIn(market, 'NSE_INDEX', 'NIFTY')
    const date = (bar: { timestamp: number } | undefined) =>
      new Date((bar?.timestamp ?? 0) * 1000).toISOString().slice(0, 10)
    const now = (bars.at(-1)?.timestamp ?? 0) + 59
    const played = market.bars(nifty, '1m', date(bars[0]), date(bars.at(-1)), now)
    const tick = (value: number) => Math.round(Math.round(value / 0.05) * 5) / 100
    expect(
      played.map(({ timestamp, open, high, low, close }) => [timestamp, open, high, low, close]),
    ).toEqual(
      bars.map(({ timestamp, ...bar }) => [
        timestamp,
        tick(bar.open),
        tick(bar.high),
        tick(bar.low),
        tick(bar.close),
      ]),
    )
  })
})
