import { describe, expect, test } from 'vitest'
import type { FaultRule } from '../../../../src/core/brokers/simulated/index.js'
import { NOT_SENT } from '../../../../src/core/orders/end.js'
import { toOrderRequest } from '../../../../src/core/orders/schema.js'
import { payloadOf, TestDesk, USER } from '../../../support/desk/desk.js'
import { eventually } from '../../../support/eventually.js'

const fault = (kind: FaultRule['kind'], rest: Partial<FaultRule> = {}): FaultRule => ({
  on: ['place'],
  kind,
  ...rest,
})

/** A desk whose next order arrives while its answer, and every update about it, is lost. */
async function withLostAnswer(): Promise<TestDesk> {
  const desk = await TestDesk.open()
  desk.service.brokers.plugins.faults().set([fault('lose_answer', { times: 1 })])
  desk.service.brokers.plugins.faults().dropConnections('orders')
  return desk
}

/** Lets the search for orders in doubt come round. */
async function reconcile(desk: TestDesk): Promise<void> {
  await desk.clock.advance(500)
  await desk.service.reconciler.searchNow()
}

describe('a live order', () => {
  test('is journalled before it is sent, tagged with its reference, and answered with the broker’s id', async () => {
    const desk = await TestDesk.open()
    const answer = await desk.place()
    expect(answer).toMatchObject({
      status: 200,
      code: 'ok',
      body: { status: 'success', orderid: expect.any(String) },
    })
    const { orderRef = '' } = answer
    expect(await desk.service.journal.find(orderRef)).toMatchObject({
      orderId: answer.body.orderid,
      source: 'api',
    })
    const states = (await desk.service.journal.events(orderRef)).map((event) => event.toState)
    expect(states.slice(0, 2)).toEqual(['claimed', 'sending'])
    expect(states).toContain('filled')
    expect((await desk.ledger()).map((entry) => entry.tag)).toEqual([orderRef])
    expect(await desk.published('order.placed')).toMatchObject([
      {
        mode: 'live',
        api_type: 'placeorder',
        symbol: 'SBIN',
        action: 'BUY',
        orderid: answer.body.orderid,
        user_id: USER,
      },
    ])
  })

  test.each<{ name: string; rule: FaultRule; status: number; code: string; message: string }>([
    {
      name: "a broker's refusal keeps the broker's status and words",
      rule: fault('fail', { httpStatus: 422, message: 'RMS: margin exceeds' }),
      status: 422,
      code: 'broker_rejected',
      message: 'RMS: margin exceeds',
    },
    {
      name: 'a broker that cannot be reached has not got the order',
      rule: fault('refuse_connection', { message: 'connect ECONNREFUSED' }),
      status: 500,
      code: 'unavailable',
      message: 'Simulated exchange cannot be reached (connect ECONNREFUSED)',
    },
    {
      name: 'throttling is told as throttling',
      rule: fault('fail', { httpStatus: 429, message: 'slow down' }),
      status: 429,
      code: 'rate_limited',
      message: 'slow down',
    },
  ])('$name', async ({ rule, status, code, message }) => {
    const desk = await TestDesk.open()
    desk.service.brokers.plugins.faults().set([rule])
    const answer = await desk.place()
    expect(answer).toMatchObject({ status, code, body: { status: 'error', message } })
    expect(await desk.service.journal.find(answer.orderRef ?? '')).toMatchObject({
      state: 'rejected',
      reason: message,
    })
    expect(await desk.ledger()).toEqual([])
    expect(await desk.published('order.failed')).toMatchObject([{ mode: 'live', error_message: message }])
  })

  test('that arrived while its answer was lost is in doubt, then found by its tag, and never sent again', async () => {
    const desk = await withLostAnswer()
    const answer = await desk.place()
    expect(answer).toMatchObject({
      status: 504,
      code: 'outcome_unknown',
      body: { order_ref: answer.orderRef },
    })
    await reconcile(desk)
    const [fill] = (await desk.service.journal.filledThrough([answer.orderRef ?? ''], 1)).values()
    expect(fill).toMatchObject({ quantity: 10 })
    await desk.service.updates.drained()
    const row = await desk.service.journal.find(answer.orderRef ?? '')
    expect(row?.state).toBe('filled')
    expect(row?.orderId).toBe((await desk.ledger())[0]?.orderId)
    expect(await desk.ledger()).toHaveLength(1)
    expect((await desk.published('order.in_doubt')).map((event) => event.state)).toEqual([
      'unknown',
      'settled',
    ])
  })

  test('whose answer was lost is settled by the broker’s update as well as by a search', async () => {
    const desk = await TestDesk.open()
    desk.service.brokers.plugins.faults().set([fault('lose_answer', { times: 1 })])
    const { orderRef = '' } = await desk.place({}, { idempotencyKey: 'k1' })
    await desk.service.updates.drained()
    expect(await desk.service.journal.find(orderRef)).toMatchObject({ state: 'filled' })
    expect(await desk.place({}, { idempotencyKey: 'k1' })).toMatchObject({ code: 'ok' })
    expect(await desk.ledger()).toHaveLength(1)
  })

  test('that was in doubt is told as placed once it is found', async () => {
    const desk = await withLostAnswer()
    await desk.place()
    expect(await desk.published('order.placed')).toEqual([])
    await reconcile(desk)
    const placed = (await desk.ledger()).map(({ orderId }) => ({
      mode: 'live',
      symbol: 'SBIN',
      orderid: orderId,
      response_data: { status: 'success' },
    }))
    expect(placed).toHaveLength(1)
    expect(await desk.published('order.placed')).toMatchObject(placed)
  })

  test('that was in doubt and called rejected by a person is filled once the broker tells of fills', async () => {
    const desk = await withLostAnswer()
    const { orderRef = '' } = await desk.place({}, { idempotencyKey: 'k1' })
    const { brokers, journal, reconciler, updates } = desk.service
    const [order] = await brokers.client().orders.list()
    await brokers.logout()
    const verdict = { reason: 'not in my app', by: USER }
    await expect(reconciler.settle(orderRef, { outcome: 'rejected', ...verdict })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('The order book of simulated could not be read'),
    })
    expect(await journal.find(orderRef)).toMatchObject({ state: 'unknown' })
    await reconciler.settle(orderRef, { outcome: 'rejected', ...verdict, force: true })
    expect(await journal.find(orderRef)).toMatchObject({ state: 'rejected' })
    if (order) updates.apply('simulated', { ...order, status: 'complete', filledQuantity: 10 })
    await updates.drained()
    expect(await journal.find(orderRef)).toMatchObject({ state: 'filled', orderId: order?.orderId })
    expect(await desk.place({}, { idempotencyKey: 'k1' })).toMatchObject({ code: 'ok' })
  })

  test('is looked for in the broker’s book before a person may call it rejected', async () => {
    const desk = await withLostAnswer()
    const { orderRef = '' } = await desk.place()
    const verdict = desk.service.reconciler.settle(orderRef, {
      outcome: 'rejected',
      reason: 'not in my app',
      by: USER,
    })
    await expect(verdict).rejects.toMatchObject({ code: 'conflict' })
    await desk.service.updates.drained()
    expect((await desk.service.journal.find(orderRef))?.state).toBe('filled')
  })

  test('that was lost on the way is in doubt until the broker’s own book proves it never came', async () => {
    const desk = await TestDesk.open()
    desk.service.brokers.plugins.faults().set([fault('lose_request', { times: 1 })])
    const { orderRef = '', code } = await desk.place({}, { idempotencyKey: 'k' })
    expect(code).toBe('outcome_unknown')
    await reconcile(desk)
    expect(await desk.service.journal.find(orderRef)).toMatchObject({
      state: 'rejected',
      reason: 'The broker never received it',
    })
    expect(await desk.place({}, { idempotencyKey: 'k' })).toMatchObject({
      status: 503,
      code: 'not_received',
      body: {
        status: 'error',
        message: 'The broker never received it. Send the order again under a new Idempotency-Key.',
      },
    })
    expect(await desk.ledger()).toEqual([])
  })

  test('in doubt is not settled with the id of an order about something else', async () => {
    const desk = await TestDesk.open()
    const { brokers, journal, reconciler } = desk.service
    const { orders } = brokers.client()
    const order = toOrderRequest(payloadOf({ action: 'SELL', quantity: 5 }))
    const { orderId } = await orders.place(order, 'elsewhere')
    brokers.plugins.faults().set([fault('lose_request', { times: 1 })])
    const { orderRef = '' } = await desk.place()
    orders.findByTags = () => Promise.reject(new Error('away'))
    const said = { outcome: 'accepted', orderId, reason: 'seen', by: USER, force: true } as const
    await expect(reconciler.settle(orderRef, said)).rejects.toMatchObject({
      code: 'conflict',
      message: `orderid: ${orderId} is an order to SELL 5 NSE:SBIN, not this one.`,
    })
    expect((await journal.find(orderRef))?.state).toBe('unknown')
  })

  test('that the broker reports while its book is searched in vain is not called lost', async () => {
    const desk = await withLostAnswer()
    const { brokers, journal, updates } = desk.service
    const { orderRef = '' } = await desk.place({ pricetype: 'LIMIT', price: 760 })
    const { orders } = brokers.client()
    const [order] = await orders.list()
    expect((await journal.find(orderRef))?.state).toBe('unknown')
    // The search read the book before the order was in it; the report of the order came first.
    orders.findByTags = async () => {
      if (order) updates.apply('simulated', { ...order, filledQuantity: 4, averagePrice: 760 })
      await updates.drained()
      return new Map()
    }
    await desk.service.reconciler.searchNow()
    expect(await journal.find(orderRef)).toMatchObject({ state: 'partial', orderId: order?.orderId })
  })

  test('without a broker session is refused, and nothing is journalled', async () => {
    const desk = await TestDesk.open()
    await desk.service.brokers.logout()
    await expect(desk.place()).rejects.toMatchObject({ code: 'forbidden' })
    expect(await desk.service.journal.list(USER, 10)).toEqual([])
  })

  test.each([{ max_order_value: 100_000 }, { max_day_loss: 10_000 }, { price_band_percent: 2 }])(
    'without a broker session is refused for that, not for a limit that needs it: %j',
    async (limits) => {
      const desk = await TestDesk.open()
      await desk.service.risk.change(limits, USER)
      await desk.service.brokers.logout()
      const order = { pricetype: 'LIMIT', price: 800 } as const
      await expect(desk.place('max_order_value' in limits ? {} : order)).rejects.toMatchObject({
        code: 'forbidden',
        message: expect.stringContaining('svc broker login'),
      })
      await desk.service.risk.setKillSwitch(true, 'bad feed', USER)
      expect(await desk.place(order)).toMatchObject({ code: 'kill_switch' })
    },
  )

  test('with a field the schema did not see is refused by the field rules, and told as failed', async () => {
    const desk = await TestDesk.open()
    const answer = await desk.place({ symbol: '' })
    expect(answer).toMatchObject({ status: 400, body: { message: 'Missing mandatory field(s): symbol' } })
    expect(await desk.published('order.failed')).toHaveLength(1)
  })
})

