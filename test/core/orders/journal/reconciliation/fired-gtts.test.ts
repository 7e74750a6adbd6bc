import { describe, expect, test } from 'vitest'
import type { BrokerOrder } from '../../../../../src/core/brokers/broker.js'
import { placeGttPayload } from '../../../../../src/core/orders/index.js'
import { parseWith } from '../../../../../src/core/validation/index.js'
import { type TestDesk, USER } from '../../../../support/desk/desk.js'
import { FakeDesk } from '../../../../support/desk/fake-desk.js'

const CONTEXT = { userId: USER, source: 'api' as const }

/** Places a stop at 1450 that every broker takes, and whose order fills below it. */
async function placed(desk: TestDesk, expected = 'ok'): Promise<string> {
  const { limit } = desk.service.brokers.manifest().gtt ?? {}
  const payload = parseWith(placeGttPayload, {
    strategy: 't',
    trigger_type: 'SINGLE',
    exchange: 'NSE',
    symbol: 'INFY',
    action: 'SELL',
    product: 'CNC',
    quantity: 5,
    pricetype: limit ? 'LIMIT' : 'MARKET',
    price: limit ? 1445 : 0,
    triggerprice_sl: 1450,
  })
  const { code, orderRef = '' } = await desk.settled(desk.orders.gtts.place(payload, CONTEXT))
  expect(code).toBe(expected)
  return orderRef
}

const rowOf = (desk: TestDesk, ref: string) => desk.service.journal.find(ref)
const pass = (desk: TestDesk, ms: number) => desk.settled(desk.clock.sleep(ms))

/** The news that a GTT has fired, of all lives of a service. */
async function newsOf(...desks: readonly TestDesk[]) {
  return (await Promise.all(desks.map((desk) => desk.published('gtt.triggered')))).flat()
}

describe.each(['zerodha', 'upstox', 'angel', 'dhan'] as const)(
  'a GTT that fired at %s is told once',
  (id) => {
    const isNamed = id !== 'angel'
    const end = isNamed ? 'filled' : 'lapsed'

    test('when the push of its order comes first', async () => {
      const at = await FakeDesk.start(id)
      const desk = await at.desk()
      const ref = await placed(desk)
      await pass(desk, 3000)
      at.fake.setPrice(1449)
      await pass(desk, 20_000)
      const row = await rowOf(desk, ref)
      expect(row?.state).toBe(end)
      await pass(desk, 400_000)
      expect(await newsOf(desk)).toMatchObject([
        { triggered_order_id: row?.orderId ?? '', trigger_id: row?.triggerId, trigger_prices: [1450] },
      ])
    })

    test('when the service was stopped meanwhile', async () => {
      const at = await FakeDesk.start(id)
      const first = await at.desk()
      const ref = await placed(first)
      await first.close()
      at.fake.setPrice(1449)
      const second = await at.desk(first.home)
      await pass(second, 20_000)
      expect((await rowOf(second, ref))?.state).toBe(end)
      expect(await newsOf(second)).toHaveLength(1)
    })

    test('when the service stops between the push and the comparison', async () => {
      const at = await FakeDesk.start(id)
      const first = await at.desk()
      const ref = await placed(first)
      await pass(first, 3000)
      at.fake.script.set({ route: 'gtts', probabilities: { garbage: 1 } })
      at.fake.setPrice(1449)
      await pass(first, 5000)
      await first.close()
      at.fake.script.set({ route: 'gtts' })
      const second = await at.desk(first.home)
      await pass(second, 20_000)
      expect((await rowOf(second, ref))?.state).toBe(end)
      const news = await newsOf(first, second)
      expect(news).toHaveLength(1)
      expect(news).toMatchObject([{ trigger_prices: [1450] }])
    })

    test.runIf(isNamed)('when the broker names its order some time later', async () => {
      const at = await FakeDesk.start(id)
      const first = await at.desk()
      const ref = await placed(first)
      await first.close()
      at.fake.holdOrders?.()
      at.fake.setPrice(1449)
      const second = await at.desk(first.home)
      await pass(second, 20_000)
      expect((await rowOf(second, ref))?.state).toBe('accepted')
      expect(await newsOf(second)).toEqual([])
      at.fake.sendHeld?.()
      at.fake.setPrice(1449)
      await pass(second, 20_000)
      const row = await rowOf(second, ref)
      expect(row?.state).toBe('filled')
      expect(await newsOf(second)).toMatchObject([{ triggered_order_id: row?.orderId }])
    })

    test.runIf(isNamed)('when the broker never names its order: it lapses', async () => {
      const at = await FakeDesk.start(id)
      const desk = await at.desk()
      const ref = await placed(desk)
      at.fake.holdOrders?.()
      at.fake.setPrice(1449)
      await pass(desk, 400_000)
      expect((await rowOf(desk, ref))?.state).toBe('lapsed')
      // Only Dhan’s order shows later which GTT has sent it.
      at.fake.sendHeld?.()
      at.fake.setPrice(1449)
      await pass(desk, 20_000)
      expect((await rowOf(desk, ref))?.state).toBe(id === 'dhan' ? 'filled' : 'lapsed')
      expect(await newsOf(desk)).toMatchObject([{ triggered_order_id: '' }])
    })
  },
)

