import { describe, expect, test, vi } from 'vitest'
import { BrokerError, type GttAbilities } from '../../../../src/core/brokers/broker.js'
import { changeInParts } from '../../../../src/core/brokers/kit/http/change-in-parts.js'
import type { FaultRule } from '../../../../src/core/brokers/simulated/index.js'
import { toGttRequest } from '../../../../src/core/orders/gtt/schema.js'
import { OrderHistory, type PlaceGttPayload, placeGttPayload } from '../../../../src/core/orders/index.js'
import { parseWith } from '../../../../src/core/validation/index.js'
import { TestDesk, USER } from '../../../support/desk/desk.js'

const CONTEXT = { userId: USER, source: 'api' as const }

/** A request as a client sends it, read as the service reads it. */
function gtt(fields: Record<string, unknown> = {}): PlaceGttPayload {
  const payload = parseWith(placeGttPayload, {
    strategy: 't',
    trigger_type: 'SINGLE',
    exchange: 'NSE',
    symbol: 'SBIN',
    action: 'buy',
    product: 'CNC',
    quantity: '5',
    price: 690,
    triggerprice_sl: 700,
    ...fields,
  })
  return payload
}

/** A trigger that every price reaches, with a limit that fills. */
const DUE = { triggerprice_sl: '', triggerprice_tg: 1, price: 830 }

const lost = (kind: FaultRule['kind']): FaultRule => ({ on: ['placeGtt'], kind, times: 1 })

describe('the normalised request', () => {
  test.each([
    [
      'keeps the stop-loss trigger of a SINGLE with both, and no leg limits',
      { triggerprice_tg: 900, stoploss: 1, target: 2 },
      { triggerprice_sl: 700, triggerprice_tg: null, stoploss: null, target: null, trigger_price: 700 },
    ],
    [
      'keeps the target trigger where it is the only one',
      { triggerprice_sl: '', triggerprice_tg: 900 },
      { triggerprice_sl: null, triggerprice_tg: 900, trigger_price: 900 },
    ],
    [
      'keeps all four prices of an OCO',
      { trigger_type: 'oco', triggerprice_tg: 900, stoploss: 695, target: '905' },
      {
        trigger_type: 'OCO',
        triggerprice_sl: 700,
        triggerprice_tg: 900,
        stoploss: 695,
        target: 905,
        trigger_price: 900,
      },
    ],
    [
      'spells the side in capitals and reads text as numbers',
      {},
      { action: 'BUY', quantity: 5, expires_at: null },
    ],
  ])('%s', (_name, fields, expected) => {
    expect(gtt(fields)).toMatchObject(expected)
  })
})

describe.each(['live', 'analyze'] as const)('the expiry of a GTT (%s)', (mode) => {
  async function open(): Promise<TestDesk> {
    const desk = await TestDesk.open()
    await desk.service.sandbox.start()
    await desk.service.settings.setAnalyzeMode(mode === 'analyze')
    return desk
  }

  test('is the one that the client wrote', async () => {
    const desk = await open()
    const { gtts } = desk.orders
    expect(await gtts.place(gtt({ expires_at: '2026-12-31 15:30' }), CONTEXT)).toMatchObject({ code: 'ok' })
    const [row] = (await gtts.book(USER)).data as { expires_at: string }[]
    expect(row?.expires_at.replace('T', ' ')).toMatch(/^2026-12-31 15:30:00/)
  })

  test.each(['auto', 'semi_auto'] as const)('in the past is refused (%s)', async (orderMode) => {
    const desk = await open()
    const { approvals, identity, journal } = desk.service
    const { orders } = desk
    await identity.apiKeys.setOrderMode(USER, orderMode)
    expect(await orders.gtts.place(gtt({ expires_at: '2020-01-01' }), CONTEXT)).toMatchObject({
      status: 400,
      code: 'validation',
      body: {
        message: 'expires_at: Must be in the future.',
        errors: { expires_at: ['Must be in the future.'] },
      },
    })
    expect(await journal.list(USER, 10)).toEqual([])
    expect((await approvals.list(USER, { status: 'all' })).orders).toEqual([])
    expect(await desk.published('gtt.failed')).toMatchObject([{ mode }])
  })

  test('that passes while it waits for approval is not placed', async () => {
    const desk = await open()
    const { approvals, brokers, identity, journal } = desk.service
    await identity.apiKeys.setOrderMode(USER, 'semi_auto')
    const { body } = await desk.orders.gtts.place(gtt({ expires_at: '2026-11-20 12:00' }), CONTEXT)
    await desk.clock.advance(2 * 3_600_000)
    const { gtts } = brokers.client()
    if (!gtts) throw new Error('the broker keeps no GTTs')
    // A broker that does not know the expiry would take it.
    const place = vi.spyOn(gtts, 'place')
    expect(await approvals.approve(USER, Number(body.pending_order_id), USER)).toMatchObject({
      outcome: 'failed',
      executionError: 'expires_at: Must be in the future.',
    })
    expect(place).not.toHaveBeenCalled()
    expect(await journal.inState('claimed')).toEqual([])
    expect(await desk.published('gtt.failed')).toMatchObject([{ mode }])
  })
})