describe('in Analyzer mode', () => {
  test('an order goes to the sandbox, never to the broker', async () => {
    const desk = await TestDesk.open()
    await desk.service.sandbox.start()
    await desk.service.settings.setAnalyzeMode(true)
    const answer = await desk.place()
    expect(answer).toMatchObject({
      status: 200,
      body: { status: 'success', mode: 'analyze', orderid: expect.any(String) },
    })
    expect(await desk.ledger()).toEqual([])
    expect(await desk.service.account.positionbook(USER)).toMatchObject({
      mode: 'analyze',
      data: [{ symbol: 'SBIN', quantity: 10 }],
    })
    expect(await desk.published('order.placed')).toMatchObject([
      { mode: 'analyze', orderid: answer.body.orderid },
    ])
  })

  test('what the sandbox refuses is published all the same, with the refusal', async () => {
    const desk = await TestDesk.open()
    await desk.service.settings.setAnalyzeMode(true)
    const answer = await desk.place({ pricetype: 'LIMIT', price: 0 })
    expect(answer).toMatchObject({
      status: 400,
      code: 'refused',
      body: { message: 'LIMIT orders require price', mode: 'analyze' },
    })
    expect(await desk.published('order.placed')).toMatchObject([
      { mode: 'analyze', response_data: answer.body },
    ])
  })
})

