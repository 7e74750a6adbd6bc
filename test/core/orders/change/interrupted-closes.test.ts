import { describe, expect, test } from 'vitest'
import type { ClosePayload } from '../../../../src/core/orders/multi/close.js'
import { TestDesk, USER } from '../../../support/desk/desk.js'
import { deskClock } from '../../../support/desk/desk-clock.js'
import { eventually } from '../../../support/eventually.js'

/*
 * A close of Analyzer mode whose process ends before it is answered. NFO takes at most 1,755 NIFTY in one order.
 */

const KEYED = { userId: USER, source: 'api' as const, idempotencyKey: 'k' }
const SHARE = { symbol: 'SBIN', exchange: 'NSE', product: 'MIS' } as const
const OPTION = { symbol: 'NIFTY24NOV2626000CE', exchange: 'NFO', product: 'NRML' } as const
const ALL: ClosePayload = { strategy: 't' }
const ONE: ClosePayload = { strategy: 't', ...SHARE }
const IN_PIECES: ClosePayload = { strategy: 't', ...OPTION }

async function heldIn(desk: TestDesk): Promise<number[]> {
  const sizes = await Promise.all(
    [SHARE, OPTION].map(async (ref) => (await desk.service.account.openPosition(USER, ref)).quantity),
  )
  return sizes.map(Number)
}

/** The strategies of the account's orders; those of closes differ from all others. */
async function ordersOf(desk: TestDesk): Promise<string[]> {
  const { orders } = (await desk.service.account.orderbook(USER)).data
  return orders.map((order) => ('strategy' in order ? order.strategy : '')).sort()
}

/** A desk of Analyzer mode that holds 10 shares, and 3,510 of a contract. */
async function holding(): Promise<TestDesk> {
  const desk = await TestDesk.open()
  await desk.service.settings.setAnalyzeMode(true)
  await desk.settled(desk.place({ ...SHARE, quantity: 10 }))
  for (let order = 0; order < 2; order++) await desk.settled(desk.place({ ...OPTION, quantity: 1755 }))
  expect(await heldIn(desk)).toEqual([10, 3510])
  return desk
}

type Moment = 'before the sandbox decides' | 'between two positions' | 'before the answer'

/** The next life of a desk whose process ended at a moment of a close. */
async function cut(payload: ClosePayload, moment: Moment, laterMs = 0): Promise<TestDesk> {
  const first = await holding()
  const { sandbox } = first.service
  const closeEach = sandbox.closeEach.bind(sandbox)
  let reached = false
  sandbox.closeEach = async (userId, positions) => {
    if (moment === 'between two positions') await closeEach(userId, positions.slice(0, 1))
    if (moment === 'before the answer') await closeEach(userId, positions)
    reached = true
    return new Promise(() => undefined)
  }
  void first.orders.changes.close(payload, KEYED).catch(() => undefined)
  await first.settled(eventually(() => reached))
  await first.close()
  return TestDesk.open({ home: first.home, clock: deskClock(first.clock.now() + laterMs) })
}

const ask = (desk: TestDesk, payload: ClosePayload) => desk.settled(desk.orders.changes.close(payload, KEYED))

describe.each([
  { name: 'one position', payload: ONE, left: [0, 3510], orders: 4 },
  { name: 'one position in pieces', payload: IN_PIECES, left: [10, 0], orders: 5 },
  { name: 'all positions', payload: ALL, left: [0, 0], orders: 6 },
])('a close of $name in Analyzer mode', ({ payload, left, orders }) => {
  test.each<Moment>(['before the sandbox decides', 'between two positions', 'before the answer'])(
    'cut short %s is completed by a retry, which gets the answer of an undisturbed close',
    async (moment) => {
      const calm = await holding()
      const undisturbed = await ask(calm, payload)
      const desk = await cut(payload, moment)
      const answer = await ask(desk, payload)
      const plain = ({ body }: typeof answer) => JSON.stringify(body).replace(/"\d{14}"/g, '"id"')
      expect([answer.status, plain(answer)]).toEqual([200, plain(undisturbed)])
      expect(await heldIn(desk)).toEqual(left)
      expect(await ordersOf(desk)).toHaveLength(orders)
      expect(await ordersOf(desk)).toEqual(await ordersOf(calm))
      expect((await ask(desk, payload)).body).toEqual(answer.body)
      expect(await ordersOf(desk)).toHaveLength(orders)
    },
  )
})

test('a close that was executed before a crash does not close a position that was opened since', async () => {
  const desk = await cut(ONE, 'before the answer')
  await desk.settled(desk.place({ ...SHARE, quantity: 10 }))
  expect((await ask(desk, ONE)).body).toMatchObject({ status: 'success' })
  expect(await heldIn(desk)).toEqual([10, 3510])
})

test('a retry closes no more than the close that a crash cut short, and nothing that it no longer needs', async () => {
  const desk = await cut(ALL, 'before the sandbox decides')
  await desk.settled(desk.place({ ...SHARE, quantity: 5 }))
  await desk.settled(desk.place({ ...OPTION, action: 'SELL', quantity: 1755 }))
  expect((await ask(desk, ALL)).body).toMatchObject({ closed_positions: 1, failed_closures: 1 })
  expect(await heldIn(desk)).toEqual([5, 1755])
})

test('a close with nothing open answers the same after a crash', async () => {
  const nothing = { ...ONE, symbol: 'INFY' }
  const undisturbed = await ask(await holding(), nothing)
  const answer = await ask(await cut(nothing, 'before the answer'), nothing)
  expect([answer.status, answer.body]).toEqual([undisturbed.status, undisturbed.body])
})

test('after a quarter of an hour a retry tells what was not closed, and closes nothing', async () => {
  const desk = await cut(ALL, 'before the sandbox decides', 15 * 60_000 + 1)
  const answer = await ask(desk, ALL)
  expect(answer).toMatchObject({ status: 503, body: { status: 'error', failed_closures: 2 } })
  expect(await heldIn(desk)).toEqual([10, 3510])
})

test('a retry in Live mode tells what was closed, and closes nothing; in Analyzer mode it completes the close', async () => {
  const desk = await cut(ALL, 'between two positions')
  await desk.service.settings.setAnalyzeMode(false)
  expect((await ask(desk, ALL)).body).toMatchObject({ closed_positions: 1, failed_closures: 1 })
  expect(await desk.ledger()).toEqual([])
  await desk.service.settings.setAnalyzeMode(true)
  expect((await ask(desk, ALL)).body).toMatchObject({ status: 'success' })
  expect(await heldIn(desk)).toEqual([0, 0])
})