describe('a live GTT', () => {
  test('that fired or was cancelled while the service was down ends at the next start', async () => {
    const first = await TestDesk.open()
    const place = async () => {
      const { body, orderRef = '' } = await first.orders.gtts.place(gtt(), CONTEXT)
      return { triggerId: String(body.trigger_id), orderRef }
    }
    const [cancelled, fired, active] = [await place(), await place(), await place()]
    const { gtts } = first.service.brokers.client()
    await gtts?.cancel(cancelled.triggerId)
    const due = [{ kind: 'target' as const, triggerPrice: 1, price: 0 }]
    await gtts?.modify(fired.triggerId, { ...toGttRequest(gtt()), legs: due }, { lastPrice: 800 })
    await first.clock.advance(2000)
    await first.close()

    const second = await TestDesk.open({ home: first.home, clock: first.clock })
    const states = [cancelled, fired, active].map(async ({ orderRef }) => {
      const row = await second.service.journal.find(orderRef)
      return row?.state
    })
    expect(await Promise.all(states)).toEqual(['cancelled', 'filled', 'accepted'])
    const filled = await second.service.journal.filledThrough([fired.orderRef], Number.MAX_SAFE_INTEGER)
    expect(filled.get(fired.orderRef)).toMatchObject({ quantity: 5 })
    const [order] = await second.service.brokers.client().orders.list()
    expect(await second.published('gtt.triggered')).toMatchObject([
      {
        mode: 'live',
        symbol: 'SBIN',
        exchange: 'NSE',
        strategy: 't',
        trigger_type: 'SINGLE',
        trigger_id: fired.triggerId,
        triggered_order_id: order?.orderId,
      },
    ])
    expect(await second.published('order.update')).toMatchObject([
      { orderid: order?.orderId, order_status: 'complete', filled_quantity: 5 },
    ])
  })

  test('that fired in an earlier session has the end of its order, and counts for its strategy', async () => {
    const first = await TestDesk.open()
    const { orderRef = '' } = await first.orders.gtts.place(gtt(DUE), CONTEXT)
    await first.clock.advance(2000)
    await first.close()
    await first.clock.advance(24 * 3_600_000)
    const second = await TestDesk.open({ home: first.home, clock: first.clock })
    expect(await second.service.brokers.client().orders.list()).toEqual([])
    expect(await second.service.journal.find(orderRef)).toMatchObject({ state: 'filled' })
    expect(await second.service.journal.filledThrough([orderRef], Number.MAX_SAFE_INTEGER)).toMatchObject(
      new Map([[orderRef, { quantity: 5 }]]),
    )
    const { legs } = await second.service.strategies.profit(USER, 't')
    expect(legs).toMatchObject([{ symbol: 'SBIN', quantity: 5 }])
  })

  test('that fires is published with its order, and followed to its end; each report comes once', async () => {
    const desk = await TestDesk.open()
    desk.service.openOrders.start()
    const { body, orderRef = '' } = await desk.orders.gtts.place(gtt(DUE), CONTEXT)
    for (let second = 0; second < 6; second++) await desk.settled(desk.clock.sleep(1000))
    const [order] = await desk.service.brokers.client().orders.list()
    expect(await desk.service.journal.find(orderRef)).toMatchObject({
      state: 'filled',
      triggerId: body.trigger_id,
      orderId: order?.orderId,
    })
    expect(await desk.published('gtt.triggered')).toMatchObject([
      { mode: 'live', trigger_id: body.trigger_id, triggered_order_id: order?.orderId },
    ])
    const updates = await desk.published('order.update')
    expect(updates.map(({ orderid, order_status }) => [orderid, order_status])).toEqual([
      [order?.orderId, 'complete'],
    ])
  })

  test('whose order filled is in the history at the time at which it fired, days after it was placed', async () => {
    const first = await TestDesk.open()
    const { body } = await first.orders.gtts.place(gtt(), CONTEXT)
    await first.place({})
    await first.close()
    await first.clock.advance(3 * 24 * 3_600_000)
    const desk = await TestDesk.open({ home: first.home, clock: first.clock })
    desk.service.openOrders.start()
    const { databases, journal, brokers } = desk.service
    const due = [{ kind: 'target' as const, triggerPrice: 1, price: 0 }]
    await brokers
      .client()
      .gtts?.modify(String(body.trigger_id), { ...toGttRequest(gtt()), legs: due }, { lastPrice: 800 })
    for (let second = 0; second < 6; second++) await desk.settled(desk.clock.sleep(1000))
    const history = new OrderHistory(databases.svc, journal)
    const [order] = await brokers.client().orders.list()
    const { orderId } = order ?? {}
    const today = { since: desk.clock.now() - 3_600_000, limit: 9 }
    expect(await history.orders(USER, today)).toMatchObject([
      { orderId, status: 'complete', filledQuantity: 5, triggerPrice: 0 },
    ])
    expect(await history.trades(USER, today)).toMatchObject([{ orderId, quantity: 5, strategy: 't' }])
    const [newest] = await history.orders(USER, { limit: 1 })
    expect(newest).toMatchObject({ orderId })
    const older = await history.orders(USER, { limit: 9, before: newest?.key })
    expect(older.map((one) => one.orderId === orderId)).toEqual([false])
  })

  test('whose order rests after it fired keeps a key of its own, and its row follows the order', async () => {
    const desk = await TestDesk.open()
    desk.service.openOrders.start()
    const context = { ...CONTEXT, idempotencyKey: 'k' }
    const resting = gtt({ ...DUE, price: 700 })
    const placed = await desk.orders.gtts.place(resting, context)
    for (let second = 0; second < 6; second++) await desk.settled(desk.clock.sleep(1000))
    const { journal, brokers } = desk.service
    const { orderRef = '' } = placed
    expect(await journal.find(orderRef)).toMatchObject({ state: 'triggered' })
    const [order] = await brokers.client().orders.list()
    await brokers.client().orders.cancel(order?.orderId ?? '')
    await desk.service.updates.drained()
    expect(await journal.find(orderRef)).toMatchObject({ state: 'cancelled', orderId: order?.orderId })
    expect(await desk.orders.gtts.place(resting, context)).toMatchObject({ body: placed.body })
  })

  test('that cannot be read does not keep orders from being followed, and is read again', async () => {
    const first = await TestDesk.open()
    const { orderRef: fired = '' } = await first.orders.gtts.place(gtt(DUE), CONTEXT)
    const { orderRef: resting = '', body } = await first.place({ pricetype: 'LIMIT', price: 700 })
    first.service.brokers.plugins.faults().dropConnections('orders')
    await first.clock.advance(2000)
    await first.service.brokers.client().orders.cancel(String(body.orderid))
    await first.close()
    const env = { SIM_FAULTS: '[{"on":["gtts"],"kind":"fail","times":1,"httpStatus":503}]' }
    const second = await TestDesk.open({ home: first.home, clock: first.clock, env })
    const { journal, openOrders } = second.service
    expect(await journal.find(resting)).toMatchObject({ state: 'cancelled' })
    expect(await journal.find(fired)).toMatchObject({ state: 'accepted' })
    openOrders.start()
    await second.settled(second.clock.sleep(20_000))
    expect(await journal.find(fired)).toMatchObject({ state: 'filled' })
  })

  test('whose order the exchange refuses was placed all the same, and its row says why', async () => {
    const desk = await TestDesk.open()
    desk.service.openOrders.start()
    const context = { ...CONTEXT, idempotencyKey: 'k' }
    const uncovered = gtt({ ...DUE, action: 'SELL' })
    const { body, orderRef = '' } = await desk.orders.gtts.place(uncovered, context)
    for (let second = 0; second < 6; second++) await desk.settled(desk.clock.sleep(1000))
    expect(await desk.service.journal.find(orderRef)).toMatchObject({
      state: 'rejected',
      endCause: 'exchange',
      reason: expect.stringContaining('Cannot sell SBIN'),
    })
    expect(await desk.orders.gtts.place(uncovered, context)).toMatchObject({ code: 'ok', body })
  })

  test('that expires at the broker is published', async () => {
    const desk = await TestDesk.open()
    const { body } = await desk.orders.gtts.place(gtt({ expires_at: '2026-11-20 11:01' }), CONTEXT)
    desk.service.openOrders.start()
    await desk.settled(desk.clock.sleep(6 * 60_000))
    expect(await desk.published('gtt.expired')).toMatchObject([
      { mode: 'live', symbol: 'SBIN', trigger_id: body.trigger_id },
    ])
  })

  test('that is cancelled is published with its symbol', async () => {
    const desk = await TestDesk.open()
    const { body } = await desk.orders.gtts.place(gtt(), CONTEXT)
    const trigger_id = String(body.trigger_id)
    await desk.orders.gtts.cancel({ strategy: 't', trigger_id }, CONTEXT)
    expect(await desk.published('gtt.cancelled')).toMatchObject([
      { mode: 'live', symbol: 'SBIN', exchange: 'NSE', trigger_id },
    ])
  })

  test('is journalled before it is sent, with its trigger id afterwards', async () => {
    const desk = await TestDesk.open()
    const { body, orderRef = '' } = await desk.orders.gtts.place(gtt(), CONTEXT)
    expect(await desk.service.journal.find(orderRef)).toMatchObject({
      operation: 'placegttorder',
      state: 'accepted',
      orderId: null,
      triggerId: body.trigger_id,
    })
    expect(await desk.published('gtt.placed')).toMatchObject([
      {
        mode: 'live',
        api_type: 'placegttorder',
        symbol: 'SBIN',
        trigger_type: 'SINGLE',
        trigger_id: body.trigger_id,
        trigger_prices: [700],
      },
    ])
  })

  test.each(['lose_answer', 'lose_request'] as const)(
    'whose answer is lost is in doubt until the book tells (%s), and is never sent again',
    async (kind) => {
      const desk = await TestDesk.open()
      desk.service.brokers.plugins.faults().set([lost(kind)])
      const context = { ...CONTEXT, idempotencyKey: 'k' }
      expect(await desk.orders.gtts.place(gtt(), context)).toMatchObject({ code: 'outcome_unknown' })
      await desk.clock.advance(500)
      await desk.service.reconciler.searchNow()
      const arrived = kind === 'lose_answer'
      expect(await desk.orders.gtts.place(gtt(), context)).toMatchObject(
        arrived
          ? { code: 'ok', body: { trigger_id: expect.any(String) } }
          : {
              status: 503,
              code: 'not_received',
              body: {
                message: 'The broker never received it. Send the order again under a new Idempotency-Key.',
              },
            },
      )
      const { data } = await desk.orders.gtts.book(USER)
      expect(data).toHaveLength(arrived ? 1 : 0)
    },
  )

  test('meets the gate, changed as well as new; a cancel does not', async () => {
    const desk = await TestDesk.open()
    const { gtts } = desk.orders
    const { body } = await gtts.place(gtt(), CONTEXT)
    const trigger_id = String(body.trigger_id)
    await desk.service.risk.change({ max_order_quantity: 5 }, USER)
    expect(await gtts.place(gtt({ quantity: 6 }), CONTEXT)).toMatchObject({ code: 'risk_refused' })
    const { expires_at: _, ...changed } = gtt({ quantity: 6 })
    expect(await gtts.modify({ ...changed, trigger_id }, CONTEXT)).toMatchObject({ code: 'risk_refused' })
    await desk.service.risk.setKillSwitch(true, 'news', USER)
    expect(await gtts.cancel({ strategy: 't', trigger_id }, CONTEXT)).toMatchObject({ code: 'ok' })
  })

  test('for an unknown symbol is a mistake of the caller, changed as well as new', async () => {
    const desk = await TestDesk.open()
    const { gtts } = desk.orders
    const message = expect.stringMatching(/^Symbol NOSUCH not found on NSE/)
    const refusal = { status: 404, code: 'not_found', body: { message } }
    expect(await gtts.place(gtt({ symbol: 'NOSUCH' }), CONTEXT)).toMatchObject(refusal)
    expect(await desk.service.journal.list(USER, 10)).toEqual([])
    const { expires_at: _, ...changed } = gtt({ symbol: 'NOSUCH' })
    expect(await gtts.modify({ ...changed, trigger_id: 'G1' }, CONTEXT)).toMatchObject(refusal)
  })

  test('is refused without a price to set it against', async () => {
    const desk = await TestDesk.open()
    desk.service.brokers.plugins.faults().set([{ on: ['quotes'], kind: 'fail' }])
    expect(await desk.orders.gtts.place(gtt(), CONTEXT)).toMatchObject({
      status: 502,
      body: { message: 'Failed to fetch LTP for SBIN' },
    })
    expect(await desk.service.journal.list(USER, 10)).toEqual([])
    expect(await desk.published('gtt.failed')).toMatchObject([{ symbol: 'SBIN' }])
  })
})

