import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type BrokerClient, BrokerError } from '../../src/core/brokers/broker.js'
import type { VirtualClock } from '../../src/core/time/index.js'
import { syncFromBroker } from '../../src/daemon/broker/instrument-loading.js'
import { FRIDAY_11, payloadOf, TestDesk, USER } from '../support/desk/desk.js'
import { deskClock } from '../support/desk/desk-clock.js'
import { bearer, HttpDesk } from '../support/desk/http-desk.js'
import { KiteDesk } from '../support/desk/kite-desk.js'
import { eventually } from '../support/eventually.js'
import { tempDir } from '../support/files/temp.js'
import { FakeTelegram } from '../support/messages/fake-telegram.js'

/* A session that the broker has ended, or whose hour has come, ends here too: at once, and also after a restart. */

const MINUTE_MS = 60_000
const EXPIRY = Date.parse('2026-11-21T06:00:00+05:30')
const ORDER = { symbol: 'INFY', exchange: 'NSE', product: 'MIS', quantity: 1 } as const

async function opened() {
  const kite = await KiteDesk.start()
  const home = tempDir()
  const desk = await kite.desk({ home })
  return { kite, home, desk, brokers: desk.service.brokers }
}

const sessionEvents = (desk: TestDesk) =>
  desk.events.flatMap(({ payload, topic }) => (topic === 'broker_session' ? [payload] : []))
/** Waits for the events of these states, in this order. */
const announced = async (desk: TestDesk, ...states: string[]) => {
  await eventually(() => sessionEvents(desk).length >= states.length)
  expect(sessionEvents(desk)).toMatchObject(states.map((state) => ({ broker: 'zerodha', state })))
}

/** Opens the home again as a restart does, without a sign-in. */
async function reopened(kite: KiteDesk, home: string, clock: VirtualClock): Promise<TestDesk> {
  const { api, ticker } = kite.fake.endpoints
  const env = { BROKER_ENDPOINTS: `zerodha.api=${api},zerodha.ticker=${ticker}` }
  return TestDesk.open({ home, clock, env })
}

const CALLS: Record<string, (client: BrokerClient, desk: TestDesk) => Promise<unknown>> = {
  orders: ({ orders }) => orders.list(),
  trades: ({ orders }) => orders.trades(),
  positions: ({ portfolio }) => portfolio.positions(),
  funds: ({ portfolio }) => portfolio.funds(),
  quotes: ({ market }) => market.quotes([ORDER]),
  'the list of instruments': (_client, { service }) => syncFromBroker(service),
}

