import { describe, expect, test } from 'vitest'
import type { Direction } from '../../../../src/core/strategies/config/vocabulary.js'
import { chartink } from '../../../../src/core/strategies/webhook/senders/chartink.js'
import { tradingview } from '../../../../src/core/strategies/webhook/senders/tradingview.js'
import { leg, strategyWith } from './strategy.js'

const PARTIAL = /partial exit/
const POSITION_NEEDED = /'market_position' or 'position_size'/

function signalOf(body: Record<string, unknown>, direction: Direction = 'both'): unknown {
  const read = tradingview.translate({ leg_id: 1, ...body }, strategyWith({ direction }))
  return 'problem' in read ? read.problem : read[0].action
}

describe('an alert of a TradingView strategy', () => {
  test.each([
    ['buy', 'long', 'long_entry'],
    ['buy', 'flat', 'short_exit'],
    ['sell', 'short', 'short_entry'],
    ['sell', 'flat', 'long_exit'],
    [' BUY ', ' Long ', 'long_entry'],
  ])('%s to %s is %s, by the name and by the size of the position', (action, position, signal) => {
    expect(signalOf({ action, market_position: position })).toBe(signal)
    const sizes: Record<string, unknown> = { long: '12.5', short: -3, flat: '0' }
    expect(signalOf({ action, position_size: sizes[position.trim().toLowerCase()] })).toBe(signal)
  })

  test.each([
    ['buy', 'short'],
    ['sell', 'long'],
  ])(
    '%s to a position that stays %s is refused: the exit of a strategy closes the whole position',
    (action, position) => {
      expect(signalOf({ action, market_position: position })).toMatch(PARTIAL)
    },
  )

  test.each([
    ['long_only', 'buy', 'long_entry'],
    ['long_only', 'sell', 'long_exit'],
    ['short_only', 'sell', 'short_entry'],
    ['short_only', 'buy', 'short_exit'],
  ] as const)('without a position, a %s strategy reads %s as %s', (direction, action, signal) => {
    expect(signalOf({ action }, direction)).toBe(signal)
  })

  test('an order through zero ends the position of a strategy that cannot hold the other side', () => {
    expect(signalOf({ action: 'sell', market_position: 'short' }, 'long_only')).toBe('long_exit')
    expect(signalOf({ action: 'buy', market_position: 'long' }, 'short_only')).toBe('short_exit')
  })

  test.each([
    ['a leg that takes longs only', strategyWith({ legs: [leg({ side: 'long' })] })],
    ['shares that stay over the night', strategyWith({ product: 'CNC' })],
  ])('an order through zero ends the position of %s: nobody sends it again', (_, strategy) => {
    const body = { action: 'sell', market_position: 'short', symbol: 'SBIN' }
    expect(tradingview.translate(body, strategy)).toMatchObject([{ action: 'long_exit' }])
    expect(tradingview.translate({ ...body, leg_id: 1 }, strategy)).toMatchObject([{ action: 'long_exit' }])
  })

  test.each([
    [{ action: 'buy' }, POSITION_NEEDED],
    [{ action: 'buy', market_position: 'long', position_size: 0 }, /contradict/],
    [{ action: 'buy', market_position: '{{strategy.market_position}}' }, /'market_position' must be/],
    [{ action: 'sell', position_size: 'NaN' }, /'position_size' must be/],
    [{ action: 'sell', position_size: {} }, /'position_size' must be/],
    [{ action: 'hold' }, /'action' must be one of buy, sell/],
    [{}, /'action' must be one of buy, sell/],
  ])('%j is refused', (body, problem) => {
    expect(signalOf(body)).toMatch(problem)
  })

  test('the words of this service pass, and name, ticker and exchange are those of the leg', () => {
    expect(
      tradingview.translate({ action: 'Short_Exit', ticker: 'SBIN', exchange: 'NSE' }, strategyWith()),
    ).toEqual([{ action: 'short_exit', legId: undefined, symbol: 'SBIN', exchange: 'NSE' }])
  })

  test('beside a leg the ticker is only that of the chart, and a symbol is that of the leg', () => {
    const given = { action: 'long_entry', leg_id: 2, ticker: 'NIFTY' }
    const signal = { action: 'long_entry', legId: 2, symbol: undefined, exchange: undefined }
    expect(tradingview.translate(given, strategyWith())).toEqual([signal])
    expect(tradingview.translate({ ...given, symbol: 'SBIN' }, strategyWith())).toEqual([
      { ...signal, symbol: 'SBIN' },
    ])
  })
})

describe('an alert of a ChartInk scan', () => {
  const signals = (scan_name: unknown, stocks: unknown) =>
    chartink.translate({ scan_name, stocks }, strategyWith())

  test.each([
    ['Breakout buy', 'long_entry'],
    ['SELL the rest', 'long_exit'],
    ['weak: short', 'short_entry'],
    ['Cover', 'short_exit'],
    // The words are looked for in this order, whatever their place in the name.
    ['short and buy back', 'long_entry'],
    ['Short sell', 'long_exit'],
  ])('%s is %s', (name, action) => {
    expect(signals(name, 'SBIN')).toEqual([{ action, symbol: 'SBIN' }])
  })

  test('each symbol is a signal once', () => {
    expect(signals('BUY', ' sbin, INFY,,SBIN ,')).toEqual([
      { action: 'long_entry', symbol: 'SBIN' },
      { action: 'long_entry', symbol: 'INFY' },
    ])
  })

  test.each([
    ['Breakout', 'SBIN', /BUY, SELL, SHORT, COVER/],
    [undefined, 'SBIN', /BUY, SELL, SHORT, COVER/],
    ['BUY', ' , ,', /'stocks' must be a list/],
    ['BUY', ['SBIN'], /'stocks' must be a list/],
    ['BUY', Array.from({ length: 51 }, (_, index) => `S${index}`).join(), /more than 50/],
  ])('%j with %j is refused', (name, stocks, problem) => {
    const read = signals(name, stocks)
    expect('problem' in read ? read.problem : read).toMatch(problem)
  })
})
