import { expect, test, vi } from 'vitest'
import { TestDesk, USER } from '../../../support/desk/desk.js'

const CONTEXT = { userId: USER, source: 'api' as const, idempotencyKey: 'k' }
const ALL = { strategy: 't' }

/** A desk in one mode with an order that waits, whose request to cancel all was cut off; then in the other mode. */
async function interrupted(mode: 'live' | 'analyze') {
  const desk = await TestDesk.open()
  const { sandbox, settings } = desk.service
  await desk.place({ pricetype: 'LIMIT', price: 700 })
  await settings.setAnalyzeMode(true)
  await sandbox.start()
  await desk.place({ pricetype: 'LIMIT', price: 700 })
  await settings.setAnalyzeMode(mode === 'analyze')
  const { orders } = desk.service.brokers.client()
  const end = async () => {
    throw new Error('the service ends here')
  }
  const ends = [
    vi.spyOn(orders, 'list').mockImplementationOnce(end),
    vi.spyOn(sandbox, 'cancelAll').mockImplementationOnce(end),
  ]
  await expect(desk.orders.changes.cancelAll(ALL, CONTEXT)).rejects.toThrow('ends here')
  for (const spy of ends) spy.mockRestore()
  await settings.setAnalyzeMode(mode !== 'analyze')
  return desk
}

test.each(['live', 'analyze'] as const)(
  'a cancel of all orders that a crash cut off in mode %s is not repeated in the other mode',
  async (mode) => {
    const desk = await interrupted(mode)
    const answer = await desk.orders.changes.cancelAll(ALL, CONTEXT)
    expect([answer.status, answer.code]).toEqual([504, 'outcome_unknown'])
    const { brokers, sandbox, settings } = desk.service
    expect(await brokers.client().orders.list()).toMatchObject([{ status: 'open' }])
    expect(await sandbox.books.orderbook(USER)).toMatchObject({ orders: [{ order_status: 'open' }] })

    await settings.setAnalyzeMode(mode === 'analyze')
    const again = await desk.orders.changes.cancelAll(ALL, CONTEXT)
    expect(again.body).toMatchObject({ status: 'success', canceled_orders: [expect.any(String)] })
  },
)
