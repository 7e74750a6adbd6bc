import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { BrokerOrder } from '../../../../src/core/brokers/broker.js'
import { TestDesk } from '../../../support/desk/desk.js'

type Update = Pick<BrokerOrder, 'status' | 'filledQuantity'>

const PARTLY: Update = { status: 'open', filledQuantity: 4 }
const FILLED: Update = { status: 'complete', filledQuantity: 10 }
const RESTING: Update = { status: 'open', filledQuantity: 0 }

/** A desk with some resting live orders, and a way to tell it what became of one. */
async function withOrders(count: number) {
  const desk = await TestDesk.open()
  const answers = await Promise.all(
    Array.from({ length: count }, () => desk.place({ pricetype: 'LIMIT', price: 760, quantity: 10 })),
  )
  const { journal, updates, brokers } = desk.service
  const book = new Map((await brokers.client().orders.list()).map((order) => [order.orderId, order]))
  const orders = answers.flatMap(({ body }) => book.get(String(body.orderid)) ?? [])
  const refs = answers.map(({ orderRef }) => orderRef ?? '')
  return {
    orders,
    tell: (order: BrokerOrder, update: Update) => updates.apply('simulated', { ...order, ...update }),
    states: async () => {
      await updates.drained()
      return Promise.all(refs.map(async (ref) => (await journal.find(ref))?.state))
    },
    /** Units the journal takes for filled, as the books of strategies read them. */
    filled: async () => {
      await updates.drained()
      const filled = await journal.filledThrough(refs, Number.MAX_SAFE_INTEGER)
      return refs.map((ref) => filled.get(ref)?.quantity ?? 0)
    },
  }
}

test.each<{ name: string; told: Update[]; state: string }>([
  { name: 'a resting order is as accepted as its answer says', told: [RESTING], state: 'accepted' },
  { name: 'some fills', told: [PARTLY], state: 'partial' },
  { name: 'the last fill', told: [PARTLY, FILLED], state: 'filled' },
  { name: 'news that came too late', told: [FILLED, PARTLY], state: 'filled' },
  { name: 'the same news twice', told: [FILLED, FILLED], state: 'filled' },
])('an order follows its updates: $name', async ({ told, state }) => {
  const { orders, tell, states } = await withOrders(1)
  for (const order of orders) for (const update of told) tell(order, update)
  expect(await states()).toEqual([state])
})

test.each<{ told: number[]; filled: number }>([
  { told: [2, 7], filled: 7 },
  { told: [7, 2], filled: 7 },
  { told: [4, 4, 4], filled: 4 },
  { told: [2, 7, 4, 9, 7], filled: 9 },
])('of partial fills told as $told, the furthest counts: $filled', async ({ told, filled }) => {
  const desk = await withOrders(1)
  for (const order of desk.orders) {
    for (const filledQuantity of told) desk.tell(order, { status: 'open', filledQuantity })
  }
  expect(await desk.filled()).toEqual([filled])
})

const cancelledAt = (filledQuantity: number): Update => ({ status: 'cancelled', filledQuantity })
const REJECTED: Update = { status: 'rejected', filledQuantity: 0 }

test.each<{ name: string; told: Update[]; state: string; units: number }>([
  {
    name: 'rejected, then cancelled with a part filled',
    told: [REJECTED, cancelledAt(4)],
    state: 'cancelled',
    units: 4,
  },
  { name: 'rejected, then cancelled', told: [REJECTED, cancelledAt(0)], state: 'rejected', units: 0 },
  {
    name: 'cancelled, then with more filled',
    told: [cancelledAt(2), cancelledAt(4)],
    state: 'cancelled',
    units: 4,
  },
  { name: 'cancelled, then filled', told: [cancelledAt(4), FILLED], state: 'filled', units: 10 },
  {
    name: 'cancelled, then open with more filled',
    told: [cancelledAt(2), PARTLY],
    state: 'partial',
    units: 4,
  },
  {
    name: 'cancelled, then open with more filled, then cancelled',
    told: [cancelledAt(2), PARTLY, cancelledAt(4)],
    state: 'cancelled',
    units: 4,
  },
  {
    name: 'cancelled, then open with no more filled',
    told: [cancelledAt(4), PARTLY],
    state: 'cancelled',
    units: 4,
  },
])('no fill is lost after an end: $name', async ({ told, state, units }) => {
  const { filled, orders, states, tell } = await withOrders(1)
  for (const order of orders) for (const update of told) tell(order, update)
  expect([await states(), await filled()]).toEqual([[state], [units]])
})