describe('an Idempotency-Key', () => {
  test.each(['live', 'analyze'] as const)(
    'executes once for sixteen posts at the same time (%s)',
    async (mode) => {
      const desk = await TestDesk.open()
      if (mode === 'analyze') await desk.service.settings.setAnalyzeMode(true)
      const answers = await Promise.all(
        Array.from({ length: 16 }, () => desk.place({}, { idempotencyKey: 'k1' })),
      )
      expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1)
      const orders =
        mode === 'live' ? await desk.ledger() : (await desk.service.sandbox.books.orderbook(USER)).orders
      expect(orders).toHaveLength(1)
    },
  )

  test('gives the first answer again after a restart, to the last byte', async () => {
    const first = await TestDesk.open()
    const answer = await first.place({}, { idempotencyKey: 'k1' })
    await first.close()
    const second = await TestDesk.open({ home: first.home, clock: first.clock })
    expect(JSON.stringify(await second.place({}, { idempotencyKey: 'k1' }))).toBe(JSON.stringify(answer))
    expect(await second.ledger()).toHaveLength(1)
  })

  test('of another request is a conflict', async () => {
    const desk = await TestDesk.open()
    await desk.place({}, { idempotencyKey: 'k1' })
    await expect(desk.place({ quantity: 11 }, { idempotencyKey: 'k1' })).rejects.toMatchObject({
      code: 'conflict',
    })
    expect(await desk.ledger()).toHaveLength(1)
  })

  test('is not used up by a refusal before anything was begun', async () => {
    const desk = await TestDesk.open()
    await desk.service.risk.setKillSwitch(true, 'lunch', USER)
    expect(await desk.place({}, { idempotencyKey: 'k1' })).toMatchObject({ code: 'kill_switch' })
    await desk.service.risk.setKillSwitch(false, '', USER)
    expect(await desk.place({}, { idempotencyKey: 'k1' })).toMatchObject({ code: 'ok' })
  })

  test('learns the final answer when an order in doubt is settled', async () => {
    const desk = await withLostAnswer()
    expect(await desk.place({}, { idempotencyKey: 'k1' })).toMatchObject({ code: 'outcome_unknown' })
    await reconcile(desk)
    expect(await desk.place({}, { idempotencyKey: 'k1' })).toMatchObject({
      code: 'ok',
      body: { orderid: expect.any(String) },
    })
    expect(await desk.ledger()).toHaveLength(1)
  })

  test('holds for queued orders too', async () => {
    const desk = await TestDesk.open()
    await desk.service.identity.apiKeys.setOrderMode(USER, 'semi_auto')
    const first = await desk.place({}, { idempotencyKey: 'k1' })
    expect(await desk.place({}, { idempotencyKey: 'k1' })).toEqual(first)
    expect(desk.service.approvals.count(USER)).toBe(1)
  })

  describe('of an order that waited for its turn at the broker when the service died', () => {
    /** The home of a service that ended so, started again. */
    async function afterTheEnd() {
      const first = await TestDesk.open()
      first.service.brokers.orderSlot = () => new Promise(() => {})
      void first.place({}, { idempotencyKey: 'k1' })
      const waiting = () => first.service.journal.inState('claimed')
      await eventually(async () => (await waiting()).length === 1)
      const [row] = await waiting()
      await first.close()
      return {
        desk: await TestDesk.open({ home: first.home, clock: first.clock }),
        orderRef: row?.orderRef ?? '',
      }
    }

    test('sends it now, once and under its first reference: it was not in doubt for a moment', async () => {
      const { desk, orderRef } = await afterTheEnd()
      expect(await desk.service.journal.find(orderRef)).toMatchObject({ state: 'rejected', reason: NOT_SENT })
      expect(await desk.ledger()).toEqual([])
      const answer = await desk.place({}, { idempotencyKey: 'k1' })
      expect(answer).toMatchObject({ code: 'ok', orderRef })
      expect(await desk.place({}, { idempotencyKey: 'k1' })).toEqual(answer)
      expect((await desk.ledger()).map(({ tag }) => tag)).toEqual([orderRef])
    })

    test('sends it only through the gate', async () => {
      const { desk } = await afterTheEnd()
      await desk.service.risk.setKillSwitch(true, 'lunch', USER)
      expect(await desk.place({}, { idempotencyKey: 'k1' })).toMatchObject({ code: 'kill_switch' })
      expect(await desk.ledger()).toEqual([])
    })

    test('does not send it into another market, a quarter of an hour later', async () => {
      const { desk } = await afterTheEnd()
      await desk.clock.advance(15 * 60_000 + 1)
      expect(await desk.place({}, { idempotencyKey: 'k1' })).toMatchObject({
        status: 503,
        code: 'unavailable',
      })
      expect(await desk.ledger()).toEqual([])
    })
  })

  test('is forgotten after a day', async () => {
    const desk = await TestDesk.open()
    await desk.place({}, { idempotencyKey: 'k1' })
    // The machine sleeps: a second at a time, a day would take a minute.
    desk.clock.suspend(25 * 3_600_000)
    await desk.clock.advance(1000)
    expect(await desk.place({}, { idempotencyKey: 'k1' })).toMatchObject({ code: 'ok' })
    expect(await desk.ledger()).toHaveLength(2)
  })
})

