import { describe, expect, test } from 'vitest'
import type { OrderRequest } from '../../../../../src/core/orders/index.js'
import { TestDesk } from '../../../../support/desk/desk.js'
import { deskClock } from '../../../../support/desk/desk-clock.js'
import { KiteDesk } from '../../../../support/desk/kite-desk.js'
import { eventually } from '../../../../support/eventually.js'

/** Far from the market: it rests. */
const RESTING = { pricetype: 'LIMIT', price: 700, quantity: 10 } as const

async function placeResting(desk: TestDesk, count: number) {
  const answers = []
  for (let n = 0; n < count; n++) answers.push(await desk.settled(desk.place(RESTING)))
  return answers.map(({ body, orderRef }) => ({ orderId: String(body.orderid), ref: orderRef ?? '' }))
}

async function statesOf(desk: TestDesk, orders: readonly { ref: string }[]) {
  const rows = await Promise.all(orders.map(({ ref }) => desk.service.journal.find(ref)))
  return rows.map((row) => row?.state)
}

async function updatesOf(desk: TestDesk, orderId: string | undefined) {
  const updates = await desk.published('order.update')
  return updates.filter(({ orderid }) => orderid === orderId).map(({ order_status }) => order_status)
}

/** Fills a resting order without anybody being told by the feed. */
async function fillSilently(desk: TestDesk, orderId: string) {
  const { orders } = desk.service.brokers.client()
  const order = (await orders.list()).find((each) => each.orderId === orderId)
  if (!order) throw new Error(`no order ${orderId}`)
  const atMarket: OrderRequest = {
    strategy: 'test',
    symbol: 'SBIN',
    exchange: 'NSE',
    action: 'BUY',
    quantity: order.quantity,
    product: 'MIS',
    priceType: 'MARKET',
    price: 0,
    triggerPrice: 0,
    disclosedQuantity: 0,
  }
  await orders.modify(orderId, atMarket)
}

/** Orders of which one was filled and one cancelled while no update was heard. */
async function withUnheardEnds(desk: TestDesk) {
  desk.service.openOrders.start()
  const orders = await placeResting(desk, 3)
  desk.service.brokers.plugins.faults().dropConnections('orders')
  await fillSilently(desk, orders[0]?.orderId ?? '')
  await desk.service.brokers.client().orders.cancel(orders[1]?.orderId ?? '')
  return orders
}

describe('open orders are compared with the broker’s book', () => {
  test('at start: the journal learns what happened while the service was down, and clients are told', async () => {
    const first = await TestDesk.open()
    const orders = await withUnheardEnds(first)
    expect(await statesOf(first, orders)).toEqual(['accepted', 'accepted', 'accepted'])
    await first.close()

    const second = await TestDesk.open({ home: first.home, clock: first.clock })
    expect(await statesOf(second, orders)).toEqual(['filled', 'cancelled', 'accepted'])
    expect(await updatesOf(second, orders[0]?.orderId)).toEqual(['complete'])
    expect(await updatesOf(second, orders[1]?.orderId)).toEqual(['cancelled'])
    expect(await updatesOf(second, orders[2]?.orderId)).toEqual([])
    const refs = orders.map(({ ref }) => ref)
    const filled = await second.service.journal.filledThrough(refs, Number.MAX_SAFE_INTEGER)
    expect(refs.map((ref) => filled.get(ref)?.quantity)).toEqual([10, undefined, undefined])
  })

  test('orders of an earlier session, which the book of the day no longer lists, end as the broker says', async () => {
    const first = await TestDesk.open()
    const orders = await withUnheardEnds(first)
    await first.close()
    await first.clock.advance(24 * 3_600_000)
    const second = await TestDesk.open({ home: first.home, clock: first.clock })
    expect(await second.service.brokers.client().orders.list()).toEqual([])
    expect(await statesOf(second, orders)).toEqual(['filled', 'cancelled', 'cancelled'])
  })

  test('at intervals while the order feed is away, each end told once', async () => {
    const desk = await TestDesk.open()
    const orders = await withUnheardEnds(desk)
    for (let second = 0; second < 40; second++) await desk.settled(desk.clock.sleep(1000))
    expect(await statesOf(desk, orders)).toEqual(['filled', 'cancelled', 'accepted'])
    expect(await updatesOf(desk, orders[0]?.orderId)).toEqual(['open', 'complete'])
    expect(await updatesOf(desk, orders[1]?.orderId)).toEqual(['open', 'cancelled'])
  })

  test('an order that ended without a price is read again until the broker tells it, and clients are told once', async () => {
    const desk = await TestDesk.open()
    const { brokers, journal, openOrders, updates } = desk.service
    openOrders.start()
    const [{ orderId, ref } = { orderId: '', ref: '' }] = await placeResting(desk, 1)
    const order = (await brokers.client().orders.list()).find((one) => one.orderId === orderId)
    if (!order) throw new Error('the broker does not list the order')
    brokers.plugins.faults().dropConnections('orders')
    await fillSilently(desk, orderId)
    await updates.record('simulated', {
      ...order,
      status: 'complete',
      filledQuantity: 10,
      averagePrice: 0,
    })
    expect(await journal.unpricedAt('simulated', 0)).toMatchObject([{ orderRef: ref }])
    for (let second = 0; second < 40; second++) await desk.settled(desk.clock.sleep(1000))
    const filled = await journal.filledThrough([ref], Number.MAX_SAFE_INTEGER)
    expect(filled.get(ref)?.price).toBeGreaterThan(700)
    expect(await journal.unpricedAt('simulated', 0)).toEqual([])
    expect(await updatesOf(desk, orderId)).toEqual(['open', 'complete'])
  })

  test('soon after a gap of the feed', async () => {
    const desk = await TestDesk.open()
    const orders = await withUnheardEnds(desk)
    const client = desk.service.brokers.client()
    await client.orderEvents?.open(() => undefined)
    await desk.settled(desk.clock.sleep(3000))
    expect(await statesOf(desk, orders)).toEqual(['filled', 'cancelled', 'accepted'])
  })

  test('a broker that cannot be asked does not keep the service from starting, and is asked again', async () => {
    const first = await TestDesk.open()
    const orders = await withUnheardEnds(first)
    await first.close()
    const env = { SIM_FAULTS: '[{"on":["orders"],"kind":"fail","times":1,"httpStatus":503}]' }
    const second = await TestDesk.open({ home: first.home, clock: first.clock, env })
    expect(await statesOf(second, orders)).toEqual(['accepted', 'accepted', 'accepted'])
    second.service.openOrders.start()
    await second.settled(second.clock.sleep(20_000))
    expect(await statesOf(second, orders)).toEqual(['filled', 'cancelled', 'accepted'])
  })
})

