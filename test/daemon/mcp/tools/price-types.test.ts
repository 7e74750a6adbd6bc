import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../../src/core/errors/index.js'
import { payloadOf } from '../../../../src/daemon/mcp/tools/mapping.js'

const MAPPING = { names: { price_type: 'pricetype' } }
const errorsOf = (given: Record<string, unknown>): unknown => {
  try {
    return payloadOf(MAPPING, given)
  } catch (error) {
    return error instanceof ServiceError ? error.errors : error
  }
}

describe('the price type of an order from an assistant', () => {
  it.each([
    [{}, {}],
    [{ price: 900 }, { pricetype: 'LIMIT' }],
    [{ trigger_price: 890 }, { pricetype: 'SL-M' }],
    [{ price: 900, trigger_price: '890', price_type: null }, { pricetype: 'SL' }],
    [{ price: 900, price_type: 'LIMIT' }, { pricetype: 'LIMIT' }],
  ])('%o is %o', (given, payload) => {
    expect(payloadOf(MAPPING, given)).toMatchObject(payload)
  })

  it('is refused when a price contradicts it, also in a list', () => {
    const text =
      'price 900 contradicts price_type MARKET: a MARKET order has no limit price. Use price_type LIMIT, or leave price out.'
    const order = { price: 900, price_type: 'MARKET' }
    expect(errorsOf(order)).toEqual({ price: [text] })
    expect(errorsOf({ orders: [{ price: 1 }, order] })).toEqual({ 'orders.1.price': [text] })
  })
})