// Whether Dhan reports a forever order, which has our reference too, as it reports orders is not documented.
test.each(['open', 'cancelled', 'rejected'] as const)(
  'a report (%s) of a forever order itself at Dhan, or of one of its legs, is no word of its end',
  async (status) => {
    const at = await FakeDesk.start('dhan')
    const desk = await at.desk()
    const ref = await placed(desk)
    await pass(desk, 3000)
    const { triggerId } = (await rowOf(desk, ref)) ?? {}
    const report: BrokerOrder = {
      ...{ orderId: triggerId ?? '', tag: ref, symbol: 'INFY', exchange: 'NSE', action: 'SELL', quantity: 5 },
      ...{ price: 1445, triggerPrice: 1450, priceType: 'LIMIT', product: 'CNC', status },
      ...{ filledQuantity: 0, pendingQuantity: 5, averagePrice: 0, rejectionReason: '', timestamp: 0 },
    }
    desk.service.updates.apply('dhan', report)
    await pass(desk, 20_000)
    expect((await rowOf(desk, ref))?.state).toBe('accepted')
    expect(await newsOf(desk)).toEqual([])
    at.fake.setPrice(1449)
    await pass(desk, 20_000)
    expect(await rowOf(desk, ref)).toMatchObject({ state: 'filled', triggerId })
    expect(await newsOf(desk)).toHaveLength(1)
  },
)

// What Dhan shows of a forever order whose order it refused is not documented. Its order has its reference in any case.
describe.each(['TRIGGERED', 'REJECTED'] as const)(
  'a GTT at Dhan whose refused order leaves it %s',
  (shows) => {
    test.each(['push', 'comparison'])(
      'is told as fired once, and ends with the reason of its order (%s first)',
      async (first) => {
        const at = await FakeDesk.start('dhan')
        let desk = await at.desk()
        const ref = await placed(desk)
        await pass(desk, 3000)
        if (first === 'comparison') await desk.close()
        at.fake.refuseNext?.('the margin is short', shows)
        at.fake.setPrice(1449)
        if (first === 'comparison') desk = await at.desk(desk.home)
        await pass(desk, 20_000)
        expect(await rowOf(desk, ref)).toMatchObject({ state: 'rejected', reason: 'the margin is short' })
        expect(await newsOf(desk)).toHaveLength(1)
        expect(await desk.published('gtt.failed')).toEqual([])
      },
    )
  },
)

test('the order of a GTT in doubt at Dhan does not end it before the GTT is found with its own id', async () => {
  const at = await FakeDesk.start('dhan')
  const desk = await at.desk()
  at.fake.script.set({ route: 'placeGtt', actions: ['drop_after'] })
  at.fake.script.set({ route: 'gtts', probabilities: { garbage: 1 } })
  const ref = await placed(desk, 'outcome_unknown')
  at.fake.setPrice(1449)
  await pass(desk, 5000)
  expect((await rowOf(desk, ref))?.state).toBe('unknown')
  at.fake.script.set({ route: 'gtts' })
  await pass(desk, 60_000)
  const row = await rowOf(desk, ref)
  expect(row?.state).toBe('filled')
  expect(row?.triggerId).not.toBe(row?.orderId)
  expect(await newsOf(desk)).toMatchObject([{ trigger_id: row?.triggerId, triggered_order_id: row?.orderId }])
})
