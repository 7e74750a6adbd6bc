import { describe, expect, it } from 'vitest'
import {
  closablePositions,
  fundRecord,
  holdingRecords,
  orderRecords,
  pastOrderRecords,
  pastTradeRecords,
  positionRecords,
  tradeRecords,
  valueAt,
} from '../../../src/client/answers/records.js'
import { istInstant } from '../../../src/core/time/index.js'

const NOW = istInstant('2026-11-23', '10:00:00')
const instrument = { symbol: 'SBIN', exchange: 'NSE', product: 'MIS' }
const statistics = {
  total_buy_orders: 1,
  total_sell_orders: 0,
  total_completed_orders: 1,
  total_open_orders: 0,
  total_rejected_orders: 0,
}
const order = {
  ...instrument,
  orderid: '1',
  action: 'BUY' as const,
  quantity: 10,
  price: 0,
  trigger_price: 0,
  pricetype: 'MARKET',
  order_status: 'complete' as const,
  average_price: 812.4,
  filled_quantity: 10,
  pending_quantity: 0,
  rejection_reason: '',
  timestamp: '2026-11-23 09:20:00',
}
const trade = {
  ...instrument,
  orderid: '1',
  action: 'BUY' as const,
  quantity: 10,
  average_price: 812.4,
  trade_value: 8124,
}
const position = { ...instrument, quantity: -10, average_price: 800, ltp: 812, pnl: -120 }
const profit = { unrealized_pnl: -120, today_realized_pnl: 0, total_pnl_today: -120 }
const totals = {
  total_pnl: -120,
  total_unrealized_pnl: -120,
  total_today_realized_pnl: 0,
  total_pnl_today: -120,
}
const holding = {
  ...instrument,
  product: 'CNC',
  quantity: 4,
  average_price: 500,
  ltp: 510.5,
  pnl: 42,
  pnlpercent: 2.1,
}
const holdings = {
  totalholdingvalue: 2042,
  totalinvvalue: 2000,
  totalprofitandloss: 42,
  totalpnlpercentage: 2.1,
}

/** Every noun of the account as the daemon answers live and in Analyzer mode. */
const NOUNS: Record<string, { live: object[]; analyze: object[] }> = {
  order: {
    live: orderRecords({ status: 'success', data: { orders: [order], statistics } }),
    analyze: orderRecords({
      status: 'success',
      mode: 'analyze',
      data: { orders: [{ ...order, price: 812.4, strategy: 'demo' }], statistics },
    }),
  },
  trade: {
    live: tradeRecords({ status: 'success', data: [{ ...trade, timestamp: '09:20:00' }] }, NOW),
    analyze: tradeRecords(
      {
        status: 'success',
        mode: 'analyze',
        data: [{ ...trade, tradeid: 'T1', price: 812.4, timestamp: '2026-11-23 09:20:00' }],
      },
      NOW,
    ),
  },
  position: {
    live: positionRecords({ status: 'success', data: [position] }),
    analyze: positionRecords({
      status: 'success',
      mode: 'analyze',
      ...totals,
      data: [{ ...position, ...profit, pnlpercent: -1.5, lot_size: 1 }],
    }),
  },
  holding: {
    live: holdingRecords({ status: 'success', data: { holdings: [holding], statistics: holdings } }),
    analyze: holdingRecords({
      status: 'success',
      mode: 'analyze',
      data: {
        holdings: [{ ...holding, current_value: 2042, settlement_date: '2026-11-24' }],
        statistics: holdings,
      },
    }),
  },
  fund: {
    live: [
      fundRecord({
        status: 'success',
        data: {
          availablecash: '1000.00',
          collateral: '0.00',
          m2munrealized: '-7.88',
          m2mrealized: '3.27',
          utiliseddebits: '679.34',
        },
      }),
    ],
    analyze: [
      fundRecord({
        status: 'success',
        mode: 'analyze',
        data: {
          availablecash: 1000,
          collateral: 0,
          m2munrealized: -7.88,
          m2mrealized: 3.27,
          utiliseddebits: 679.34,
          total_realized_pnl: 3.27,
          today_realized_pnl: 3.27,
          grossexposure: 0,
          totalpnl: -4.61,
          last_reset: '2026-11-22 09:00:00',
          reset_count: 0,
        },
      }),
    ],
  },
}

describe.each(Object.entries(NOUNS))('a %s', (_noun, { live, analyze }) => {
  it('is the same record live and in Analyzer mode, but for its mode', () => {
    expect(live).toEqual(analyze.map((row) => ({ ...row, mode: 'live' })))
    expect(live.map((row) => Object.keys(row))).toEqual(analyze.map((row) => Object.keys(row)))
  })
})