describe('a session that the broker refuses', () => {
  test.each(Object.keys(CALLS))('ends with the answer to %s', async (name) => {
    const { kite, desk, brokers } = await opened()
    const client = brokers.client()
    kite.fake.endSession()
    await desk.settled(CALLS[name]?.(client, desk).catch(() => undefined) ?? Promise.reject())
    expect(brokers.connected()).toBe(false)
    expect(brokers.sessionStatus()).toMatchObject({
      state: 'refused',
      reason: 'Zerodha refuses it: Incorrect `api_key` or `access_token`.',
      nextStep: 'svc broker login',
    })
    await announced(desk, 'signed_out', 'signed_in', 'refused')
  })

  test('refuses orders with the next step: the first with the words of the broker, later ones without a request', async () => {
    const { kite, desk } = await opened()
    kite.fake.endSession()
    expect(await desk.settled(desk.place(ORDER))).toMatchObject({
      status: 403,
      body: { message: expect.stringMatching(/^Incorrect `api_key`.+Sign in again with: svc broker login$/) },
    })
    const requests = kite.fake.requests.length
    await expect(desk.settled(desk.place(ORDER))).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringMatching(/^The Zerodha session has ended\. .+ Sign in with: svc broker login$/),
    })
    expect(kite.fake.requests.length).toBe(requests)
    expect(kite.fake.ledger.placed).toEqual([])
  })

  test('ends with a refused ticker, and nothing knocks at the broker any more', async () => {
    const { kite, desk, brokers } = await opened()
    desk.service.feedWatch.start()
    desk.service.hub.subscribe([ORDER], 1, () => undefined)
    kite.fake.endSession()
    await desk.settled(eventually(() => brokers.sessionStatus().state === 'refused'))
    await desk.clock.advance(MINUTE_MS)
    const [requests, refused] = [kite.fake.requests.length, kite.fake.ticker.refused]
    await desk.clock.advance(30 * MINUTE_MS)
    expect([kite.fake.requests.length, kite.fake.ticker.refused]).toEqual([requests, refused])
    expect(desk.service.feedWatch.state().state).toBe('disconnected')
  })

  test.each(['at the sign-in', 'later'])(
    'does not end with a ticker that is refused alone, %s: orders need no prices',
    async (when) => {
      const { kite, desk, brokers } = await opened()
      const { ticker } = kite.fake
      ticker.refuseNext(...Array.from({ length: 20 }, () => 403))
      if (when === 'later') ticker.disconnectAll()
      else await kite.signIn(desk)
      await desk.clock.advance(MINUTE_MS)
      await desk.settled(eventually(() => ticker.refused > 0))
      await desk.clock.advance(MINUTE_MS)
      expect(brokers.sessionStatus().state).toBe('signed_in')
      expect((await desk.settled(desk.place(ORDER))).code).toBe('ok')
    },
  )

  test('stays ended after a restart, until somebody signs in', async () => {
    const { kite, home, desk, brokers } = await opened()
    kite.fake.endSession()
    await desk.settled(
      brokers
        .client()
        .orders.list()
        .catch(() => undefined),
    )
    await desk.close()
    const requests = kite.fake.requests.length
    const again = await reopened(kite, home, desk.clock)
    const status = again.service.brokers.sessionStatus()
    expect(status).toMatchObject({ broker: 'zerodha', state: 'refused', nextStep: 'svc broker login' })
    expect(await again.service.brokers.resume()).toBe(false)
    expect(kite.fake.requests.length).toBe(requests)

    kite.fake.renewSession()
    await kite.signIn(again)
    expect(again.service.brokers.sessionStatus()).toMatchObject({ state: 'signed_in', reason: undefined })
    await announced(again, 'signed_in')
    expect((await again.settled(again.place(ORDER))).code).toBe('ok')
  })

  test('does not end the session that began meanwhile', async () => {
    const { kite, desk, brokers } = await opened()
    const old = brokers.client()
    kite.fake.script.set({ route: 'orders', actions: ['held'] })
    const late = old.orders.list().catch(() => undefined)
    await eventually(() => kite.fake.requests.includes('GET /orders'))
    await kite.signIn(desk)
    kite.fake.release()
    kite.fake.script.set({ route: 'orders', actions: ['reject:TokenException:Old token.'] })
    await desk.settled(old.orders.list().catch(() => undefined))
    await desk.settled(late)
    expect(brokers.sessionStatus().state).toBe('signed_in')
  })

  test.each<{ name: string; happens: (kite: KiteDesk, desk: TestDesk) => Promise<unknown>; broker: string }>([
    { name: 'a sign-in', happens: (kite, desk) => kite.signIn(desk), broker: 'zerodha' },
    {
      name: 'a change of the broker',
      happens: (_kite, { service }) => service.brokers.use('simulated'),
      broker: 'simulated',
    },
  ])(
    'a download of the instruments that is refused after $name ends nothing',
    async ({ happens, broker }) => {
      const { kite, desk, brokers } = await opened()
      let refuse = (): void => undefined
      const refusal = new Promise<never>((_resolve, reject) => {
        refuse = () => reject(new BrokerError('auth', 'Old token.', { sent: 'yes' }))
      })
      const download = vi
        .spyOn(brokers.plugin().instruments, 'download')
        // biome-ignore lint/correctness/useYield: it is refused before its first row
        .mockImplementationOnce(async function* () {
          await refusal
        })
      onTestFinished(() => download.mockRestore())
      const loading = syncFromBroker(desk.service)
      const refused = expect(loading).rejects.toThrow('Old token.')
      await happens(kite, desk)
      refuse()
      await desk.settled(refused)
      expect(brokers.connected()).toBe(true)
      expect(brokers.sessionStatus()).toMatchObject({ broker, state: 'signed_in' })
    },
  )

  test('lets an order that is under way have its answer', async () => {
    const { kite, desk } = await opened()
    kite.fake.script.set({ route: 'place', actions: ['held'] })
    const slow = desk.place(ORDER)
    await desk.settled(eventually(() => kite.fake.ledger.placed.length === 1))
    kite.fake.endSession()
    await desk.settled(
      desk.service.brokers
        .client()
        .orders.list()
        .catch(() => undefined),
    )
    expect(desk.service.brokers.connected()).toBe(false)
    kite.fake.release()
    expect((await desk.settled(slow)).code).toBe('ok')
  })

  test.each<{ name: string; happens: (kite: KiteDesk, desk: TestDesk) => Promise<unknown> }>([
    { name: 'a sign-in', happens: (kite, desk) => kite.signIn(desk) },
    { name: 'a sign-out', happens: (_kite, { service }) => service.brokers.logout() },
    { name: 'a change to another broker', happens: (_kite, { service }) => service.brokers.use('simulated') },
  ])('an order that is under way at $name has its answer, and is sent once', async ({ happens }) => {
    const { kite, desk } = await opened()
    kite.fake.script.set({ route: 'place', actions: ['held'] })
    const slow = desk.place(ORDER)
    await desk.settled(eventually(() => kite.fake.ledger.placed.length === 1))
    await happens(kite, desk)
    kite.fake.release()
    const { body, code, orderRef = '' } = await desk.settled(slow)
    const [placed, ...more] = kite.fake.ledger.placed
    expect([code, body.orderid, more]).toEqual(['ok', placed?.orderId, []])
    expect(await desk.service.journal.find(orderRef)).toMatchObject({
      broker: 'zerodha',
      orderId: placed?.orderId,
      settledBy: null,
    })
  })

  test('an order update that cannot be true is no fill, and the next true one counts', async () => {
    const { kite, desk } = await opened()
    const { body, orderRef = '' } = await desk.settled(
      desk.place({ ...ORDER, pricetype: 'LIMIT', price: 1400 }),
    )
    const [row] = kite.fake.book.orders
    for (const wrong of [
      { filled_quantity: 1_000_000, status: 'COMPLETE' },
      { filled_quantity: -1, status: 'OPEN' },
      { filled_quantity: null, status: 'COMPLETE' },
      { filled_quantity: 1, average_price: -1, status: 'COMPLETE' },
    ]) {
      const data = { ...row, ...wrong }
      kite.fake.ticker.sendText(JSON.stringify({ type: 'order', data }))
    }
    for (const text of ['', '{', '[]', '{"type":"order"}', '{"type":"order","data":[]}', 'null'])
      kite.fake.ticker.sendText(text)
    kite.fake.setPrice('NSE:INFY', 1399)
    const { journal } = desk.service
    await eventually(async () => (await journal.find(orderRef))?.state === 'filled')
    const { svc } = desk.service.databases
    expect(await svc.queryRaw('select quantity from order_fills')).toEqual([{ quantity: 1 }])
    expect(await journal.find(orderRef)).toMatchObject({ orderId: body.orderid })
  })

  test('an order update that cannot be read has the book compared soon, though the feed is connected', async () => {
    const { kite, desk } = await opened()
    const soon = vi.spyOn(desk.service.openOrders, 'compareSoon')
    kite.fake.ticker.sendText('{"type":"order","data":{"status":"COMPLETE"}}')
    await eventually(() => soon.mock.calls.length === 1)
    expect(desk.service.brokers.client().orderEvents?.state()).toMatchObject({ connected: true })
  })

  test.each([0, 4])('an update of a completion with %i of 10 filled ends nothing', async (filled) => {
    const { kite, desk } = await opened()
    const ten = { ...ORDER, quantity: 10, pricetype: 'LIMIT', price: 1400 } as const
    const { orderRef = '' } = await desk.settled(desk.place(ten))
    const [row] = kite.fake.book.orders
    const data = { ...row, filled_quantity: filled, average_price: 1399, status: 'COMPLETE' }
    kite.fake.ticker.sendText(JSON.stringify({ type: 'order', data }))
    kite.fake.setPrice('NSE:INFY', 1399)
    const { databases, journal } = desk.service
    await eventually(async () => (await journal.find(orderRef))?.state === 'filled')
    expect(await databases.svc.queryRaw('select quantity from order_fills')).toEqual([{ quantity: 10 }])
    const ends = await databases.svc.queryRaw("select detail from order_events where to_state = 'filled'")
    expect(ends).toMatchObject([{ detail: expect.stringMatching(/^filled 10 of 10 /) }])
  })

  test('of the orders of a replaced account only those on their way are told', async () => {
    const { kite, desk, brokers } = await opened()
    const limit = { ...ORDER, pricetype: 'LIMIT', price: 1400 } as const
    const earlier = (await desk.settled(desk.place(limit))).body.orderid
    kite.fake.script.set({ route: 'place', actions: ['held'] })
    const slow = desk.place(limit)
    await desk.settled(eventually(() => kite.fake.ledger.placed.length === 2))
    await brokers.use('simulated')
    kite.fake.setPrice('NSE:INFY', 1399)
    kite.fake.release()
    const { body, orderRef = '' } = await desk.settled(slow)
    const { journal } = desk.service
    await eventually(async () => (await journal.find(orderRef))?.state === 'filled')
    expect(await journal.findByOrderId('zerodha', String(earlier))).toMatchObject({ state: 'accepted' })
    const told = () =>
      desk.events.filter(
        ({ payload, topic }) =>
          topic === 'order.update' && 'order_status' in payload && payload.order_status === 'complete',
      )
    await desk.settled(eventually(() => told().length > 0))
    expect(told()).toMatchObject([{ payload: { orderid: body.orderid } }])
    // Nothing is lost: the comparison with the book tells of the other one once its account is back.
    await brokers.use('zerodha')
    await desk.settled(eventually(() => told().length === 2))
    expect(told()[1]).toMatchObject({ payload: { orderid: earlier } })
  })

  test('a refusal of another kind ends nothing', async () => {
    const { kite, desk, brokers } = await opened()
    for (const words of ['PermissionException:No subscription.', 'NetworkException:Too many requests']) {
      kite.fake.script.set({ route: 'orders', actions: [`reject:${words}`] })
      await desk.settled(
        brokers
          .client()
          .orders.list()
          .catch(() => undefined),
      )
    }
    expect(brokers.sessionStatus().state).toBe('signed_in')
  })
})