const ALL: GttAbilities = {
  oco: true,
  limit: true,
  market: true,
  products: ['CNC', 'NRML'],
  expiry: true,
  order: 'named',
}
const OCO = {
  trigger_type: 'OCO',
  price: 0,
  triggerprice_sl: 700,
  stoploss: 695,
  triggerprice_tg: 900,
  target: 895,
}

describe.each<[string, Partial<GttAbilities>, Record<string, unknown>]>([
  ['trigger_type OCO', { oco: false }, OCO],
  ['pricetype LIMIT', { limit: false }, {}],
  ['pricetype MARKET', { market: false }, { pricetype: 'MARKET', price: 0 }],
  ['expires_at', { expiry: false }, { expires_at: '2026-11-25' }],
  ['product CNC', { products: ['NRML'] }, {}],
])('a broker whose GTTs take no %s', (what, lack, fields) => {
  const refused = {
    status: 501,
    code: 'unsupported',
    body: { message: `A GTT at Simulated exchange takes no ${what}.` },
  }
  const lacks = ({ service }: TestDesk) => {
    const manifest = service.brokers.manifest()
    vi.spyOn(service.brokers, 'manifest').mockReturnValue({ ...manifest, gtt: { ...ALL, ...lack } })
  }

  test.each(['auto', 'semi_auto'] as const)(
    'refuses one before anything is stored or waits (%s)',
    async (mode) => {
      const desk = await TestDesk.open()
      const { approvals, identity, journal } = desk.service
      await identity.apiKeys.setOrderMode(USER, mode)
      lacks(desk)
      expect(await desk.orders.gtts.place(gtt(fields), CONTEXT)).toMatchObject(refused)
      expect(await journal.list(USER, 10)).toEqual([])
      expect((await approvals.list(USER, { status: 'all' })).orders).toEqual([])
    },
  )

  test('refuses one that waited for approval at a broker that took it', async () => {
    const desk = await TestDesk.open()
    const { approvals, identity } = desk.service
    await identity.apiKeys.setOrderMode(USER, 'semi_auto')
    const { body } = await desk.orders.gtts.place(gtt(fields), CONTEXT)
    lacks(desk)
    const outcome = await approvals.approve(USER, Number(body.pending_order_id), USER)
    expect(outcome).toMatchObject({ outcome: 'failed', executionError: refused.body.message })
    expect(await desk.orders.gtts.book(USER)).toEqual({ data: [] })
  })
})

