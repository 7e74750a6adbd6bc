import { describe, expect, it } from 'vitest'
import type { OrderRecord } from '../../../../src/client/answers/records.js'
import { movedValues, standingPrice } from '../../../../src/tui/orders/form/draft.js'

const LIMIT: OrderRecord = {
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'SELL',
  quantity: 10,
  filled_quantity: 4,
  pending_quantity: 6,
  price: 812.55,
  trigger_price: 0,
  average_price: 0,
  pricetype: 'LIMIT',
  product: 'MIS',
  orderid: '1',
  order_status: 'open',
  rejection_reason: '',
  timestamp: '2026-11-27 11:00:00',
  mode: 'analyze',
}
const STOP: OrderRecord = {
  ...LIMIT,
  ...{ pricetype: 'SL', price: 809.9, trigger_price: 810, order_status: 'trigger pending' },
}

describe('an order that moves', () => {
  it('keeps everything but its price', () => {
    const values = { quantity: '10', pricetype: 'LIMIT', price: '815', trigger_price: '' }
    expect(movedValues(LIMIT, 815)).toEqual(values)
    expect(standingPrice(LIMIT)).toBe(812.55)
  })

  it('keeps the distance from its trigger to its limit, as a stop', () => {
    expect(movedValues(STOP, 811.35)).toMatchObject({ trigger_price: '811.35', price: '811.25' })
    expect(standingPrice(STOP)).toBe(810)
  })

  it('is a limit order, once its stop has triggered', () => {
    const triggered = { ...STOP, order_status: 'open' }
    expect(movedValues(triggered, 811.35)).toMatchObject({ trigger_price: '810', price: '811.35' })
    expect(standingPrice(triggered)).toBe(809.9)
  })

  it('has no limit as a stop at the market', () => {
    const stop = { ...STOP, pricetype: 'SL-M', price: 0 }
    expect(movedValues(stop, 811)).toMatchObject({ trigger_price: '811', price: '' })
  })
})