describe('at Zerodha', () => {
  const KITE = { symbol: 'INFY', exchange: 'NSE', pricetype: 'LIMIT', price: 1400, quantity: 10 } as const

  async function placeAt(desk: TestDesk, count: number) {
    const answers = []
    for (let n = 0; n < count; n++) answers.push(await desk.settled(desk.place(KITE)))
    return answers.map(({ body, orderRef }) => ({ orderId: String(body.orderid), ref: orderRef ?? '' }))
  }

  test('one read of the book tells of all orders', async () => {
    const kite = await KiteDesk.start()
    const first = await kite.desk()
    const orders = await placeAt(first, 5)
    await first.close()
    kite.fake.book.cancel({ orderId: orders[0]?.orderId ?? '' })
    kite.fake.setPrice('NSE:INFY', 1390)
    const reads = kite.bookReads
    const second = await kite.desk({ home: first.home, clock: first.clock })
    expect(await statesOf(second, orders)).toEqual(['cancelled', 'filled', 'filled', 'filled', 'filled'])
    // Up to two more are of the whole account, before and after its positions.
    expect(kite.bookReads - reads).toBeLessThanOrEqual(1 + 2)
  })

  test('an order of an earlier session that the book no longer lists has lapsed; no fill is made up', async () => {
    const kite = await KiteDesk.start()
    const first = await kite.desk()
    const [old] = await placeAt(first, 1)
    await first.close()
    kite.fake.book.newDay()
    await first.clock.advance(3_600_000)
    // An order of the same session may not be listed yet.
    const second = await kite.desk({ home: first.home, clock: first.clock })
    expect(await statesOf(second, [old ?? { ref: '' }])).toEqual(['accepted'])
    await second.close()

    await first.clock.advance(23 * 3_600_000)
    const third = await kite.desk({ home: first.home, clock: first.clock })
    await third.settled(third.clock.sleep(3000))
    const lapsed = await third.service.journal.find(old?.ref ?? '')
    expect(lapsed).toMatchObject({
      state: 'lapsed',
      reason: expect.stringContaining('look at the positions'),
    })
    const filled = await third.service.journal.filledThrough([old?.ref ?? ''], Number.MAX_SAFE_INTEGER)
    expect(filled.size).toBe(0)
  })

  test('an order for the next open is not lapsed before that day is over, whatever the books of a weekend list', async () => {
    const clock = deskClock('2026-11-20T16:00:00+05:30')
    const kite = await KiteDesk.start({ clock })
    kite.fake.book.progress.session = 'closed'
    let desk = await kite.desk({ clock })
    const { home } = desk
    const waiting = { symbol: 'INFY', exchange: 'NSE', pricetype: 'LIMIT', price: 1400, amo: true } as const
    const { orderRef: ref = '' } = await desk.settled(desk.place(waiting))
    kite.fake.book.newDay()
    for (const [time, state] of [
      ['2026-11-21T10:00:00+05:30', 'accepted'],
      ['2026-11-23T08:00:00+05:30', 'accepted'],
      ['2026-11-24T09:00:00+05:30', 'lapsed'],
    ] as const) {
      await desk.close()
      clock.suspend(Date.parse(time) - clock.now())
      desk = await kite.desk({ home, clock })
      await desk.settled(desk.clock.sleep(3000))
      expect([time, (await desk.service.journal.find(ref))?.state]).toEqual([time, state])
    }
  })

  test('a broker that goes on refusing is asked less and less often, and at once after a sign-in', async () => {
    const kite = await KiteDesk.start()
    const first = await kite.desk()
    const orders = await placeAt(first, 1)
    await first.close()
    kite.fake.book.cancel({ orderId: orders[0]?.orderId ?? '' })
    kite.fake.script.set({ route: 'orders', probabilities: { 'reject:GeneralException:Try later': 1 } })
    const before = kite.bookReads
    const second = await kite.desk({ home: first.home, clock: first.clock })
    for (let minute = 0; minute < 10; minute++) await second.settled(second.clock.sleep(60_000))
    // At once, and after 15, 45, 105, 225 and 525 seconds.
    expect(kite.bookReads - before).toBe(6)

    kite.fake.script.reset()
    await kite.signIn(second)
    await second.settled(second.clock.sleep(3000))
    expect(await statesOf(second, orders)).toEqual(['cancelled'])
  })

  test('a broker that has ended the session is not asked again until somebody signs in', async () => {
    const kite = await KiteDesk.start()
    const first = await kite.desk()
    const orders = await placeAt(first, 1)
    await first.close()
    kite.fake.book.cancel({ orderId: orders[0]?.orderId ?? '' })
    kite.fake.script.set({ route: 'orders', probabilities: { 'reject:TokenException:Incorrect token': 1 } })
    const before = kite.bookReads
    const second = await kite.desk({ home: first.home, clock: first.clock })
    for (let minute = 0; minute < 10; minute++) await second.settled(second.clock.sleep(60_000))
    expect(kite.bookReads - before).toBeLessThanOrEqual(2)

    kite.fake.script.reset()
    await kite.signIn(second)
    await second.settled(second.clock.sleep(3000))
    expect(await statesOf(second, orders)).toEqual(['cancelled'])
  })

  test('the feed that comes back after a gap has the missed updates looked up', async () => {
    const kite = await KiteDesk.start()
    const desk = await kite.desk()
    const orders = await placeAt(desk, 2)
    kite.fake.ticker.disconnectAll()
    kite.fake.book.cancel({ orderId: orders[0]?.orderId ?? '' })
    const isCancelled = async () => {
      await desk.clock.advance(500)
      return (await statesOf(desk, orders))[0] === 'cancelled'
    }
    await eventually(isCancelled)
    expect(await statesOf(desk, orders)).toEqual(['cancelled', 'accepted'])
  })

  test('many orders in doubt share one read of the book', async () => {
    const kite = await KiteDesk.start()
    const desk = await kite.desk()
    // Taken by the broker, answered by nobody.
    kite.fake.script.set({
      route: 'place',
      actions: ['drop_after', 'drop_after', 'drop_after', 'drop_after'],
    })
    kite.fake.book.progress.stepMs = 3_600_000
    kite.fake.script.set({ route: 'orders', probabilities: { '5xx_before': 1 } })
    const inDoubt = await Promise.all([1, 2, 3, 4].map(() => desk.settled(desk.place(KITE))))
    expect(inDoubt.map(({ code }) => code)).toEqual(new Array(4).fill('outcome_unknown'))
    const refs = inDoubt.map(({ orderRef }) => ({ ref: orderRef ?? '' }))
    await desk.settled(desk.service.reconciler.searchNow())
    expect(await statesOf(desk, refs)).toEqual(new Array(4).fill('unknown'))

    kite.fake.script.reset()
    const before = kite.bookReads
    await desk.settled(desk.service.reconciler.searchNow())
    expect(await statesOf(desk, refs)).toEqual(new Array(4).fill('accepted'))
    expect(kite.bookReads - before).toBe(1)
  })
})