test('a list of GTTs that the broker refuses as unsupported is not one of a broker without GTTs', async () => {
  const desk = await TestDesk.open()
  const broker = desk.service.brokers.client()
  if (!broker.gtts) throw new Error('the simulated broker has GTTs')
  broker.gtts.list = () => Promise.reject(new BrokerError('unsupported', 'no such call', { sent: 'yes' }))
  await expect(desk.orders.gtts.book(USER)).rejects.toMatchObject({
    code: 'broker_protocol',
    message: 'no such call',
  })
  broker.gtts = undefined
  await expect(desk.orders.gtts.book(USER)).rejects.toMatchObject({ code: 'unsupported' })
})

test('a GTT in a product that the broker takes no GTT in is refused, placed or changed, and nothing is stored', async () => {
  const desk = await TestDesk.open()
  const { brokers, journal } = desk.service
  const { body } = await desk.orders.gtts.place(gtt(), CONTEXT)
  const before = [await desk.orders.gtts.book(USER), (await journal.list(USER, 10)).length]
  const taken: GttAbilities = { ...ALL, products: ['NRML'] }
  vi.spyOn(brokers, 'manifest').mockReturnValue({ ...brokers.manifest(), gtt: taken })
  const refused = {
    code: 'unsupported',
    body: { message: 'A GTT at Simulated exchange takes no product CNC.' },
  }
  expect(await desk.orders.gtts.place(gtt(), CONTEXT)).toMatchObject(refused)
  const { expires_at: _, ...changed } = gtt({ quantity: 6 })
  const change = { ...changed, trigger_id: String(body.trigger_id) }
  expect(await desk.orders.gtts.modify(change, CONTEXT)).toMatchObject(refused)
  expect([await desk.orders.gtts.book(USER), (await journal.list(USER, 10)).length]).toEqual(before)
})

