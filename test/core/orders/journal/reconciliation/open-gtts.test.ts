import { describe, expect, test } from 'vitest'
import { placeGttPayload } from '../../../../../src/core/orders/index.js'
import { parseWith } from '../../../../../src/core/validation/index.js'
import { type TestDesk, USER } from '../../../../support/desk/desk.js'
import { KiteDesk } from '../../../../support/desk/kite-desk.js'

const CONTEXT = { userId: USER, source: 'api' as const }

function gtt(fields: Record<string, unknown> = {}) {
  return parseWith(placeGttPayload, {
    strategy: 't',
    trigger_type: 'SINGLE',
    exchange: 'NSE',
    symbol: 'INFY',
    action: 'SELL',
    product: 'CNC',
    quantity: 5,
    price: 1445,
    triggerprice_sl: 1450,
    ...fields,
  })
}

async function placed(desk: TestDesk, fields?: Record<string, unknown>) {
  const { body, orderRef = '' } = await desk.settled(desk.orders.gtts.place(gtt(fields), CONTEXT))
  return { triggerId: String(body.trigger_id), ref: orderRef }
}

/** Opens a second desk after the first has missed what happened. */
async function afterwards(kite: KiteDesk, first: TestDesk): Promise<TestDesk> {
  const desk = await kite.desk({ home: first.home, clock: first.clock })
  await desk.settled(desk.clock.sleep(3000))
  return desk
}