describe('times of trades', () => {
  it.each([
    ['09:20:00', '2026-11-23T09:20:00+05:30'],
    ['10:00:59', '2026-11-23T10:00:59+05:30'],
    ['23:50:00', '2026-11-22T23:50:00+05:30'],
    ['2026-11-20 23:50:00', '2026-11-20T23:50:00+05:30'],
  ])('%s, read at 10:00 on 23 November, is %s', (timestamp, expected) => {
    const [record] = tradeRecords({ status: 'success', data: [{ ...trade, timestamp }] }, NOW)
    expect(record?.timestamp).toBe(expected)
  })
})

it('sold delivery shares are no position that a close of positions closes', () => {
  const row = { symbol: 'SBIN', exchange: 'NSE', average_price: 0, ltp: 0, pnl: 0, pnlpercent: 0 }
  const rows = [
    { ...row, product: 'CNC', quantity: -7, mode: 'live' as const },
    { ...row, product: 'CNC', quantity: 7, mode: 'live' as const },
    { ...row, product: 'MIS', quantity: -7, mode: 'live' as const },
    { ...row, product: 'MIS', quantity: 0, mode: 'live' as const },
  ]
  expect(closablePositions(rows)).toEqual(rows.slice(1, 3))
})

it('a position has the gain of what is open in percent, whatever the day has realised', () => {
  const percentOf = (quantity: number, ltp: number) => {
    const row = { ...position, quantity, average_price: 983.5, ltp, pnl: -7367.25 }
    const answers = [
      { status: 'success' as const, data: [row] },
      {
        ...{ status: 'success' as const, mode: 'analyze' as const, ...totals },
        data: [{ ...row, ...profit, pnlpercent: -149.82, lot_size: 1 }],
      },
    ]
    return answers.map((answer) => positionRecords(answer)[0]?.pnlpercent)
  }
  expect(percentOf(5, 983.9)).toEqual([0.04, 0.04])
  expect(percentOf(-5, 993.335)).toEqual([-1, -1])
  expect(percentOf(5, 0)).toEqual([null, null])
})

it('a closed position has no percentage', () => {
  const flat = { ...position, quantity: 0, average_price: 0, pnl: 12 }
  expect(positionRecords({ status: 'success', data: [flat] })[0]?.pnlpercent).toBeNull()
  const simulated = { ...flat, ...profit, pnlpercent: 0, lot_size: 1 }
  const [record] = positionRecords({ status: 'success', mode: 'analyze', ...totals, data: [simulated] })
  expect(record?.pnlpercent).toBeNull()
})

it.each([
  ['open', 6],
  ['trigger pending', 6],
  ['complete', 0],
  ['cancelled', 0],
] as const)('a past order that is %s has %d pending', (order_status, pending) => {
  const order = {
    orderid: '1',
    timestamp: '2026-11-20T04:00:00.000Z',
    symbol: 'SBIN',
    exchange: 'NSE',
    action: 'BUY',
    product: 'MIS',
    quantity: 10,
    average_price: 0,
    strategy: 's',
    pricetype: 'SL-M',
    filled_quantity: 4,
    price: 0,
    trigger_price: 900,
    order_status,
    rejection_reason: '',
  }
  const [record] = pastOrderRecords({ status: 'success', mode: 'analyze', data: [order], next_before: null })
  expect(record).toMatchObject({ pending_quantity: pending, timestamp: '2026-11-20T09:30:00+05:30' })
})

describe('a contract that is worth a part of its price', () => {
  const perpetual = { ...position, exchange: 'CRYPTO', quantity: -10, contract_value: 0.001, pnl: -0.12 }

  it('has its P&L in percent of its cost, and keeps its multiplier', () => {
    const [row] = positionRecords({ status: 'success', data: [perpetual] })
    expect(row).toMatchObject({ contract_value: 0.001, pnlpercent: -1.5 })
    expect(valueAt(perpetual, 812)).toBeCloseTo(8.12, 9)
    expect(valueAt({ quantity: -10 }, 812)).toBe(8120)
  })

  it('counts in the value of a past trade', () => {
    const { trade_value: _, ...past } = { ...trade, strategy: 'x', timestamp: '2026-11-23T04:00:00.000Z' }
    const answer = { status: 'success', mode: 'live', next_before: null } as const
    const [row] = pastTradeRecords({ ...answer, data: [{ ...past, contract_value: 0.001 }] })
    expect(row?.trade_value).toBe(8.12)
  })
})
