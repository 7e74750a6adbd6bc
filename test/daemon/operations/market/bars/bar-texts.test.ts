import { describe, expect, it } from 'vitest'
import type { Candle } from '../../../../../src/core/market/index.js'
import { BarTexts } from '../../../../../src/daemon/operations/market/bars/bar-texts.js'

const MIDNIGHT = Date.parse('2026-11-23T00:00:00+05:30') / 1000
const DAY_SECONDS = 86_400

/** Returns so many one-minute bars from 9:15 of a day of that week. */
function barsOf(day: number, count: number): Candle[] {
  const open = MIDNIGHT + day * DAY_SECONDS + 9.25 * 3600
  return Array.from({ length: count }, (_, minute) => ({
    timestamp: open + minute * 60,
    open: 970.4,
    high: 971.05 + minute / 100,
    low: 0,
    close: 970.4,
    volume: 1e21,
    oi: minute,
  }))
}

const textOf = (bars: readonly Candle[]) => JSON.stringify({ status: 'success', data: bars })
/** Returns the text of an answer with the days of bars. */
const answered = (texts: BarTexts, series: string, bars: readonly Candle[]) =>
  `{"status":"success","data":[${[...texts.days(series, bars)].join(',')}]}`
const copied = (bars: readonly Candle[]) => bars.map((bar) => ({ ...bar }))

describe('the text of bars', () => {
  it.each<[string, Candle[]]>([
    ['no bars', []],
    ['one bar', barsOf(0, 1)],
    ['a day', barsOf(0, 375)],
    ['days with a gap', [...barsOf(0, 3), ...barsOf(1, 2), ...barsOf(4, 1)]],
    [
      'bars on both sides of midnight in India',
      barsOf(0, 2).map((bar, place) => ({ ...bar, timestamp: MIDNIGHT - 60 + place * 60 })),
    ],
  ])('is their JSON: %s', (_what, bars) => {
    const texts = new BarTexts()
    expect(answered(texts, 'NSE:SBIN:1m', bars)).toBe(textOf(bars))
    expect(answered(texts, 'NSE:SBIN:1m', copied(bars))).toBe(textOf(bars))
  })

  it.each(['timestamp', 'open', 'high', 'low', 'close', 'volume', 'oi'] as const)(
    'follows a bar whose %s has changed',
    (field) => {
      const texts = new BarTexts()
      const bars = [...barsOf(0, 3), ...barsOf(1, 3)]
      answered(texts, 'NSE:SBIN:1m', bars)
      const changed = bars.map((bar, place) => (place === 4 ? { ...bar, [field]: bar[field] + 1 } : bar))
      expect(answered(texts, 'NSE:SBIN:1m', changed)).toBe(textOf(changed))
    },
  )

  it('follows a day that grows and one that loses a bar', () => {
    const texts = new BarTexts()
    for (const count of [2, 3, 1, 3]) {
      const bars = [...barsOf(0, 2), ...barsOf(1, count)]
      expect(answered(texts, 'NSE:SBIN:1m', bars)).toBe(textOf(bars))
    }
  })

  it('is separate for each symbol and interval', () => {
    const texts = new BarTexts()
    const other = barsOf(0, 2).map((bar) => ({ ...bar, close: 1 }))
    answered(texts, 'NSE:SBIN:1m', barsOf(0, 2))
    expect(answered(texts, 'NSE:INFY:1m', other)).toBe(textOf(other))
    expect(answered(texts, 'NSE:SBIN:1m', barsOf(0, 2))).toBe(textOf(barsOf(0, 2)))
  })

  it('is made once, and again when many others were made since', () => {
    const texts = new BarTexts()
    let made = 0
    /** Bars whose text cannot be made without being counted. */
    const counted = barsOf(0, 375).map((bar) =>
      Object.defineProperty({ ...bar }, 'toJSON', {
        value: () => {
          made++
          return bar
        },
      }),
    )
    answered(texts, 'NSE:SBIN:1m', counted)
    answered(texts, 'NSE:SBIN:1m', counted)
    expect(made).toBe(375)
    for (let symbol = 0; symbol < 200; symbol++) answered(texts, `NSE:S${symbol}:1m`, barsOf(0, 375))
    expect(answered(texts, 'NSE:SBIN:1m', counted)).toBe(textOf(barsOf(0, 375)))
    expect(made).toBe(750)
  })
})