// Kite stores no tag with a GTT.
describe('a GTT at a broker without tags is followed by its id', () => {
  test('one that fired takes its order, and ends with it', async () => {
    const kite = await KiteDesk.start()
    const first = await kite.desk()
    const oco = { trigger_type: 'OCO', stoploss: 1445, triggerprice_tg: 1550, target: 1555 }
    const { ref } = await placed(first, oco)
    await first.close()
    kite.fake.setPrice('NSE:INFY', 1550)
    const orderId = kite.fake.book.orders[0]?.order_id ?? ''

    const second = await afterwards(kite, first)
    expect(await second.service.journal.find(ref)).toMatchObject({ state: 'triggered', orderId })
    expect(await second.published('gtt.triggered')).toMatchObject([{ triggered_order_id: orderId }])
    kite.fake.setPrice('NSE:INFY', 1556)
    await second.settled(second.clock.sleep(400_000))
    expect(await second.service.journal.find(ref)).toMatchObject({ state: 'filled', orderId })
    expect(kite.fake.ledger.placed).toHaveLength(1)
  })

  test('one whose order was refused when it fired is rejected, and its user is told why', async () => {
    const kite = await KiteDesk.start()
    const first = await kite.desk()
    const { ref } = await placed(first, { price: 1300 })
    await first.close()
    kite.fake.setPrice('NSE:INFY', 1449)

    const second = await afterwards(kite, first)
    const reason = expect.stringContaining('its order was refused: Your order price is lower')
    expect(await second.service.journal.find(ref)).toMatchObject({ state: 'rejected', reason })
    expect(await second.published('gtt.failed')).toMatchObject([{ error_message: reason, mode: 'live' }])
  })

  test('one that was deleted or expired ends; one that is active stays open', async () => {
    const kite = await KiteDesk.start()
    const first = await kite.desk()
    const [deleted, expired, active] = [await placed(first), await placed(first), await placed(first)]
    await first.close()
    kite.fake.triggers.remove(Number(deleted.triggerId))
    kite.fake.triggers.expire(Number(expired.triggerId))

    const second = await afterwards(kite, first)
    const rows = await Promise.all(
      [deleted, expired, active].map(({ ref }) => second.service.journal.find(ref)),
    )
    expect(rows.map((row) => row?.state)).toEqual(['cancelled', 'cancelled', 'accepted'])
    expect(await second.published('gtt.expired')).toHaveLength(1)
    // One reading of the list tells of all but the one that it leaves out.
    const reads = kite.fake.requests.filter((request) => request.startsWith('GET /gtt'))
    expect(new Set(reads)).toEqual(new Set(['GET /gtt/triggers', `GET /gtt/triggers/${deleted.triggerId}`]))
    expect((await second.orders.gtts.book(USER)).data).toMatchObject([{ trigger_id: active.triggerId }])
  })

  test('one that cannot be looked up does not keep the others from being compared, and is asked for again', async () => {
    const kite = await KiteDesk.start()
    const first = await kite.desk()
    const [gone, expired] = [await placed(first), await placed(first)]
    await first.close()
    kite.fake.triggers.remove(Number(gone.triggerId))
    kite.fake.triggers.expire(Number(expired.triggerId))
    kite.fake.script.set({ route: 'gtt', probabilities: { garbage: 1 } })

    const second = await afterwards(kite, first)
    const states = () =>
      Promise.all([gone, expired].map(async ({ ref }) => (await second.service.journal.find(ref))?.state))
    expect(await states()).toEqual(['accepted', 'cancelled'])
    kite.fake.script.set({ route: 'gtt' })
    await second.settled(second.clock.sleep(20_000))
    expect(await states()).toEqual(['cancelled', 'cancelled'])
  })

  test('a broker that answers no look-up is asked once, so that open orders do not wait for each', async () => {
    const kite = await KiteDesk.start()
    const first = await kite.desk()
    const gone = [await placed(first), await placed(first), await placed(first)]
    const expired = await placed(first)
    await first.close()
    for (const { triggerId } of gone) kite.fake.triggers.remove(Number(triggerId))
    kite.fake.triggers.expire(Number(expired.triggerId))
    kite.fake.script.set({ route: 'gtt', probabilities: { '5xx_before': 1 } })

    const second = await afterwards(kite, first)
    const asked = kite.fake.requests.filter((request) => request.startsWith('GET /gtt/triggers/'))
    expect(new Set(asked).size).toBe(1)
    const { journal } = second.service
    expect((await journal.find(expired.ref))?.state).toBe('cancelled')
    kite.fake.script.set({ route: 'gtt' })
    await second.settled(second.clock.sleep(20_000))
    for (const { ref } of gone) expect((await journal.find(ref))?.state).toBe('cancelled')
  })

  test('a list that cannot be read proves nothing', async () => {
    const kite = await KiteDesk.start()
    const first = await kite.desk()
    const { ref } = await placed(first)
    await first.close()
    kite.fake.script.set({ route: 'gtts', probabilities: { garbage: 1 } })
    const second = await afterwards(kite, first)
    expect((await second.service.journal.find(ref))?.state).toBe('accepted')
  })

  test('a list that cannot be read is read less and less often, and the orders as often as ever', async () => {
    const kite = await KiteDesk.start()
    const desk = await kite.desk()
    await placed(desk)
    await desk.settled(
      desk.place({ symbol: 'INFY', exchange: 'NSE', pricetype: 'LIMIT', price: 1400, quantity: 10 }),
    )
    kite.fake.script.set({ route: 'gtts', probabilities: { garbage: 1 } })
    const reads = () => kite.fake.requests.filter((request) => request === 'GET /gtt/triggers').length
    const [books, lists] = [kite.bookReads, reads()]
    for (let second = 0; second < 300; second += 4) {
      // Somebody waits for an order all the time.
      desk.service.openOrders.compareSoon()
      await desk.settled(desk.clock.sleep(4000))
    }
    expect(kite.bookReads - books).toBeGreaterThanOrEqual(15)
    expect(reads() - lists).toBeLessThanOrEqual(6)
  })

  test('an order whose report came while the list could not be read is that of its GTT once it can', async () => {
    const kite = await KiteDesk.start()
    const desk = await kite.desk()
    const { ref } = await placed(desk)
    kite.fake.script.set({ route: 'gtts', probabilities: { garbage: 1 } })
    kite.fake.setPrice('NSE:INFY', 1449)
    const orderId = kite.fake.book.orders[0]?.order_id ?? ''
    await desk.settled(desk.clock.sleep(10_000))
    expect(await desk.service.journal.find(ref)).toMatchObject({ state: 'accepted' })

    kite.fake.script.reset()
    await desk.settled(desk.clock.sleep(20_000))
    expect(await desk.service.journal.find(ref)).toMatchObject({ orderId })
    expect(await desk.published('broker_drift')).toEqual([])
  })
})

test('the sizes of contracts are read before a GTT in one that the broker counts in lots', async () => {
  const kite = await KiteDesk.start()
  const desk = await kite.desk()
  const gold = { symbol: 'GOLDM31JAN30FUT', exchange: 'MCX', product: 'NRML', quantity: 30 }
  await placed(desk, { ...gold, price: 71_900, triggerprice_sl: 72_000 })
  const sent = kite.fake.requests
  expect(sent.indexOf('GET /portfolio/positions')).toBeLessThan(sent.indexOf('POST /gtt/triggers'))
})