test('a change to what the broker does not take of a GTT is refused, and nothing is sent', async () => {
  const desk = await TestDesk.open()
  const { brokers } = desk.service
  const { body } = await desk.orders.gtts.place(gtt(), CONTEXT)
  const before = await desk.orders.gtts.book(USER)
  vi.spyOn(brokers, 'manifest').mockReturnValue({ ...brokers.manifest(), gtt: { ...ALL, market: false } })
  const { expires_at: _, ...market } = gtt({ pricetype: 'MARKET', price: 0 })
  const change = { ...market, trigger_id: String(body.trigger_id) }
  expect(await desk.orders.gtts.modify(change, CONTEXT)).toMatchObject({ code: 'unsupported' })
  expect(await desk.orders.gtts.book(USER)).toEqual(before)
})

test.each(['live', 'analyze'] as const)(
  'a change of a GTT whose turn comes after the kill switch changes nothing (%s)',
  async (mode) => {
    const desk = await TestDesk.open()
    const { brokers, risk, sandbox, settings } = desk.service
    const { orders } = desk
    await settings.setAnalyzeMode(mode === 'analyze')
    const { body } = await orders.gtts.place(gtt(), CONTEXT)
    const stop = () => risk.setKillSwitch(true, 'too fast', USER)
    brokers.orderSlot = async () => void (await stop())
    const { modify } = sandbox.gtt
    sandbox.gtt.modify = async (...change) => {
      await stop()
      return modify.apply(sandbox.gtt, change)
    }
    const before = await orders.gtts.book(USER)
    const { expires_at: _, ...changed } = gtt({ quantity: 6 })
    const change = { ...changed, trigger_id: String(body.trigger_id) }
    expect(await orders.gtts.modify(change, CONTEXT)).toMatchObject({ status: 403, code: 'kill_switch' })
    expect(await orders.gtts.book(USER)).toEqual(before)
    expect(await desk.published('gtt.modify_failed')).toHaveLength(1)
  },
)

