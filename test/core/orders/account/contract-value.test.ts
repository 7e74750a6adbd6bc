import { expect, test } from 'vitest'
import { holdContractValue } from '../../../support/desk/contract-value.js'
import { TestDesk, USER } from '../../../support/desk/desk.js'

test.each(['live', 'analyze'] as const)(
  'the books have the multiplier of a contract, and the value of a trade counts it (%s)',
  async (mode) => {
    const desk = await TestDesk.open()
    if (mode === 'analyze') await desk.service.sandbox.start()
    await desk.service.settings.setAnalyzeMode(mode === 'analyze')
    holdContractValue(desk, 'SBIN', 0.001)
    await desk.settled(desk.place({ symbol: 'SBIN', exchange: 'NSE', quantity: 1000, product: 'MIS' }))
    await desk.settled(desk.place({ symbol: 'INFY', exchange: 'NSE', quantity: 1, product: 'MIS' }))
    await desk.clock.advance(1000)
    const { account } = desk.service
    const [orders, trades, positions] = await desk.settled(
      Promise.all([account.orderbook(USER), account.tradebook(USER), account.positionbook(USER)]),
    )
    const sized = expect.arrayContaining([
      expect.objectContaining({ symbol: 'SBIN', contract_value: 0.001 }),
      expect.not.objectContaining({ contract_value: expect.anything() }),
    ])
    expect(orders).toMatchObject({ data: { orders: sized } })
    expect(positions).toMatchObject({ data: sized })
    expect(trades).toMatchObject({ data: sized })
    const trade = [...trades.data].find(({ symbol }) => symbol === 'SBIN')
    if (!trade) throw new Error('no trades')
    expect(trade.trade_value).toBeCloseTo(trade.average_price * trade.quantity * 0.001, 2)
  },
)
