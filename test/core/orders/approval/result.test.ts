import { expect, test } from 'vitest'
import { approvalOfBatch } from '../../../../src/core/orders/approval/result.js'
import type { OrderEnd } from '../../../../src/core/orders/end.js'
import type { BatchPlan, PlannedLeg } from '../../../../src/core/orders/multi/plans/plan.js'
import type { PlaceOrderPayload } from '../../../../src/core/orders/schema.js'

const order: PlaceOrderPayload = {
  strategy: 's',
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'BUY',
  quantity: 10,
  pricetype: 'MARKET',
  product: 'MIS',
  price: 0,
  trigger_price: 0,
  disclosed_quantity: 0,
  underlying_ltp: null,
}
const placed: OrderEnd = { outcome: 'placed', orderRef: 'S1', orderId: '1' }
const refused: OrderEnd = {
  outcome: 'refused',
  orderRef: 'S2',
  code: 'broker_rejected',
  message: 'No margin',
}

test('an approval names its failed orders by the plan, not by the members that the answer shows', () => {
  const shown = { symbol: 'SHOWN', leg: 9 }
  const legs: PlannedLeg[] = [
    { shown, orders: [{ shown, order }] },
    { name: 'SBIN', shown, orders: [{ shown, order }] },
    { name: 'leg 3', shown, problem: 'No such strike', orders: [] },
    { shown, orders: [{ shown, order }] },
  ]
  const plan: BatchPlan = { shape: 'list', head: {}, legs }

  expect(approvalOfBatch({ plan, ends: [placed, refused, refused] })).toEqual({
    outcome: 'placed',
    orders: [{ orderId: '1' }],
    failed: [
      { name: 'SBIN', message: 'No margin' },
      { name: 'leg 3', message: 'No such strike' },
      { name: 'order 4', message: 'No margin' },
    ],
  })
})