describe('a refused address', () => {
  const WORDS = 'The IP 203.0.113.7 is not allowed to place orders for this app.'
  const REFUSAL = `reject:PermissionException:${WORDS}`

  test('is a state of its own: reads go on, orders are tried, and the first that is taken ends it', async () => {
    const { kite, desk, brokers } = await opened()
    kite.fake.script.set({ route: 'place', actions: [REFUSAL, REFUSAL] })
    for (let count = 0; count < 2; count++) {
      expect(await desk.settled(desk.place(ORDER))).toMatchObject({
        status: 403,
        body: { message: expect.stringContaining(WORDS) },
      })
    }
    expect(brokers.sessionStatus()).toMatchObject({
      state: 'ip_not_allowed',
      reason: WORDS,
      nextStep: expect.stringContaining('register the public address'),
    })
    await desk.settled(brokers.client().orders.list())
    expect(brokers.sessionStatus().state).toBe('ip_not_allowed')
    await announced(desk, 'signed_out', 'signed_in', 'ip_not_allowed')

    expect((await desk.settled(desk.place(ORDER))).code).toBe('ok')
    expect(brokers.sessionStatus()).toMatchObject({ state: 'signed_in', reason: undefined })
    await announced(desk, 'signed_out', 'signed_in', 'ip_not_allowed', 'signed_in')
  })

  test('ends with a new sign-in, too', async () => {
    const { kite, desk, brokers } = await opened()
    kite.fake.script.set({ route: 'place', actions: [REFUSAL] })
    await desk.settled(desk.place(ORDER))
    await kite.signIn(desk)
    expect(brokers.sessionStatus().state).toBe('signed_in')
  })

  test('makes the service not ready for live orders, and is no reason to take it out of use', async () => {
    const kite = await KiteDesk.start()
    const { api, ticker } = kite.fake.endpoints
    const http = await HttpDesk.open({
      env: { BROKER_ENDPOINTS: `zerodha.api=${api},zerodha.ticker=${ticker}` },
    })
    await http.desk.service.brokers.use('zerodha')
    await kite.signIn(http.desk)
    kite.fake.script.set({ route: 'place', actions: [REFUSAL] })
    await http.desk.settled(http.desk.place(ORDER))
    expect(await http.request('GET', '/health/ready')).toMatchObject({
      status: 503,
      body: { checks: { broker: 'connected', session: 'ip_not_allowed', requests: 'accepted' } },
    })
    expect((await http.request('GET', '/health/status')).status).toBe(200)
    const headers = bearer(await http.tokenOf('read'))
    expect((await http.request('GET', '/broker/status', { headers })).body.data).toMatchObject({
      connected: true,
      reason: WORDS,
      session: { state: 'ip_not_allowed' },
    })
  })
})

