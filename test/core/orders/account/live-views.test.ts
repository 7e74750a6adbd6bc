import { describe, expect, test } from 'vitest'
import type { BrokerHolding } from '../../../../src/core/brokers/broker.js'
import {
  holdingStatistics,
  liveHolding,
  liveTrade,
  newestFirst,
} from '../../../../src/core/orders/account/live-views.js'

describe('the value of a trade is exact, half a paisa up', () => {
  test.each([
    [84.3025, 6, 505.82],
    [84.3025, 2, 168.61],
    [84.3075, 2, 168.62],
    [83.0025, 1, 83],
    [83.0075, 1, 83.01],
    [1.005, 1, 1.01],
    [0.0025, 2, 0.01],
    [0.05, 3, 0.15],
    [812.4, 10, 8124],
    [99_999.95, 99_999, 9_999_895_000.05],
    [64_000.5, 0.001, 64],
  ])('%d x %d = %d', (price, quantity, trade_value) => {
    const trade = {
      tradeId: '1',
      orderId: '2',
      symbol: 'USDINR30MAR26FUT',
      exchange: 'CDS',
      action: 'BUY',
      quantity,
      price,
      product: 'NRML',
      timestamp: 0,
    } as const
    expect(liveTrade(trade)).toMatchObject({ average_price: price, quantity, trade_value })
  })
})

const holding = (fields: Partial<BrokerHolding>): BrokerHolding => ({
  symbol: 'SBIN',
  exchange: 'NSE',
  product: 'CNC',
  quantity: 1,
  openingQuantity: 1,
  averagePrice: 0,
  ltp: 0,
  pnl: 0,
  ...fields,
})

describe('holdings', () => {
  test('are shown in whole paise, halves away from zero', () => {
    expect(
      liveHolding(holding({ averagePrice: 1.005, ltp: 84.3025, pnl: -1.005, quantity: 3 })),
    ).toMatchObject({
      average_price: 1.01,
      ltp: 84.3,
      pnl: -1.01,
      pnlpercent: -33.33,
    })
  })

  test('add up without the errors of floats, and to the places an average price has', () => {
    const tenths = Array.from({ length: 10 }, () => holding({ averagePrice: 0.1, ltp: 0.7025, pnl: 0.1 }))
    expect(holdingStatistics(tenths)).toEqual({
      totalholdingvalue: 7.03,
      totalinvvalue: 1,
      totalprofitandloss: 1,
      totalpnlpercentage: 100,
    })
    const many = holding({ averagePrice: 84.30253333, quantity: 60_000 })
    expect(holdingStatistics([many]).totalinvvalue).toBe(5_058_152)
  })

  test('none is nothing, not a division by zero', () => {
    expect(Object.values(holdingStatistics([]))).toEqual([0, 0, 0, 0])
  })
})

test('orders come newest first, and those of one second by their ids, in whatever order the book is', () => {
  const rows = [
    { orderId: '999', timestamp: 1000 },
    { orderId: '1001', timestamp: 1000 },
    { orderId: '1000', timestamp: 1000 },
    { orderId: '5', timestamp: 3000 },
    { orderId: 'NOTE', timestamp: 0 },
  ]
  const newest = ['5', '1001', '1000', '999', 'NOTE']
  expect(newestFirst(rows).map(({ orderId }) => orderId)).toEqual(newest)
  expect(newestFirst(rows.toReversed()).map(({ orderId }) => orderId)).toEqual(newest)
})
