import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { BrokerOrder } from '../../../../src/core/brokers/broker.js'
import { TestDesk } from '../../../support/desk/desk.js'
import { query } from '../../../support/files/files.js'

/* A broker may tell of a fill before it knows the average price. The price counts whenever it comes. */

const BROKER = 'simulated'

/** An order that rests at the broker, and the fills the journal has of it. */
async function restingOrder() {
  const desk = await TestDesk.open()
  const { orderRef = '' } = await desk.place({ pricetype: 'LIMIT', price: 700 })
  const [order] = await desk.service.brokers.client().orders.list()
  if (!order) throw new Error('the broker does not list the order')
  const { journal, updates } = desk.service
  return {
    tell: (news: Partial<BrokerOrder>) => updates.record(BROKER, { ...order, ...news }),
    state: async () => (await journal.find(orderRef))?.state,
    fills: () =>
      query(
        join(desk.home, 'svc.db'),
        'select quantity, price from order_fills where order_ref = ? order by quantity',
        [orderRef],
      ),
  }
}

const FILLED = [{ quantity: 10, price: 951.3 }]

test('a fill that came without a price gets the price of the next report', async () => {
  const { fills, state, tell } = await restingOrder()
  await tell({ filledQuantity: 10, averagePrice: 0 })
  expect(await state()).toBe('partial')
  expect(await fills()).toEqual([{ quantity: 10, price: 0 }])
  await tell({ status: 'complete', filledQuantity: 10, averagePrice: 951.3 })
  expect(await fills()).toEqual(FILLED)
})

test('a price that comes after the end counts, and the same report again changes nothing', async () => {
  const { fills, state, tell } = await restingOrder()
  await tell({ status: 'complete', filledQuantity: 10, averagePrice: 0 })
  for (const averagePrice of [951.3, 951.3, 0]) {
    await tell({ status: 'complete', filledQuantity: 10, averagePrice })
  }
  expect(await state()).toBe('filled')
  expect(await fills()).toEqual(FILLED)
})

test('an older and smaller report leaves the fill as it is', async () => {
  const { fills, tell } = await restingOrder()
  await tell({ status: 'complete', filledQuantity: 10, averagePrice: 951.3 })
  await tell({ filledQuantity: 4, averagePrice: 900 })
  expect(await fills()).toEqual(FILLED)
})
