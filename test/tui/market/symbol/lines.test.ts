import { expect, test } from 'vitest'
import { dayLine, factsLine, priceLine, toneOfQuote } from '../../../../src/tui/market/symbol/lines.js'
import { lastSession, pointsOf } from '../../../../src/tui/market/symbol/symbol-feed.js'

const QUOTE = { ltp: 812.5, close: 808, open: 808, volume: 123_456, at: 1000 }
const FACTS = {
  id: 1,
  symbol: 'NIFTY24NOV2626000CE',
  exchange: 'NFO',
  brsymbol: '',
  name: 'NIFTY',
  brexchange: 'NFO',
  token: '1',
  expiry: '24-NOV-26',
  strike: 26_000,
  lotsize: 65,
  instrumenttype: 'CE',
  tick_size: 0.05,
  freeze_qty: 1800,
}

test('the price has its change and its age', () => {
  expect(priceLine(QUOTE, 3000)).toBe('812.50  +4.50 (+0.56%)  2s old')
  expect(priceLine({ ltp: 10, at: 3000 }, 3000)).toBe('10.00  0s old')
})

test.each([
  [808, 'good'],
  [820, 'danger'],
  [812.5, undefined],
  [undefined, undefined],
])('a price after a close of %s has the tone %s', (close, tone) => {
  expect(toneOfQuote({ ltp: 812.5, at: 0, ...(close !== undefined && { close }) })).toBe(tone)
})

test('the day names what is known', () => {
  expect(dayLine(QUOTE)).toBe('open 808.00  prev 808.00  volume 1,23,456')
})

test('the facts name what decides an order', () => {
  expect(factsLine(FACTS)).toBe('CE  lot 65  freeze 1,800  tick 0.05  expiry 24-NOV-26  strike 26,000.00')
  const share = { ...FACTS, instrumenttype: 'EQ', expiry: '', strike: -0.01, freeze_qty: 0, lotsize: 1 }
  expect(factsLine(share)).toBe('EQ  lot 1  tick 0.05')
})

test('the last session is the last day of the bars, by Indian time', () => {
  const bars = ['2026-11-19T15:25+05:30', '2026-11-20T09:15+05:30', '2026-11-20T15:25+05:30'].map((time) => ({
    timestamp: Date.parse(time) / 1000,
    close: 1,
  }))
  expect(lastSession(bars)).toEqual(bars.slice(1))
  expect(lastSession([])).toEqual([])
})

test('the live price is the last point of its own session only', () => {
  const opened = Date.parse('2026-11-20T09:15+05:30')
  const bars = [{ timestamp: opened / 1000, close: 10 }]
  const first = { time: opened, value: 10 }
  expect(pointsOf(bars, { ltp: 11, at: opened + 5000 })).toEqual([first, { time: opened + 5000, value: 11 }])
  expect(pointsOf(bars, { ltp: 11, at: opened + 86_400_000 })).toEqual([first])
  expect(pointsOf(bars, undefined)).toEqual([first])
})
