import { expect, test } from 'vitest'
import { smartOrderPayload } from '../../../../src/core/orders/index.js'
import { SMART_ORDER } from '../../../../src/core/orders/multi/smart.js'
import { parseWith } from '../../../../src/core/validation/index.js'
import { queueOf } from '../../../../src/daemon/operations/approvals/queue-list.js'
import { smartTrades } from '../../../../src/daemon/operations/approvals/smart-trades.js'
import { tradeOf } from '../../../../src/views/approvals/approval.js'
import { TestDesk, USER } from '../../../support/desk/desk.js'

const CLOSE = {
  strategy: 'test',
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'SELL',
  quantity: 0,
  position_size: 0,
  pricetype: 'MARKET',
  product: 'MIS',
}

test.each(['live', 'analyze'] as const)('a queued close tells the position it closes (%s)', async (mode) => {
  const desk = await TestDesk.open()
  const { approvals, sandbox, settings } = desk.service
  if (mode === 'analyze') await sandbox.start()
  await settings.setAnalyzeMode(mode === 'analyze')
  await desk.settled(desk.place({ quantity: 16 }))
  await desk.service.identity.apiKeys.setOrderMode(USER, 'semi_auto')
  for (const symbol of ['SBIN', 'INFY']) {
    const request = parseWith(smartOrderPayload, { ...CLOSE, symbol })
    await desk.orders.multi.submit(SMART_ORDER, request, { userId: USER, source: 'api' })
  }
  await approvals.enqueue(USER, 'placeorder', { ...CLOSE, quantity: 5 })
  const { orders } = await approvals.list(USER, { status: 'pending' })
  const trades = await desk.settled(smartTrades(desk.service, USER, orders))
  expect([...trades].sort()).toEqual([
    [1, { position: 16, trade: { action: 'SELL', quantity: 16 } }],
    [2, { position: 0, trade: null }],
  ])
})

test.each(['live', 'analyze'] as const)(
  'a queued exit tells and weighs only what its like that waits leaves of it (%s)',
  async (mode) => {
    const desk = await TestDesk.open()
    const { approvals, identity, sandbox, settings } = desk.service
    if (mode === 'analyze') await sandbox.start()
    await settings.setAnalyzeMode(mode === 'analyze')
    await desk.settled(desk.place({ quantity: 16 }))
    const terms = { action: 'SELL', pricetype: 'LIMIT', price: 900 } as const
    await desk.settled(desk.place({ ...terms, quantity: 6 }))
    await identity.apiKeys.setOrderMode(USER, 'semi_auto')
    await approvals.enqueue(USER, 'smartorder', { ...CLOSE, ...terms })
    const { orders } = await desk.settled(queueOf(desk.service, USER, {}))
    expect(orders).toMatchObject([
      { position_now: 16, trade_now: { action: 'SELL', quantity: 10 }, value: 9000 },
    ])
    expect(orders.map((order) => tradeOf(order))).toEqual(['close 10'])
  },
)

test('the list of approvals does not need the positions', async () => {
  const desk = await TestDesk.open()
  await desk.service.approvals.enqueue(USER, 'smartorder', CLOSE)
  const { orders } = await desk.service.approvals.list(USER, { status: 'pending' })
  await desk.service.brokers.logout()
  expect(await desk.settled(smartTrades(desk.service, USER, orders))).toEqual(new Map())
})