describe('an approved order', () => {
  async function queued(desk: TestDesk): Promise<number> {
    await desk.service.identity.apiKeys.setOrderMode(USER, 'semi_auto')
    return Number((await desk.place()).body.pending_order_id)
  }

  test('goes through the same path, past the queue', async () => {
    const desk = await TestDesk.open()
    const id = await queued(desk)
    expect(await desk.ledger()).toEqual([])
    expect(await desk.service.approvals.approve(USER, id, USER)).toMatchObject({ outcome: 'executed' })
    const attempts = await desk.service.databases.svc.queryRaw(
      'select source, mode from order_journal where approval_id = ?',
      [id],
    )
    expect(attempts).toEqual([{ source: 'approval', mode: 'live' }])
    expect(await desk.ledger()).toHaveLength(1)
  })

  test('meets the risk gate again: a kill switch set meanwhile refuses it, and it stays pending', async () => {
    const desk = await TestDesk.open()
    const id = await queued(desk)
    await desk.service.risk.setKillSwitch(true, 'news', USER)
    await expect(desk.service.approvals.approve(USER, id, USER)).rejects.toMatchObject({
      code: 'kill_switch',
    })
    expect(desk.service.approvals.count(USER)).toBe(1)
    expect(await desk.ledger()).toEqual([])
  })

  test('whose answer was lost stays approved and in doubt, and is settled with the order', async () => {
    const desk = await withLostAnswer()
    const id = await queued(desk)
    expect(await desk.service.approvals.approve(USER, id, USER)).toMatchObject({ outcome: 'unknown' })
    expect(await desk.service.approvals.view(USER, id)).toMatchObject({
      status: 'approved',
      execution: 'in_doubt',
      broker_status: null,
    })
    await reconcile(desk)
    expect(await desk.service.approvals.view(USER, id)).toMatchObject({
      status: 'approved',
      execution: 'done',
      broker_order_id: (await desk.ledger())[0]?.orderId,
    })
  })
})

