import { describe, expect, test } from 'vitest'
import type { BrokerHolding, BrokerOrder, BrokerPosition } from '../../../../src/core/brokers/broker.js'
import { ApiRig } from '../../../daemon/operations/api-rig.js'

/* What an account at a broker holds of a contract and product: the positions of the day, and for delivery the holdings. */

const SBIN = { symbol: 'SBIN', exchange: 'NSE', product: 'CNC' } as const
const PRICES = { averagePrice: 800, ltp: 800, pnl: 0 }

function holding(exchange: string, openingQuantity: number, quantity = openingQuantity): BrokerHolding {
  return { symbol: 'SBIN', exchange, product: 'CNC', quantity, openingQuantity, ...PRICES }
}

function position(exchange: string, quantity: number, product: 'CNC' | 'MIS' = 'CNC'): BrokerPosition {
  return { symbol: 'SBIN', exchange, product, quantity, ...PRICES, realized: 0, unrealized: 0, dayPnl: 0 }
}

function sale(exchange: string, filledQuantity: number): BrokerOrder {
  return {
    ...SBIN,
    exchange,
    orderId: '1',
    action: 'SELL',
    quantity: filledQuantity,
    filledQuantity,
    price: 0,
    triggerPrice: 0,
    priceType: 'MARKET',
    status: 'complete',
    pendingQuantity: 0,
    averagePrice: 800,
    rejectionReason: '',
    timestamp: 0,
  }
}

/** Reads an account whose broker shows these books. */
async function read(books: {
  positions?: BrokerPosition[]
  holdings?: BrokerHolding[]
  orders?: BrokerOrder[]
}) {
  const rig = await ApiRig.open('live')
  const { brokers, orders } = rig.desk.service
  const { orders: book, portfolio } = brokers.client()
  portfolio.positions = async () => books.positions ?? []
  portfolio.holdings = async () => books.holdings ?? []
  book.list = async () => books.orders ?? []
  const question = { positions: [SBIN], orderRefs: [], ofRuns: async () => new Set<string>() }
  return rig.settled(orders.strategyOrders.positions.read({ mode: 'live', broker: 'simulated' }, question))
}

describe('delivery shares', () => {
  test('are what the account held in the morning, with the trades of the day, counted once', async () => {
    const state = await read({
      positions: [position('NSE', -7), position('NSE', 20, 'MIS')],
      holdings: [holding('NSE', 10, 3)],
    })
    expect(state.held(SBIN)).toBe(3)
    expect(state.held({ ...SBIN, product: 'MIS' })).toBe(20)
  })

  test('are held although the broker lists them under another exchange', async () => {
    const books = { holdings: [holding('BSE', 10)] }
    expect((await read(books)).held(SBIN)).toBe(10)
    // A sale there takes them away. A purchase of today there can only be sold there.
    const sold = await read({ ...books, positions: [position('BSE', -4)], orders: [sale('BSE', 4)] })
    expect([sold.held(SBIN), sold.byOthers(SBIN)]).toEqual([6, -4])
    expect((await read({ ...books, positions: [position('BSE', 4)] })).held(SBIN)).toBe(10)
  })
})