test('a burst of fills of many orders is recorded, each order in its own turn', async () => {
  const { orders, tell, states } = await withOrders(200)
  expect(orders).toHaveLength(200)
  for (const order of orders) tell(order, PARTLY)
  for (const order of orders) tell(order, FILLED)
  expect(new Set(await states())).toEqual(new Set(['filled']))
})

test('whatever is told twice and in whatever order, an order ends as in the right one', async () => {
  const partly = (filledQuantity: number): Update => ({ status: 'open', filledQuantity })
  const cancelled = (filledQuantity: number): Update => ({ status: 'cancelled', filledQuantity })
  const histories = fc.constantFrom<{ told: Update[]; state: string; units: number }>(
    { told: [RESTING, partly(2), PARTLY, partly(7), FILLED], state: 'filled', units: 10 },
    { told: [RESTING, PARTLY, cancelled(4)], state: 'cancelled', units: 4 },
    { told: [RESTING, cancelled(0)], state: 'cancelled', units: 0 },
  )
  const disturbed = histories.chain(({ told, ...end }) =>
    fc
      .shuffledSubarray([...told, ...told], { minLength: told.length, maxLength: 2 * told.length })
      .map((some) => ({ told: [...some, ...told.slice(-1), ...some], ...end })),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(disturbed, { minLength: 1, maxLength: 30 }), async (cases) => {
      const { orders, tell, states, filled } = await withOrders(cases.length)
      const rounds = Math.max(...cases.map(({ told }) => told.length))
      for (let round = 0; round < rounds; round++) {
        for (const [index, order] of orders.entries()) {
          const update = cases[index]?.told[round]
          if (update) tell(order, update)
        }
      }
      expect(await states()).toEqual(cases.map(({ state }) => state))
      expect(await filled()).toEqual(cases.map(({ units }) => units))
    }),
    { numRuns: 6 },
  )
})

test.each(['', 'app', undefined])(
  'an update with the tag %j is found by the id of the order',
  async (tag) => {
    const { orders, tell, states } = await withOrders(2)
    for (const { tag: _, ...order } of orders) tell({ ...order, ...(tag !== undefined && { tag }) }, FILLED)
    expect(await states()).toEqual(['filled', 'filled'])
  },
)

/** A desk with a resting order, whose cancel at the broker is an update that the disk refused. */
async function withRefusedUpdate() {
  const desk = await TestDesk.open()
  const { databases, journal, openOrders, updates } = desk.service
  openOrders.start()
  await desk.settled(desk.clock.sleep(30_000))
  const { body, orderRef = '' } = await desk.place({ pricetype: 'LIMIT', price: 760, quantity: 10 })
  await databases.svc.write((tx) =>
    tx.exec(`create trigger full before insert on order_events begin select raise(abort, 'no room'); end`),
  )
  const { orders } = desk.service.brokers.client()
  await orders.cancel(String(body.orderid))
  await updates.drained()
  await databases.svc.write((tx) => tx.exec('drop trigger full'))
  const state = async () => (await journal.find(orderRef))?.state
  expect(await state()).toBe('accepted')
  return { desk, orders, state }
}

test('an update that the disk refuses is read from the book within half a minute', async () => {
  const { desk, state } = await withRefusedUpdate()
  await desk.settled(desk.clock.sleep(30_000))
  expect(await state()).toBe('cancelled')
})

test('an update that the disk refuses is read from the book soon, also if the first read of the book fails', async () => {
  const { desk, orders, state } = await withRefusedUpdate()
  const { list } = orders
  let reads = 0
  orders.list = async () => {
    reads += 1
    if (reads === 1) throw new Error('no answer')
    return list()
  }
  await desk.settled(desk.clock.sleep(60_000))
  expect(reads).toBeGreaterThan(0)
  expect(await state()).toBe('cancelled')
})