describe('the risk gate on the path', () => {
  test('lets exactly as many orders through as the day allows, however many come at once', async () => {
    const desk = await TestDesk.open()
    await desk.service.risk.change({ max_orders_per_day: 3 }, USER)
    const answers = await Promise.all(Array.from({ length: 10 }, () => desk.place()))
    expect(answers.filter((answer) => answer.code === 'ok')).toHaveLength(3)
    expect(answers.filter((answer) => answer.code === 'risk_refused')).toHaveLength(7)
    expect(await desk.ledger()).toHaveLength(3)
  })

  test('remembers rules, counts and the kill switch across a restart', async () => {
    const first = await TestDesk.open()
    await first.service.risk.change({ max_orders_per_day: 2 }, USER)
    await first.place()
    await first.close()
    const second = await TestDesk.open({ home: first.home, clock: first.clock })
    expect((await second.place()).code).toBe('ok')
    expect((await second.place()).body.message).toBe('2 orders were placed today; the limit is 2')
    await second.service.risk.setKillSwitch(true, 'end of day', USER)
    await second.close()
    const third = await TestDesk.open({ home: first.home, clock: first.clock })
    expect((await third.place()).code).toBe('kill_switch')
  })

  test('counts afresh from 03:00 IST', async () => {
    const desk = await TestDesk.open()
    await desk.service.risk.change({ max_orders_per_day: 1 }, USER)
    await desk.place()
    expect((await desk.place()).code).toBe('risk_refused')
    desk.clock.suspend(Date.parse('2026-11-21T03:00:00+05:30') - desk.clock.now())
    await desk.clock.advance(1000)
    expect((await desk.place()).code).toBe('ok')
  })
})