test.each(['live', 'analyze'] as const)('a key places one GTT (%s)', async (mode) => {
  const desk = await TestDesk.open()
  await desk.service.settings.setAnalyzeMode(mode === 'analyze')
  const place = () => desk.orders.gtts.place(gtt(), { ...CONTEXT, idempotencyKey: 'k' })
  const answers = await Promise.all([place(), place(), place()])
  answers.push(await place())
  expect(new Set(answers.map(({ body }) => body.trigger_id)).size).toBe(1)
  expect((await desk.orders.gtts.book(USER)).data).toHaveLength(1)
})

test.each(['live', 'analyze'] as const)('an unknown trigger is not found (%s)', async (mode) => {
  const desk = await TestDesk.open()
  await desk.service.settings.setAnalyzeMode(mode === 'analyze')
  const { gtts } = desk.orders
  const { expires_at: _, ...changed } = gtt()
  const message = "No active GTT with trigger_id 'G9'"
  for (const answer of [
    await gtts.modify({ ...changed, trigger_id: 'G9' }, CONTEXT),
    await gtts.cancel({ strategy: 't', trigger_id: 'G9' }, CONTEXT),
  ]) {
    expect(answer).toMatchObject({ status: 404, body: { status: 'error', message } })
  }
  expect(await desk.published('gtt.modify_failed')).toMatchObject([
    { trigger_id: 'G9', error_message: message },
  ])
  expect(await desk.published('gtt.cancel_failed')).toMatchObject([{ trigger_id: 'G9' }])
})

