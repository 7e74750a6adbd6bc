import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type DayInstrument, type MinuteCloses, pnlOf, type Trade } from '../../../src/core/pnl/index.js'
import { istInstant, MINUTE_MS, SECOND_MS } from '../../../src/core/time/index.js'
import { DATE } from './day-support.js'
import { type PlainInstrument, paise, plainSeries } from './plain-reference.js'

const OPENS = istInstant(DATE, '09:00')
const QUARTER_PAST_NINE = istInstant(DATE, '09:15')
const MINUTES = 60

/** Whole shares, and fractions of coins. */
const units = fc.oneof(
  fc.integer({ min: 1, max: 500 }).map((shares) => BigInt(shares) * 100_000_000n),
  fc.bigInt({ min: 1n, max: 900_000_000n }),
)
const price = fc.bigInt({ min: 1n, max: 300_000_000n })
/** Often on a whole minute, where a trade meets the stamp of a bar. */
const at = fc.oneof(
  fc.integer({ min: 0, max: MINUTES }).map((minute) => OPENS + minute * MINUTE_MS),
  fc.integer({ min: 0, max: MINUTES * 60 }).map((second) => OPENS + second * SECOND_MS),
)
const trade: fc.Arbitrary<Trade> = fc.record({
  action: fc.constantFrom<Trade['action']>('BUY', 'SELL'),
  units,
  price,
  at,
})
/** Bars of a market with gaps. */
const bars: fc.Arbitrary<MinuteCloses> = fc
  .array(fc.option(price, { freq: 5 }), { maxLength: MINUTES })
  .map((closes) => {
    const rows = closes.flatMap((close, minute) =>
      close === null ? [] : [{ close, stamp: OPENS + minute * MINUTE_MS }],
    )
    return { stamps: rows.map(({ stamp }) => stamp), closes: rows.map(({ close }) => close) }
  })
const carried = fc.record({
  units: fc.tuple(units, fc.boolean()).map(([size, isLong]) => (isLong ? size : -size)),
  close: price,
})
const instrument: fc.Arbitrary<DayInstrument> = fc
  .record({
    trades: fc.array(trade, { maxLength: 12 }).map((all) => all.toSorted((a, b) => a.at - b.at)),
    carried: fc.option(carried, { nil: undefined, freq: 3 }),
    bars,
  })
  .filter((one) => one.trades.length > 0 || one.carried !== undefined)
const day = fc.record({
  instruments: fc.array(instrument, { minLength: 1, maxLength: 4 }),
  now: fc.integer({ min: 0, max: 2 * MINUTES }).map((minute) => OPENS + minute * MINUTE_MS),
})

const plainly = ({ bars: { closes, stamps }, carried, trades }: DayInstrument): PlainInstrument => ({
  trades: trades.map(({ action, units: quantity, price, at }) => ({ side: action, quantity, price, at })),
  carried: carried && { quantity: carried.units, close: carried.close },
  bars: stamps.map((at, index) => ({ at, close: closes[index] ?? 0n })),
})

it('a day of any trades and bars is equal to the plain reference, to the paisa', () => {
  fc.assert(
    fc.property(day, ({ instruments, now }) => {
      fc.pre(instruments.some(({ bars: { stamps } }) => stamps.length > 0))
      const { pnl_series: series } = pnlOf({ date: DATE, now, instruments, bookProfit: undefined })
      const plain = plainSeries(instruments.map(plainly), { quarterPastNine: QUARTER_PAST_NINE, now })
      expect(series).toEqual(plain.map(({ at: time, value }) => ({ time, value: paise(value) })))
    }),
    { numRuns: 1000 },
  )
})

it('the summary of any day fits its series', () => {
  fc.assert(
    fc.property(day, ({ instruments, now }) => {
      const {
        pnl_series: series,
        drawdown_series: falls,
        ...summary
      } = pnlOf({
        date: DATE,
        now,
        instruments,
        bookProfit: 0n,
      })
      const values = series.map(({ value }) => value)
      const depths = falls.map(({ value }) => value)
      expect(summary.current_mtm).toBe(values.at(-1) ?? 0)
      expect(summary.max_mtm).toBe(values.length === 0 ? 0 : Math.max(...values))
      expect(summary.min_mtm).toBe(values.length === 0 ? 0 : Math.min(...values))
      expect(summary.max_drawdown).toBe(Math.min(0, ...depths))
      expect(depths.every((depth) => depth <= 0)).toBe(true)
      expect(falls.map(({ time }) => time)).toEqual(series.map(({ time }) => time))
    }),
  )
})

it('when everything is sold, the last point is the difference between sales and purchases', () => {
  fc.assert(
    fc.property(instrument, bars, (one, { closes, stamps }) => {
      fc.pre(stamps.length > 0)
      const trades = one.trades
      const net = trades.reduce((sum, { action, units }) => sum + (action === 'BUY' ? units : -units), 0n)
      const last: Trade = {
        action: net > 0n ? 'SELL' : 'BUY',
        units: net > 0n ? net : -net,
        price: 10_000n,
        at: OPENS + 2 * MINUTES * MINUTE_MS,
      }
      const all = net === 0n ? trades : [...trades, last]
      fc.pre(all.length > 0)
      const earned = all.reduce(
        (sum, { action, price, units }) => sum + (action === 'SELL' ? price * units : -price * units),
        0n,
      )
      const now = last.at + MINUTE_MS
      const bars = { stamps: [...stamps, last.at], closes: [...closes, 10_000n] }
      const day = pnlOf({
        date: DATE,
        now,
        instruments: [{ trades: all, carried: undefined, bars }],
        bookProfit: undefined,
      })
      expect(day.current_mtm).toBe(paise(earned))
    }),
  )
})
