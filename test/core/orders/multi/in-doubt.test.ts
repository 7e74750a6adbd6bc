import { expect, test } from 'vitest'
import type { SmartOrderPayload } from '../../../../src/core/orders/index.js'
import { SMART_ORDER } from '../../../../src/core/orders/multi/smart.js'
import { payloadOf, TestDesk, USER } from '../../../support/desk/desk.js'
import { deskClock } from '../../../support/desk/desk-clock.js'
import { KiteDesk } from '../../../support/desk/kite-desk.js'
import { eventually } from '../../../support/eventually.js'

/*
 * Kite lists an order some time after it took it. An order whose answer is lost is in neither the list nor
 * the positions.
 */

const CONTEXT = { userId: USER, source: 'api' as const }
const REF = { symbol: 'INFY', exchange: 'NSE', product: 'MIS' } as const

function smart(position_size: number): SmartOrderPayload {
  const { underlying_ltp: _, ...line } = payloadOf(REF)
  return { ...line, position_size }
}

/** A desk on a broker that takes the next order, answers nothing and does not list it. */
function loseNextOrder(kite: KiteDesk): void {
  kite.fake.book.progress.stepMs = 3_600_000
  kite.fake.book.progress.lags = true
  kite.fake.script.set({ route: 'place', actions: ['drop_after'] })
}

const placed = (kite: KiteDesk) =>
  kite.fake.ledger.entries
    .filter(({ event }) => event === 'placed')
    .map(({ fields }) => `${fields.transaction_type} ${fields.quantity}`)
const inDoubt = async (desk: TestDesk) => (await desk.service.journal.inState('unknown'))[0]?.orderRef

test('a smart order waits until an order of its position is in doubt no more', async () => {
  const kite = await KiteDesk.start()
  const desk = await kite.desk()
  const { multi } = desk.orders
  loseNextOrder(kite)
  const lost = await desk.settled(multi.submit(SMART_ORDER, smart(100), CONTEXT))
  expect(lost.code).toBe('outcome_unknown')

  const refused = await desk.settled(multi.submit(SMART_ORDER, smart(100), CONTEXT))
  expect(refused).toMatchObject({
    status: 503,
    code: 'unavailable',
    body: { order_ref: await inDoubt(desk) },
  })
  expect(refused.body.message).toContain(await inDoubt(desk))
  expect(placed(kite)).toEqual(['BUY 100'])
  const other = { ...smart(5), symbol: 'SBIN' }
  expect((await desk.settled(multi.submit(SMART_ORDER, other, CONTEXT))).code).toBe('ok')

  kite.fake.book.progress.lags = false
  await desk.settled(desk.service.reconciler.searchNow())
  const matched = await desk.settled(multi.submit(SMART_ORDER, smart(100), CONTEXT))
  expect(matched.body.message).toContain('Already Matched')
  expect(placed(kite)).toEqual(['BUY 100', 'BUY 5'])
})

test('a position is not closed a second time while its first close is in doubt', async () => {
  const kite = await KiteDesk.start()
  const desk = await kite.desk()
  const { changes, multi } = desk.orders
  for (const symbol of ['INFY', 'SBIN']) {
    await desk.settled(multi.submit(SMART_ORDER, { ...smart(10), symbol }, CONTEXT))
  }
  loseNextOrder(kite)
  const close = { strategy: 'test', ...REF }
  expect((await desk.settled(changes.close(close, CONTEXT))).code).toBe('outcome_unknown')

  const again = await desk.settled(changes.close(close, CONTEXT))
  expect(again).toMatchObject({ status: 503, code: 'unavailable', body: { order_ref: await inDoubt(desk) } })
  expect(placed(kite)).toEqual(['BUY 10', 'BUY 10', 'SELL 10'])

  const all = await desk.settled(changes.close({ strategy: 'test' }, CONTEXT))
  expect(all.body).toMatchObject({ closed_positions: 1, failed_closures: 1 })
  expect(JSON.stringify(all.body.results)).toContain(await inDoubt(desk))
  expect(placed(kite)).toEqual(['BUY 10', 'BUY 10', 'SELL 10', 'SELL 10'])
})

test('a smart order and a close wait for the answer to an order that is being sent', async () => {
  const desk = await TestDesk.open()
  const { changes, multi } = desk.orders
  const client = desk.service.brokers.client()
  const traded = async () =>
    (await client.orders.list()).map(({ action, quantity }) => `${action} ${quantity}`).sort()
  /** Starts an order whose answer the broker holds back for a second. */
  const beingSent = async (quantity: number) => {
    desk.service.brokers.plugins.faults().set([{ on: ['place'], kind: 'delay', latencyMs: 1000, times: 1 }])
    const answer = desk.place({ ...REF, quantity })
    await eventually(async () => (await desk.service.journal.inState('sending')).length === 1)
    return { answer }
  }

  const ten = await beingSent(10)
  expect((await desk.settled(multi.submit(SMART_ORDER, smart(25), CONTEXT))).code).toBe('ok')
  expect((await ten.answer).code).toBe('ok')
  expect(await traded()).toEqual(['BUY 10', 'BUY 15'])

  const five = await beingSent(5)
  const close = await desk.settled(changes.close({ strategy: 'test' }, CONTEXT))
  expect((await five.answer).code).toBe('ok')
  expect(close.body).toMatchObject({ closed_positions: 1, failed_closures: 0 })
  expect(await traded()).toEqual(['BUY 10', 'BUY 15', 'BUY 5', 'SELL 30'])
})

test('an order for the next open stays in doubt until that day is over: nothing is traded twice on it', async () => {
  const clock = deskClock('2026-11-20T16:00:00+05:30')
  const kite = await KiteDesk.start({ clock })
  const desk = await kite.desk({ clock })
  loseNextOrder(kite)
  const waiting = { ...REF, quantity: 100, pricetype: 'LIMIT', price: 1400, amo: true } as const
  await desk.settled(desk.place(waiting))
  const ref = await inDoubt(desk)

  for (const [time, answer] of [
    ['2026-11-23T10:00:00+05:30', { code: 'unavailable', body: { order_ref: ref } }],
    ['2026-11-24T10:00:00+05:30', { code: 'ok' }],
  ] as const) {
    clock.suspend(Date.parse(time) - clock.now())
    await kite.signIn(desk)
    const asked = await desk.settled(desk.orders.multi.submit(SMART_ORDER, smart(100), CONTEXT))
    expect([time, asked]).toMatchObject([time, answer])
  }
  expect(await inDoubt(desk)).toBe(ref)
})
