import { expect, test } from 'vitest'
import type { TradingMode } from '../../../src/core/trading/index.js'
import { payloadOf, TestDesk, USER } from '../../support/desk/desk.js'

const HUGE = { quantity: 4_000_000 }
const TOO_DEAR = expect.stringMatching(/^Order value ₹[\d,]+\.\d\d exceeds the limit of ₹20,00,00,000\.00$/)

test.each<TradingMode>(['live', 'analyze'])(
  'a market order past the ceiling goes nowhere, although nobody follows its symbol (%s)',
  async (mode) => {
    const desk = await TestDesk.open()
    await desk.service.settings.setAnalyzeMode(mode === 'analyze')
    expect(await desk.place(HUGE)).toMatchObject({
      status: 403,
      code: 'risk_refused',
      body: { message: TOO_DEAR, rule: 'max_order_value' },
    })
    expect(await desk.ledger()).toEqual([])
    expect((await desk.service.sandbox.books.orderbook(USER)).orders).toEqual([])
  },
)

test('a dry run refuses based on the value it shows', async () => {
  const desk = await TestDesk.open()
  const { body } = await desk.orders.single.preview(payloadOf(HUGE), { userId: USER, source: 'api' })
  expect(body.value).toBeGreaterThan(200_000_000)
  expect(body.checks).toContainEqual({ rule: 'max_order_value', ok: false, message: TOO_DEAR })
})

test('without a broker session no price arrives, and the refusal names the missing session', async () => {
  const desk = await TestDesk.open()
  await desk.service.brokers.logout()
  await expect(desk.place(HUGE)).rejects.toMatchObject({ code: 'forbidden' })
})