test('a change that is half done at the broker is in doubt and says what is done; its key sends nothing again', async () => {
  const desk = await TestDesk.open()
  const { gtts } = desk.orders
  const { body } = await gtts.place(gtt(), CONTEXT)
  const client = desk.service.brokers.client().gtts
  if (!client) throw new Error('the broker keeps no GTTs')
  const refusal = new BrokerError('network', 'no answer within 10 s', { sent: 'maybe' })
  const half = vi.spyOn(client, 'modify').mockImplementation(async (triggerId) => {
    await changeInParts(`The GTT ${triggerId}`, [
      { name: 'stop leg', send: async () => undefined },
      { name: 'target leg', send: () => Promise.reject(refusal) },
    ])
    return { triggerId }
  })
  const { expires_at: _, ...changed } = gtt({ quantity: 6 })
  const change = () =>
    gtts.modify({ ...changed, trigger_id: String(body.trigger_id) }, { ...CONTEXT, idempotencyKey: 'half' })
  const message = `The GTT ${body.trigger_id} is changed in part: the stop leg has the new values, the target leg may have them: no answer within 10 s. Look at it, then change it again or cancel it.`
  const told = { status: 504, code: 'outcome_unknown', body: { status: 'error', message } }
  expect(await change()).toMatchObject(told)
  expect(await change()).toMatchObject(told)
  expect(half).toHaveBeenCalledTimes(1)
  expect(await desk.published('gtt.modify_failed')).toMatchObject([{ error_message: message }])
})
