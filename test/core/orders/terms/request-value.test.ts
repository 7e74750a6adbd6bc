import { expect, test } from 'vitest'
import { requestValue } from '../../../../src/core/orders/index.js'
import { TestDesk, USER } from '../../../support/desk/desk.js'

const CHANGE = {
  strategy: 't',
  orderid: '1',
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'BUY',
  quantity: 10,
  pricetype: 'LIMIT',
  price: 700,
  trigger_price: 0,
  disclosed_quantity: 0,
}

test.each(['MIS', 'MTF', 'CO'])(
  'the value of a change is that of the order as it will be (%s)',
  async (product) => {
    const desk = await TestDesk.open()
    const asked = { userId: USER, source: 'api' } as const
    expect(await requestValue(desk.service.orders, 'modifyorder', { ...CHANGE, product }, asked)).toBe(7000)
  },
)
