import { expect, test } from 'vitest'
import { FlowRig, graphOf, note } from './flow-rig.js'

const AT_MARKET = {
  strategy: 'test',
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'BUY',
  quantity: 10,
  product: 'MIS',
  priceType: 'MARKET',
  price: 0,
  triggerPrice: 0,
  disclosedQuantity: 0,
} as const

test('a fill that the start learns from the broker starts the workflow that watches for it, once', async () => {
  const first = await FlowRig.open()
  const { brokers } = first.desk.service
  const resting = { pricetype: 'LIMIT', price: 700, quantity: 10 } as const
  const { body } = await first.desk.settled(first.desk.place(resting))
  const orderId = String(body.orderid)
  const id = await first.arm(
    graphOf(
      {
        t: ['orderUpdateTrigger', { orderId }],
        told: note('{{webhook.orderid}} {{webhook.order_status}}'),
      },
      't -> told',
    ),
  )
  brokers.plugins.faults().dropConnections('orders')
  // It fills at the broker, and the service is not told.
  await brokers.client().orders.modify(orderId, AT_MARKET)

  const second = await first.restart()
  const [run] = await second.ran(id, 1)
  expect(run).toMatchObject({ trigger: 'order_update', status: 'completed' })
  expect(second.lines(run ?? {})).toContain(`[LOG] ${orderId} complete`)
  await second.pass(20_000)
  expect(await second.runs(id)).toHaveLength(1)
})
