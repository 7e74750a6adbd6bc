import { describe, expect, it } from 'vitest'
import {
  INTERVALS,
  PRICE_TYPE_BY_KITE,
  PRODUCT_TO_KITE,
  STATUS_BY_KITE,
} from '../../../../src/core/brokers/zerodha/mappings.js'
import { toOrder } from '../../../../src/core/brokers/zerodha/orders/rows.js'
import { orderRow } from '../../../../src/core/brokers/zerodha/wire.js'
import { PRICE_TYPES, PRODUCTS } from '../../../../src/core/orders/schema.js'
import { contextFor } from './rig.js'

const ROW = {
  order_id: '1',
  status: 'OPEN',
  exchange: 'NSE',
  tradingsymbol: 'INFY',
  order_type: 'LIMIT',
  transaction_type: 'BUY',
  product: 'CNC',
  quantity: 5,
  order_timestamp: '2025-09-04 10:15:00',
}

function read(changes: Record<string, unknown>) {
  const context = contextFor({})
  const order = toOrder(context, orderRow.parse({ ...ROW, ...changes }))
  return { order, lines: context.lines }
}

describe('statuses', () => {
  const cases = {
    COMPLETE: 'complete',
    REJECTED: 'rejected',
    CANCELLED: 'cancelled',
    'TRIGGER PENDING': 'trigger pending',
    OPEN: 'open',
    UPDATE: 'open',
    'PUT ORDER REQ RECEIVED': 'open',
    'VALIDATION PENDING': 'open',
    'OPEN PENDING': 'open',
    'MODIFY VALIDATION PENDING': 'open',
    'MODIFY PENDING': 'open',
    'CANCEL PENDING': 'open',
    'AMO REQ RECEIVED': 'open',
  }
  it.each(Object.entries(cases))('%s is %s', (kite, ours) => {
    expect(read({ status: kite })).toMatchObject({ order: { status: ours }, lines: [] })
  })
  it('the table has exactly these', () => {
    expect(STATUS_BY_KITE).toEqual(cases)
  })
  it.each(['SOMETHING NEW', 'constructor', ''])('an unknown status "%s" is open, and logged', (status) => {
    const { order, lines } = read({ status })
    expect(order.status).toBe('open')
    expect(lines).toEqual([
      {
        level: 'warn',
        event: 'broker.unknown_value',
        fields: { field: 'status', value: status, readAs: 'open' },
      },
    ])
  })
})

describe('what may still trade', () => {
  it.each([
    // Kite leaves the rest of an order that has ended.
    [{ status: 'CANCELLED', filled_quantity: 2, pending_quantity: 3 }, 0],
    [{ status: 'REJECTED', pending_quantity: 5 }, 0],
    [{ status: 'OPEN', filled_quantity: 2, pending_quantity: 3 }, 3],
    [{ status: 'PUT ORDER REQ RECEIVED' }, 5],
  ])('of %j is %i', (changes, rest) => {
    expect(read(changes).order.pendingQuantity).toBe(rest)
  })
})

describe('products and price types', () => {
  it("our names map to Kite's and back", () => {
    for (const product of PRODUCTS) expect(PRODUCT_TO_KITE[product]).toBe(product)
    for (const type of PRICE_TYPES) expect(PRICE_TYPE_BY_KITE[type]).toBe(type)
  })
  it.each(['CO', 'BO', 'MTF', 'NEW'])('a row in %s keeps this product', (product) => {
    const { order, lines } = read({ product })
    expect([order.product, lines]).toEqual([product, []])
  })
  it('the intervals are those of Kite', () => {
    expect(
      Object.entries(INTERVALS).map(([ours, { kite, chunkDays }]) => `${ours} ${kite} ${chunkDays}`),
    ).toEqual([
      '1m minute 60',
      '3m 3minute 100',
      '5m 5minute 100',
      '10m 10minute 100',
      '15m 15minute 200',
      '30m 30minute 200',
      '1h 60minute 400',
      'D day 2000',
    ])
  })
})

describe('rows of the order book', () => {
  it('absent and null fields are empty, times are IST', () => {
    expect(read({ tag: null, status_message: null, price: null }).order).toEqual({
      orderId: '1',
      symbol: 'INFY',
      exchange: 'NSE',
      action: 'BUY',
      quantity: 5,
      price: 0,
      triggerPrice: 0,
      priceType: 'LIMIT',
      product: 'CNC',
      status: 'open',
      filledQuantity: 0,
      pendingQuantity: 5,
      averagePrice: 0,
      rejectionReason: '',
      timestamp: Date.parse('2025-09-04T10:15:00+05:30'),
    })
  })
  it('the later time wins, and the reason of a rejection is kept', () => {
    const { order } = read({
      status: 'REJECTED',
      status_message: 'Insufficient funds.',
      exchange_update_timestamp: '2025-09-04 10:15:02',
    })
    expect(order).toMatchObject({
      status: 'rejected',
      rejectionReason: 'Insufficient funds.',
      timestamp: Date.parse('2025-09-04T10:15:02+05:30'),
    })
  })
  it('a contract has our symbol; one that the master lacks has the broker’s', () => {
    expect(read({ exchange: 'NFO', tradingsymbol: 'NIFTY30JAN24000CE' }).order.symbol).toBe(
      'NIFTY29JAN3024000CE',
    )
    expect(read({ tradingsymbol: 'DELISTED' }).order).toMatchObject({ symbol: 'DELISTED', exchange: 'NSE' })
  })
})
