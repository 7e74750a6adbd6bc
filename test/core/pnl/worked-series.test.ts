import { describe, expect, it } from 'vitest'
import { toMoney } from '../../../src/core/money/index.js'
import { type DayInstrument, pnlOf } from '../../../src/core/pnl/index.js'
import { istInstant } from '../../../src/core/time/index.js'
import { barsAt, dayOf, trade, valuesOf } from './day-support.js'

const X = barsAt('09:15', [100, 100.8, 101.5, 101, 99, 99.6, 102])
const Y = barsAt('09:18', [200, 199, 201.4, 198])

const P1: DayInstrument = {
  trades: [trade('BUY', 10, 100, '09:16'), trade('SELL', 10, 99.6, '09:20')],
  carried: undefined,
  bars: X,
}
const P2: DayInstrument = { trades: [trade('SELL', 5, 200, '09:18')], carried: undefined, bars: Y }
const P4: DayInstrument = {
  trades: [trade('BUY', 10, 100, '09:16'), trade('SELL', 4, 101.5, '09:18')],
  carried: undefined,
  bars: X,
}
const P5: DayInstrument = {
  trades: [],
  carried: { units: 2_000_000_000n, close: toMoney(98) },
  bars: X,
}

describe('the worked series', () => {
  it.each([
    ['a long position, closed', [P1], [0, 8, 15, 10, -10, -4, -4]],
    ['a short position', [P2], [0, 0, 0, 0, 5, -7, 10]],
    ['both together', [P1, P2], [0, 8, 15, 10, -5, -11, 6]],
    ['a long position, closed in part: the rest keeps its value', [P4], [0, 8, 15, 10, 0, 3.6, 18]],
    ['a position carried from the day before', [P5], [40, 56, 70, 60, 20, 32, 80]],
  ])('of %s', (_name, instruments, expected) => {
    const { pnl_series } = pnlOf(dayOf(instruments, '09:21'))
    expect(valuesOf(pnl_series)).toEqual(expected.map((value, minute) => [`09:${15 + minute}`, value]))
  })

  it('of both together has its extremes, and how far it fell from its peak', () => {
    const { drawdown_series, pnl_series: _, ...summary } = pnlOf(dayOf([P1, P2], '09:21'))
    expect(valuesOf(drawdown_series).map(([, value]) => value)).toEqual([0, 0, 0, -5, -20, -26, -9])
    expect(summary).toEqual({
      current_mtm: 6,
      max_mtm: 15,
      max_mtm_time: '09:17',
      min_mtm: -11,
      min_mtm_time: '09:20',
      max_drawdown: -26,
    })
  })

  it('of a partial close ends at its highest', () => {
    expect(pnlOf(dayOf([P4], '09:21'))).toMatchObject({
      current_mtm: 18,
      max_mtm: 18,
      max_mtm_time: '09:21',
      min_mtm: 0,
      min_mtm_time: '09:15',
      max_drawdown: -15,
    })
  })

  it('of a carried position counts its drawdown from its peak', () => {
    expect(pnlOf(dayOf([P5], '09:21'))).toMatchObject({
      min_mtm: 20,
      min_mtm_time: '09:19',
      max_drawdown: -50,
    })
  })

  it('of a window between two bars has its realised profit from the next bar', () => {
    const trades = [trade('BUY', 10, 100, '09:16:10'), trade('SELL', 10, 101, '09:16:40')]
    const day = pnlOf(dayOf([{ trades, carried: undefined, bars: X }], '09:21'))
    expect(valuesOf(day.pnl_series)).toEqual([
      ['09:15', 0],
      ['09:17', 10],
      ['09:18', 10],
      ['09:19', 10],
      ['09:20', 10],
      ['09:21', 10],
    ])
    expect(day).toMatchObject({ current_mtm: 10, max_mtm: 10, max_mtm_time: '09:17' })
  })

  it('of a short position that was bought back has its profit', () => {
    const trades = [trade('SELL', 8, 50, '09:16:05'), trade('BUY', 8, 46.5, '09:16:30')]
    const day = pnlOf(dayOf([{ trades, carried: undefined, bars: X }], '09:21'))
    expect(day.current_mtm).toBe(28)
  })
})

