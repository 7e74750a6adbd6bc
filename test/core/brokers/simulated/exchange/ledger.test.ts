import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ExchangeTrade } from '../../../../../src/core/brokers/simulated/exchange/exchange-order.js'
import { Ledger } from '../../../../../src/core/brokers/simulated/exchange/ledger.js'
import { fromMoney, timesQuantity, toMoney } from '../../../../../src/core/money/index.js'

let sequence = 0

function trade(values: Partial<ExchangeTrade>): ExchangeTrade {
  return {
    tradeId: `T${++sequence}`,
    orderId: 'S1',
    symbol: 'SBIN',
    exchange: 'NSE',
    action: 'BUY',
    quantity: 1,
    price: 100,
    product: 'MIS',
    multiplier: 1,
    timestamp: 0,
    ...values,
  }
}

const buy = (quantity: number, price: number) => trade({ quantity, price })
const sell = (quantity: number, price: number) => trade({ action: 'SELL', quantity, price })

describe('netting', () => {
  it.each([
    ['adds at the average price', [buy(100, 50), buy(50, 56)], 150, 52, 0],
    ['keeps the average on a partial exit', [buy(100, 50), buy(50, 56), sell(60, 55)], 90, 52, 180],
    [
      'realises all profit on a full exit',
      [buy(100, 50), buy(50, 56), sell(60, 55), sell(90, 49)],
      0,
      0,
      -90,
    ],
    ['opens the opposite position on a reversal', [buy(40, 200), sell(100, 210)], -60, 210, 400],
    ['covers a short', [buy(40, 200), sell(100, 210), buy(60, 204)], 0, 0, 760],
    ['covers a part of a short', [sell(200, 450.5), buy(80, 441)], -120, 450.5, 760],
  ])('%s', (_name, trades, quantity, averagePrice, realized) => {
    const ledger = new Ledger()
    for (const each of trades) ledger.apply(each)
    const position = ledger.position('SBIN', 'NSE', 'MIS')
    expect(position?.quantity).toBe(quantity)
    expect(quantity === 0 ? 0 : fromMoney(position?.cost ?? 0n) / Math.abs(quantity)).toBe(averagePrice)
    expect(fromMoney(position?.realized ?? 0n)).toBe(realized)
  })
})

const anyTrade = fc.record({
  symbol: fc.constantFrom('SBIN', 'INFY'),
  product: fc.constantFrom('MIS' as const, 'CNC' as const),
  action: fc.constantFrom('BUY' as const, 'SELL' as const),
  quantity: fc.integer({ min: 1, max: 500 }),
  price: fc.integer({ min: 1, max: 60_000 }).map((ticks) => Math.round(ticks * 5) / 100),
  turn: fc.boolean(),
})

describe('for any sequence of trades', () => {
  it('positions and holdings are the sum of the fills, and no unit of money is lost', () => {
    fc.assert(
      fc.property(fc.array(anyTrade, { maxLength: 60 }), (steps) => {
        const ledger = new Ledger()
        let cash = 0n
        const shares = new Map<string, number>()
        for (const { turn, ...values } of steps) {
          const held = shares.get(`${values.symbol}${values.product}`) ?? 0
          // Deliveries cannot be oversold: the exchange refuses that before the ledger.
          if (values.product === 'CNC' && values.action === 'SELL' && values.quantity > held) continue
          ledger.apply(trade(values))
          const value = timesQuantity(toMoney(values.price), values.quantity)
          cash += values.action === 'BUY' ? -value : value
          const signed = values.action === 'BUY' ? values.quantity : -values.quantity
          shares.set(`${values.symbol}${values.product}`, held + signed)
          if (turn) ledger.startSession()
        }
        for (const symbol of ['SBIN', 'INFY']) {
          const intraday = ledger.position(symbol, 'NSE', 'MIS')?.quantity ?? 0
          const delivered = ledger.holding(symbol, 'NSE')?.quantity ?? 0
          const delivering = ledger.position(symbol, 'NSE', 'CNC')?.quantity ?? 0
          expect(intraday).toBe(shares.get(`${symbol}MIS`) ?? 0)
          expect(delivered + delivering).toBe(shares.get(`${symbol}CNC`) ?? 0)
        }
        // Cash change = realised profit minus the cost of open positions.
        const tied = ledger.positions.reduce((sum, p) => sum + (p.quantity < 0 ? -p.cost : p.cost), 0n)
        expect(cash).toBe(ledger.realizedEver - ledger.settledCost - tied)
        expect(ledger.holdings.reduce((sum, h) => sum + h.cost, 0n)).toBe(ledger.settledCost)
      }),
      { numRuns: 300 },
    )
  })
})
