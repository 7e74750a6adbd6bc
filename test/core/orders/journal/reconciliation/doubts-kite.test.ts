import { expect, test } from 'vitest'
import { placeGttPayload } from '../../../../../src/core/orders/gtt/schema.js'
import { FRIDAY_11, type TestDesk, USER } from '../../../../support/desk/desk.js'
import { deskClock } from '../../../../support/desk/desk-clock.js'
import { KiteDesk } from '../../../../support/desk/kite-desk.js'
import { eventually } from '../../../../support/eventually.js'

const KITE = { symbol: 'INFY', exchange: 'NSE', pricetype: 'LIMIT', price: 1400, quantity: 10 } as const
const MINUTE = 60_000

/** Searches once a minute, as the service does. */
async function searchFor(desk: TestDesk, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    desk.clock.suspend(MINUTE)
    await desk.settled(desk.service.reconciler.searchNow())
  }
}

test('an order that never reached Zerodha ends after the close, over an outage and a restart, and is sent once', async () => {
  const kite = await KiteDesk.start()
  const first = await kite.desk()
  kite.fake.script.set({ route: 'place', actions: ['drop_before'] })
  const { orderRef: ref = '' } = await first.settled(first.place(KITE))
  await first.settled(first.service.reconciler.searchNow())
  expect(await first.service.journal.find(ref)).toMatchObject({
    state: 'unknown',
    account: expect.any(String),
  })

  first.clock.suspend(Date.parse('2026-11-20T15:34:30+05:30') - first.clock.now())
  await searchFor(first, 3)
  await first.close()
  const second = await kite.desk({ home: first.home, clock: first.clock })
  kite.fake.script.set({ route: 'orders', probabilities: { '5xx_before': 1 } })
  await searchFor(second, 6)
  kite.fake.script.reset()
  expect(await second.service.journal.find(ref)).toMatchObject({ state: 'unknown' })
  await searchFor(second, 6)
  expect(await second.service.journal.find(ref)).toMatchObject({
    state: 'rejected',
    endCause: 'not_received',
    settledBy: 'not_shown',
  })
  expect(kite.fake.ledger.placed).toEqual([])
})

test.each(['drop_after', '5xx_after', 'garbage', 'no_id'])(
  'an order that Zerodha took and answered with %s is found by its tag, and sent once',
  async (action) => {
    const kite = await KiteDesk.start()
    const desk = await kite.desk()
    kite.fake.script.set({ route: 'place', actions: [action] })
    const { orderRef: ref = '' } = await desk.settled(desk.place(KITE))
    expect(ref).toMatch(/^S[A-Z0-9]{17}$/)
    await desk.settled(desk.service.reconciler.searchNow())
    await desk.service.updates.drained()
    const row = await desk.service.journal.find(ref)
    expect(row?.orderId).toBe(kite.fake.ledger.placed[0]?.orderId)
    expect(kite.fake.ledger.placed.map(({ tag }) => tag)).toEqual([ref])
  },
)

test('a GTT that Zerodha took without an answer is found by its content, and sent once', async () => {
  const clock = deskClock(FRIDAY_11)
  const kite = await KiteDesk.start({ clock })
  const desk = await kite.desk({ clock })
  const gtt = {
    strategy: 'test',
    trigger_type: 'SINGLE',
    symbol: 'INFY',
    exchange: 'NSE',
    action: 'BUY',
    product: 'CNC',
    quantity: 5,
    pricetype: 'LIMIT',
    price: 1350,
    triggerprice_sl: 1360,
  }
  const context = { userId: USER, source: 'api' } as const
  const place = (price: number) =>
    desk.settled(desk.orders.gtts.place(placeGttPayload.parse({ ...gtt, price }), context))
  await place(1340)
  kite.fake.script.set({ route: 'placeGtt', actions: ['drop_after'] })
  const { orderRef: ref = '' } = await place(1350)
  expect(await desk.service.journal.find(ref)).toMatchObject({ state: 'unknown' })
  await desk.settled(desk.service.reconciler.searchNow())
  const list = desk.service.brokers.client().gtts?.list() ?? Promise.resolve([])
  const triggers = await desk.settled(list)
  expect(triggers.map(({ legs }) => legs[0]?.price).toSorted()).toEqual([1340, 1350])
  expect(await desk.service.journal.find(ref)).toMatchObject({
    state: 'accepted',
    settledBy: 'matched',
    triggerId: triggers.find(({ legs }) => legs[0]?.price === 1350)?.triggerId,
  })
})

test.each([
  ['after a gap of the feed', (kite: KiteDesk) => kite.fake.ticker.disconnectAll()],
  ['soon after the feed has told of it', () => undefined],
])('an order of the Kite app is told once %s, and the service leaves it alone', async (_when, then) => {
  const kite = await KiteDesk.start()
  const desk = await kite.desk()
  const isCompared = async () => {
    await desk.clock.advance(500)
    return (await desk.service.drift.state()) !== undefined
  }
  await eventually(isCompared)
  expect(await desk.service.drift.state()).toMatchObject({ orders: [], positions: [] })
  const form = {
    tradingsymbol: 'INFY',
    exchange: 'NSE',
    transaction_type: 'BUY',
    order_type: 'MARKET',
    product: 'MIS',
    quantity: '5',
    market_protection: '-1',
  }
  const orderid = kite.fake.book.place('regular', form, undefined)
  then(kite)
  const since = desk.clock.now()
  const isTold = async () => {
    await desk.clock.advance(500)
    return (await desk.published('broker_drift')).length > 0
  }
  await eventually(isTold)
  expect(desk.clock.now() - since).toBeLessThan(60_000)
  const position = { symbol: 'INFY', exchange: 'NSE', product: 'MIS', quantity: 5 }
  expect(await desk.published('broker_drift')).toMatchObject([
    { broker: 'zerodha', orders: [{ orderid }], positions: [position] },
  ])
  expect(await desk.service.drift.state()).toMatchObject({ orders: [orderid], positions: [position] })
  expect(kite.fake.ledger.placed).toHaveLength(1)
})
