import { describe, expect, it } from 'vitest'
import { Icebergs } from '../../../../../src/core/brokers/zerodha/orders/iceberg.js'
import { orderRow } from '../../../../../src/core/brokers/zerodha/wire.js'

/** A leg of four shares of an order of eight; it is filled unless the changes say otherwise. */
const leg = (place: 1 | 2, changes: object = {}) =>
  orderRow.parse({
    order_id: `9${place}`,
    parent_order_id: place === 1 ? null : '91',
    variety: 'iceberg',
    status: 'COMPLETE',
    exchange: 'NSE',
    tradingsymbol: 'INFY',
    order_type: 'LIMIT',
    transaction_type: 'BUY',
    product: 'CNC',
    quantity: 4,
    filled_quantity: 4,
    average_price: 1400,
    price: 1400,
    meta: { iceberg: { leg: place, total_quantity: 8 } },
    ...changes,
  })
const UNPRICED = { average_price: 0 }

describe('an iceberg', () => {
  it('takes the price of a filled leg that is told later', () => {
    const icebergs = new Icebergs()
    icebergs.merged([leg(1), leg(2, UNPRICED)])
    const [whole] = icebergs.merged([leg(1), leg(2, { average_price: 1390 })])
    expect(whole).toMatchObject({ status: 'COMPLETE', filled_quantity: 8, average_price: 1395 })
  })

  it('has no price while that of a filled leg is missing', () => {
    const [whole] = new Icebergs().merged([leg(1), leg(2, UNPRICED)])
    expect(whole).toMatchObject({ status: 'COMPLETE', filled_quantity: 8, average_price: 0 })
  })

  it('takes the price alone of an update that is late', () => {
    const icebergs = new Icebergs()
    icebergs.merged([leg(1), leg(2, UNPRICED)])
    expect(icebergs.merged([leg(2, { status: 'OPEN' })])).toMatchObject([
      { order_id: '91', status: 'COMPLETE', average_price: 1400 },
    ])
  })

  it('keeps a leg that is final, and its price', () => {
    const icebergs = new Icebergs()
    icebergs.merged([leg(1), leg(2)])
    const late = leg(2, { status: 'OPEN', filled_quantity: 2, average_price: 1380 })
    expect(icebergs.merged([late])).toMatchObject([
      { status: 'COMPLETE', filled_quantity: 8, average_price: 1400 },
    ])
    expect(icebergs.merged([leg(2, UNPRICED)])).toMatchObject([{ average_price: 1400 }])
  })
})