const PREVIEWED = {
  strategy: 't',
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'BUY',
  quantity: 2,
  pricetype: 'LIMIT',
  product: 'MIS',
  price: 800.05,
  trigger_price: 0,
  disclosed_quantity: 0,
  underlying_ltp: null,
} as const

test("a dry run of a live order tells the broker's margin, and nothing where the broker tells none", async () => {
  const desk = await TestDesk.open()
  const margin = async () =>
    (await desk.orders.single.preview(PREVIEWED, { userId: USER, source: 'api' })).body.margin_required
  const shown = await margin()
  expect(shown).toBeGreaterThan(0)
  expect(shown).toBeLessThanOrEqual(1600.1)
  desk.service.brokers.plugins.faults().set([{ on: ['margin'], kind: 'fail' }])
  expect(await margin()).toBeNull()
})

test('a dry run of a live order refuses what the instrument master does not allow', async () => {
  const desk = await TestDesk.open()
  const verdict = async (change: object) => {
    const answer = await desk.orders.single.preview(
      { ...PREVIEWED, ...change },
      { userId: USER, source: 'api' },
    )
    return answer.body.checks
  }
  const told = (message: string) => expect.arrayContaining([{ rule: 'instrument', ok: false, message }])
  expect(await verdict({})).toContainEqual({ rule: 'instrument', ok: true })
  expect(await verdict({ pricetype: 'LIMIT', price: 0 })).toEqual(told('LIMIT orders require price'))
  expect(await verdict({ pricetype: 'SL-M', trigger_price: 0 })).toEqual(
    told('SL-M orders require trigger_price'),
  )
  expect(await verdict({ pricetype: 'LIMIT', price: 800.03 })).toEqual(
    told('Price 800.03 is not a multiple of the tick size 0.05'),
  )
})

test('a dry run tells mode, value and every verdict, and leaves no trace', async () => {
  const desk = await TestDesk.open()
  await desk.service.risk.change({ allowed_exchanges: ['NFO'] }, USER)
  const { body } = await desk.orders.single.preview(PREVIEWED, { userId: USER, source: 'api' })
  expect(body).toMatchObject({ dry_run: true, mode: 'live', value: 1600.1 })
  expect(body.checks).toContainEqual({
    rule: 'allowed_exchanges',
    ok: false,
    message: 'Exchange NSE is not allowed; allowed: NFO',
  })
  expect(await desk.ledger()).toEqual([])
  expect(await desk.service.journal.list(USER, 10)).toEqual([])
})