describe('the last half hour of a session', () => {
  const SOON = EXPIRY - 30 * MINUTE_MS

  test('is told once, and orders go on', async () => {
    const { desk, brokers } = await opened()
    desk.clock.suspend(SOON - desk.clock.now() - MINUTE_MS)
    await desk.clock.advance(3 * MINUTE_MS)
    expect(brokers.sessionStatus()).toMatchObject({
      state: 'expires_soon',
      since: SOON,
      until: EXPIRY,
      nextStep: 'svc broker login',
    })
    await announced(desk, 'signed_out', 'signed_in', 'expires_soon')
    expect(brokers.connected()).toBe(true)
  })

  test('is told after a restart in it', async () => {
    const { kite, home, desk } = await opened()
    await desk.close()
    const again = await reopened(kite, home, deskClock(SOON + MINUTE_MS))
    await announced(again, 'expires_soon')
    // Its list of instruments is loading, and waits for the broker's first second.
    await again.settled(again.close())
  })
})

describe('the hour at which the broker ends its sessions', () => {
  test('ends the session of a running daemon', async () => {
    const { kite, desk, brokers } = await opened()
    desk.clock.suspend(EXPIRY - desk.clock.now() - 2 * MINUTE_MS)
    await desk.clock.advance(2 * MINUTE_MS - 1)
    expect(brokers.sessionStatus()).toMatchObject({ state: 'expires_soon', until: EXPIRY })
    await desk.clock.advance(1)
    expect(brokers.sessionStatus()).toMatchObject({
      state: 'expired',
      since: EXPIRY,
      reason: 'It expired at 2026-11-21 06:00:00 IST.',
    })
    await announced(desk, 'signed_out', 'signed_in', 'expires_soon', 'expired')
    await eventually(() => kite.fake.ticker.connections === 0)
    await expect(desk.place(ORDER)).rejects.toMatchObject({ code: 'forbidden' })
  })

  test.each([
    ['forward over it', 20 * 60, 'expired'],
    ['back by a day', -24 * 60, 'signed_in'],
  ] as const)('follows a clock that is set %s', async (_, minutes, state) => {
    const { desk, brokers } = await opened()
    desk.clock.step(minutes * MINUTE_MS)
    await desk.clock.advance(MINUTE_MS)
    expect(brokers.sessionStatus().state).toBe(state)
  })

  test('ends a session while the daemon is down', async () => {
    const { kite, home, desk } = await opened()
    await desk.close()
    const again = await reopened(kite, home, deskClock(EXPIRY + MINUTE_MS))
    expect(again.service.brokers.sessionStatus()).toMatchObject({ state: 'expired', since: EXPIRY })
  })

  test('is told at the start when it came while the daemon was down, once', async () => {
    const { kite, home, desk } = await opened()
    await desk.close()
    const again = await reopened(kite, home, deskClock(EXPIRY + MINUTE_MS))
    await announced(again, 'expired')
    await again.close()
    const third = await reopened(kite, home, deskClock(EXPIRY + 2 * MINUTE_MS))
    expect(third.service.brokers.sessionStatus()).toMatchObject({ state: 'expired', since: EXPIRY })
    expect(sessionEvents(third)).toEqual([])
  })
})