describe('windows', () => {
  it('of a short position close first in, first out, and a larger purchase opens a long one', () => {
    const trades = [
      trade('SELL', 10, 100, '09:15'),
      trade('SELL', 10, 102, '09:16'),
      trade('BUY', 25, 101, '09:17:30'),
    ]
    const day = pnlOf(dayOf([{ trades, carried: undefined, bars: X }], '09:21'))
    // 10 x (100 - 101) + 10 x (102 - 101) realised, and 5 long from 101.
    expect(valuesOf(day.pnl_series).slice(-4)).toEqual([
      ['09:18', 0],
      ['09:19', -10],
      ['09:20', -7],
      ['09:21', 5],
    ])
  })

  it('of a sale larger than the long position open a short one with the rest', () => {
    const trades = [trade('BUY', 10, 100, '09:15'), trade('SELL', 15, 101, '09:17:30')]
    const day = pnlOf(dayOf([{ trades, carried: undefined, bars: X }], '09:21'))
    // 10 realised, and 5 short from 101.
    expect(valuesOf(day.pnl_series).slice(-4)).toEqual([
      ['09:18', 10],
      ['09:19', 20],
      ['09:20', 17],
      ['09:21', 5],
    ])
  })

  it('of a carried position close before those of the day', () => {
    const trades = [trade('BUY', 10, 101, '09:17'), trade('SELL', 20, 99, '09:19:30')]
    const carried = { units: 2_000_000_000n, close: toMoney(98) }
    const day = pnlOf(dayOf([{ trades, carried, bars: X }], '09:21'))
    // The 20 carried ones are sold at 99; the 10 of the day stay.
    expect(valuesOf(day.pnl_series).slice(-2)).toEqual([
      ['09:20', 20 - 14],
      ['09:21', 20 + 10],
    ])
  })

  it('that end after the last bar count in it, because no later bar shows them', () => {
    const trades = [trade('BUY', 10, 100, '09:16'), trade('SELL', 10, 103, '09:21:30')]
    const day = pnlOf(dayOf([{ trades, carried: undefined, bars: X }], '09:22'))
    expect(day.current_mtm).toBe(30)
  })
})

describe('a day', () => {
  it('with positions but without bars is a flat line from 09:00 at the profit of the position book', () => {
    const none = { ...P5, bars: { stamps: [], closes: [] } }
    const day = pnlOf({ ...dayOf([none], '09:03:20'), bookProfit: toMoney(-12.5) })
    expect(valuesOf(day.pnl_series)).toEqual([
      ['09:00', -12.5],
      ['09:01', -12.5],
      ['09:02', -12.5],
      ['09:03', -12.5],
    ])
  })

  it('before 09:00, with positions but without bars, has no point', () => {
    const none = { ...P5, bars: { stamps: [], closes: [] } }
    const day = pnlOf({ ...dayOf([none], '08:59'), bookProfit: toMoney(-12.5) })
    expect(day).toMatchObject({ current_mtm: 0, max_mtm_time: null, min_mtm_time: null, pnl_series: [] })
  })

  it('counts the realised profit of an instrument without bars from the next minute of the others', () => {
    const trades = [trade('BUY', 1, 10, '09:16:10'), trade('SELL', 1, 12, '09:17:10')]
    const dark = { trades, carried: undefined, bars: { stamps: [], closes: [] } }
    const day = pnlOf(dayOf([dark, { ...P1, trades: [trade('BUY', 1, 100, '09:16')] }], '09:21'))
    expect(valuesOf(day.pnl_series).slice(0, 4)).toEqual([
      ['09:15', 0],
      ['09:16', 0.8],
      ['09:17', 1.5],
      ['09:18', 3],
    ])
  })

  it('that begins before 09:15 has no zeros in front of it', () => {
    const bars = barsAt('09:00', [50, 51, 52])
    const instrument = { trades: [trade('BUY', 1, 50, '09:00')], carried: undefined, bars }
    const { pnl_series } = pnlOf(dayOf([instrument], '09:02'))
    expect(valuesOf(pnl_series)).toEqual([
      ['09:00', 0],
      ['09:01', 1],
      ['09:02', 2],
    ])
  })

  it('keeps the last value of an instrument where a bar is missing', () => {
    const { closes, stamps } = X
    const gap = (_: unknown, index: number) => index !== 3
    const bars = { stamps: stamps.filter(gap), closes: closes.filter(gap) }
    const held = { trades: [trade('BUY', 1, 100, '09:15')], carried: undefined, bars }
    const { pnl_series } = pnlOf(dayOf([held, { ...P2, trades: [trade('SELL', 1, 200, '09:18')] }], '09:21'))
    expect(valuesOf(pnl_series)[3]).toEqual(['09:18', 1.5])
  })

  it('has epoch milliseconds', () => {
    expect(pnlOf(dayOf([P1], '09:21')).pnl_series[0]?.time).toBe(istInstant('2026-11-20', '09:15'))
  })
})