describe('readiness', () => {
  test('is about orders: false in Live mode without a session, while requests are answered', async () => {
    const kite = await KiteDesk.start()
    const { api, ticker } = kite.fake.endpoints
    const env = { BROKER_ENDPOINTS: `zerodha.api=${api},zerodha.ticker=${ticker}` }
    const http = await HttpDesk.open({ env })
    const { desk } = http
    const headers = bearer(await http.tokenOf('read'))
    const ready = async () => (await http.request('GET', '/health/ready')).status
    const status = async () => (await http.request('GET', '/status', { headers })).body.data

    expect(await ready()).toBe(200)
    await desk.service.brokers.use('zerodha')
    expect(await ready()).toBe(503)
    expect(await status()).toMatchObject({
      ready_for_orders: false,
      broker_session: { broker: 'zerodha', state: 'signed_out', next_step: 'svc broker login' },
    })
    await kite.signIn(desk)
    expect(await ready()).toBe(200)

    kite.fake.endSession()
    await desk.settled(
      desk.service.brokers
        .client()
        .orders.list()
        .catch(() => undefined),
    )
    expect(await http.request('GET', '/health/ready')).toMatchObject({
      status: 503,
      body: { status: 'fail', checks: { broker: 'disconnected', requests: 'accepted', storage: 'ok' } },
    })
    expect((await http.request('GET', '/health/status')).status).toBe(200)
    expect((await http.request('GET', '/broker/status', { headers })).body.data).toMatchObject({
      connected: false,
      reason: 'Zerodha refuses it: Incorrect `api_key` or `access_token`.',
      session: { state: 'refused', next_step: 'svc broker login' },
    })
    await desk.service.settings.setAnalyzeMode(true)
    expect(await ready()).toBe(200)
    expect(await status()).toMatchObject({ ready_for_orders: true, broker_session: { state: 'refused' } })
  })
})

test('the owner gets a message', async () => {
  const telegram = await FakeTelegram.open()
  const kite = await KiteDesk.start()
  const { api, ticker } = kite.fake.endpoints
  const desk = await TestDesk.open({
    env: {
      BROKER_ENDPOINTS: `zerodha.api=${api},zerodha.ticker=${ticker}`,
      TELEGRAM_BOT_TOKEN: '123456789:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
      TELEGRAM_CHATS: `${USER}=4711`,
    },
    telegramApi: telegram.api,
  })
  await desk.service.brokers.use('zerodha')
  await kite.signIn(desk)
  kite.fake.endSession()
  await desk.settled(
    desk.service.brokers
      .client()
      .orders.list()
      .catch(() => undefined),
  )
  const sent = () => telegram.calls.filter(({ method }) => method === 'sendMessage')
  await desk.settled(eventually(() => sent().length > 0))
  expect(JSON.stringify(sent()[0])).toContain('The session at zerodha has ended')
})

test('Analyzer mode goes on without a session', async () => {
  const { kite, desk } = await opened()
  await desk.service.settings.setAnalyzeMode(true)
  kite.fake.endSession()
  await desk.settled(
    desk.service.brokers
      .client()
      .orders.list()
      .catch(() => undefined),
  )
  const limit = payloadOf({ ...ORDER, pricetype: 'LIMIT', price: 1400 })
  const { underlying_ltp: _, ...order } = limit
  expect(await desk.settled(desk.place(order))).toMatchObject({ status: 200 })
  expect(desk.clock.now()).toBeGreaterThan(Date.parse(FRIDAY_11) - 1)
})
