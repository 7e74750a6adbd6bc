import { describe, expect, test, vi } from 'vitest'
import type { FaultRule } from '../../../../src/core/brokers/simulated/index.js'
import type { ModifyOrderPayload } from '../../../../src/core/orders/index.js'
import { payloadOf, TestDesk, USER } from '../../../support/desk/desk.js'

const NOTHING_CLOSED = { closed_positions: 0, failed_closures: 0 }
const CONTEXT = { userId: USER, source: 'api' as const }
const MODES = ['live', 'analyze'] as const
const ALL = { strategy: 't' }
const UNKNOWN = 504

const fault = (rest: FaultRule): FaultRule => rest

async function open(mode: (typeof MODES)[number] = 'live'): Promise<TestDesk> {
  const desk = await TestDesk.open()
  if (mode === 'analyze') await desk.service.sandbox.start()
  await desk.service.settings.setAnalyzeMode(mode === 'analyze')
  return desk
}

async function resting(desk: TestDesk): Promise<string> {
  return String((await desk.place({ pricetype: 'LIMIT', price: 700 })).body.orderid)
}

function modification(orderid: string, fields: Partial<ModifyOrderPayload> = {}): ModifyOrderPayload {
  const { underlying_ltp: _, ...line } = payloadOf({ pricetype: 'LIMIT', price: 701 })
  return { ...line, orderid, ...fields }
}

const statusOf = async (desk: TestDesk, orderid: string) =>
  (await desk.service.account.orderStatus(USER, orderid)).data as Record<string, unknown>

describe('a simulated order', () => {
  test.each<[string, Partial<ModifyOrderPayload>, string]>([
    [
      'MARKET',
      { pricetype: 'MARKET', price: 0 },
      'The price type of a simulated order cannot be changed (LIMIT -> MARKET). Cancel and re-place.',
    ],
    [
      'MARKET with a price',
      { pricetype: 'MARKET', price: 900 },
      'The price type of a simulated order cannot be changed (LIMIT -> MARKET). Cancel and re-place.',
    ],
    [
      'SL-M with its trigger',
      { pricetype: 'SL-M', price: 0, trigger_price: 950 },
      'The price type of a simulated order cannot be changed (LIMIT -> SL-M). Cancel and re-place.',
    ],
    ['LIMIT with a trigger', { trigger_price: 690 }, 'LIMIT orders do not accept a trigger_price'],
  ])('is not said to be changed to %s', async (_name, fields, message) => {
    const desk = await open('analyze')
    const orderid = await resting(desk)
    expect(await desk.orders.changes.modify(modification(orderid, fields), CONTEXT)).toMatchObject({
      status: 400,
      body: { message },
    })
    expect(await statusOf(desk, orderid)).toMatchObject({ pricetype: 'LIMIT', price: 700, trigger_price: 0 })
  })
})

describe.each(MODES)('modify (%s)', (mode) => {
  test('replaces quantity and prices', async () => {
    const desk = await open(mode)
    const orderid = await resting(desk)
    await desk.orders.changes.modify(modification(orderid, { quantity: 7 }), CONTEXT)
    expect(await statusOf(desk, orderid)).toMatchObject({ quantity: 7, price: 701, order_status: 'open' })
  })

  test('meets the gate like a new order: a small one cannot be made a large one', async () => {
    const desk = await open(mode)
    const orderid = await resting(desk)
    await desk.service.risk.change({ max_order_quantity: 100, max_orders_per_day: 1 }, USER)
    const { changes } = desk.orders
    expect(await changes.modify(modification(orderid, { quantity: 101 }), CONTEXT)).toMatchObject({
      status: 403,
      code: 'risk_refused',
    })
    expect(await statusOf(desk, orderid)).toMatchObject({ quantity: 10 })
    // It is not another order, so the day's count does not speak against it.
    expect(await changes.modify(modification(orderid, { quantity: 100 }), CONTEXT)).toMatchObject({
      code: 'ok',
    })
  })

  test.each([
    ['an unknown order', 'nosuch', 404, 'Order nosuch not found'],
    ['an order that is gone', undefined, 400, 'Cannot modify order in complete status'],
  ])('of %s is refused and told', async (_name, id, status, message) => {
    const desk = await open(mode)
    const orderid = id ?? String((await desk.place()).body.orderid)
    expect(await desk.orders.changes.modify(modification(orderid), CONTEXT)).toMatchObject({
      status,
      body: { status: 'error', message },
    })
    expect(await desk.published('order.modify_failed')).toMatchObject([
      { mode, api_type: 'modifyorder', orderid, error_message: message },
    ])
  })
})

describe.each(MODES)('cancel (%s)', (mode) => {
  test('works when trading is stopped', async () => {
    const desk = await open(mode)
    const orderid = await resting(desk)
    const other = await resting(desk)
    await desk.service.risk.setKillSwitch(true, 'news', USER)
    const { changes } = desk.orders
    expect(await changes.cancel({ ...ALL, orderid }, CONTEXT)).toMatchObject({ code: 'ok' })
    expect(await changes.cancelAll(ALL, CONTEXT)).toMatchObject({ body: { canceled_orders: [other] } })
  })

  test.each([
    ['an unknown order', 'nosuch', 404, 'Order nosuch not found'],
    ['no order', '', 400, 'Order ID is missing'],
    ['an order that is gone', undefined, 400, 'Cannot cancel order in complete status'],
  ])('of %s is refused and told', async (_name, id, status, message) => {
    const desk = await open(mode)
    const orderid = id ?? String((await desk.place()).body.orderid)
    expect(await desk.orders.changes.cancel({ ...ALL, orderid }, CONTEXT)).toMatchObject({
      status,
      body: { status: 'error', message },
    })
    expect(await desk.published('order.cancel_failed')).toMatchObject([{ orderid, error_message: message }])
  })

  test('under a key answers the same again, and is told once', async () => {
    const desk = await open(mode)
    const orderid = await resting(desk)
    const cancel = () => desk.orders.changes.cancel({ ...ALL, orderid }, { ...CONTEXT, idempotencyKey: 'k' })
    const first = await cancel()
    expect(await cancel()).toEqual(first)
    expect(await desk.published('order.cancelled')).toHaveLength(1)
  })

  test('of everything takes stops along, and says when there was nothing', async () => {
    const desk = await open(mode)
    await resting(desk)
    await desk.place({ pricetype: 'SL', price: 905, trigger_price: 900 })
    await desk.place()
    const { changes } = desk.orders
    const { body } = await changes.cancelAll(ALL, CONTEXT)
    expect(body.canceled_orders).toHaveLength(2)
    expect(await changes.cancelAll(ALL, CONTEXT)).toMatchObject({
      body: {
        message:
          mode === 'live' ? 'Canceled 0 orders. Failed to cancel 0 orders.' : 'No open orders to cancel',
        canceled_orders: [],
        failed_cancellations: [],
      },
    })
  })
})

describe('at a broker', () => {
  test('a change on its way when trading is stopped does not leave', async () => {
    const desk = await open()
    const { orderRef = '' } = await desk.place({ pricetype: 'LIMIT', price: 700 })
    const before = await statusOf(desk, orderRef)
    const { journal, risk } = desk.service
    const { orders } = desk
    const { find } = journal
    journal.find = async (reference) => {
      await risk.setKillSwitch(true, 'news', USER)
      return find.call(journal, reference)
    }
    expect(await orders.changes.modify(modification(orderRef), CONTEXT)).toMatchObject({
      status: 403,
      code: 'kill_switch',
    })
    expect(await statusOf(desk, orderRef)).toEqual(before)
  })

  test('many positions are closed as fast as brokers take orders, not faster: none is refused for the rate', async () => {
    const desk = await open()
    const symbols = ['SBIN', 'INFY', 'RELIANCE', 'TCS']
    const products = ['MIS', 'CNC', 'NRML'] as const
    const { orders, portfolio } = desk.service.brokers.client()
    const at: number[] = []
    const held = symbols.flatMap((symbol) =>
      products.map((product) => ({
        symbol,
        exchange: 'NSE',
        product,
        quantity: 5,
        averagePrice: 100,
        ltp: 100,
        pnl: 0,
        realized: 0,
        unrealized: 0,
        dayPnl: 0,
      })),
    )
    portfolio.positions = async () => held
    orders.place = async () => {
      at.push(desk.clock.now())
      return { orderId: `B${at.length}` }
    }
    const { body } = await desk.settled(desk.orders.changes.close(ALL, CONTEXT))
    expect(body).toMatchObject({ closed_positions: 12, failed_closures: 0 })
    const within = (from: number) => at.filter((moment) => moment >= from && moment - from < 1000).length
    expect(Math.max(...at.map(within))).toBeLessThanOrEqual(10)
  })

  test('the reference of a changed order shows its terms of now, not those of its placement', async () => {
    const desk = await open()
    const { orderRef = '' } = await desk.place({ pricetype: 'LIMIT', price: 700, quantity: 10 })
    await desk.orders.changes.modify(modification(orderRef, { quantity: 4 }), CONTEXT)
    expect(await statusOf(desk, orderRef)).toMatchObject({ order_ref: orderRef, quantity: 4, price: 701 })
  })

  test('an order can be cancelled by our reference', async () => {
    const desk = await open()
    const { orderRef = '' } = await desk.place({ pricetype: 'LIMIT', price: 700 })
    expect(await desk.orders.changes.cancel({ ...ALL, orderid: orderRef }, CONTEXT)).toMatchObject({
      code: 'ok',
    })
    expect(await statusOf(desk, orderRef)).toMatchObject({ order_status: 'cancelled' })
  })

  test.each(['modify', 'cancel'] as const)(
    'a lost answer to %s is not called a refusal',
    async (operation) => {
      const desk = await open()
      const orderid = await resting(desk)
      desk.service.brokers.plugins.faults().set([fault({ on: [operation], kind: 'lose_answer', times: 1 })])
      const { changes } = desk.orders
      const change =
        operation === 'modify'
          ? changes.modify(modification(orderid), CONTEXT)
          : changes.cancel({ ...ALL, orderid }, CONTEXT)
      expect(await change).toMatchObject({ status: UNKNOWN, code: 'outcome_unknown' })
    },
  )

  test('orders that cannot be cancelled are listed with the reason', async () => {
    const desk = await open()
    await resting(desk)
    const second = await resting(desk)
    desk.service.brokers.plugins
      .faults()
      .set([fault({ on: ['cancel'], kind: 'fail', skip: 1, httpStatus: 400, message: 'busy' })])
    expect(await desk.orders.changes.cancelAll(ALL, CONTEXT)).toMatchObject({
      status: 200,
      body: {
        message: 'Canceled 1 orders. Failed to cancel 1 orders.',
        failed_cancellations: [{ orderid: second, message: 'busy' }],
      },
    })
    expect(await desk.published('orders.all_cancelled')).toMatchObject([
      { canceled_count: 1, failed_count: 1 },
    ])
  })

  test('a cancel of everything that cannot read the book is a failure', async () => {
    const desk = await open()
    desk.service.brokers.plugins
      .faults()
      .set([fault({ on: ['orders'], kind: 'fail', httpStatus: 503, message: 'down' })])
    expect(await desk.orders.changes.cancelAll(ALL, CONTEXT)).toMatchObject({
      status: 503,
      body: { message: 'down' },
    })
    expect(await desk.published('order.failed')).toMatchObject([{ api_type: 'cancelallorder' }])
  })
})

describe.each(MODES)('close (%s)', (mode) => {
  const quantity = async ({ service }: TestDesk) =>
    (await service.account.openPosition(USER, { symbol: 'SBIN', exchange: 'NSE', product: 'MIS' })).quantity

  test('works when trading is stopped, and leaves nothing open', async () => {
    const desk = await open(mode)
    await desk.place()
    await desk.place({ symbol: 'INFY', action: 'SELL', quantity: 3 })
    await desk.service.risk.setKillSwitch(true, 'news', USER)
    expect(await desk.orders.changes.close(ALL, CONTEXT)).toMatchObject({
      code: 'ok',
      body: { closed_positions: 2, failed_closures: 0 },
    })
    expect(await quantity(desk)).toBe(0)
    expect(await desk.published('position.closed')).toMatchObject([{ mode, api_type: 'closeposition' }])
  })

  test('of everything at once by several callers closes once', async () => {
    const desk = await open(mode)
    await desk.place()
    await Promise.all(Array.from({ length: 5 }, () => desk.orders.changes.close(ALL, CONTEXT)))
    expect(await quantity(desk)).toBe(0)
  })

  test('with nothing open says so', async () => {
    const desk = await open(mode)
    expect((await desk.orders.changes.close(ALL, CONTEXT)).body).toEqual(
      mode === 'live'
        ? { status: 'success', message: 'All Open Positions Squared Off', ...NOTHING_CLOSED }
        : { status: 'success', message: 'No open positions to close', ...NOTHING_CLOSED, mode },
    )
  })

  test('of one symbol leaves the others alone', async () => {
    const desk = await open(mode)
    await desk.place()
    await desk.place({ symbol: 'INFY' })
    const { changes } = desk.orders
    await changes.close({ ...ALL, symbol: 'INFY', exchange: 'NSE', product: 'MIS' }, CONTEXT)
    expect(await quantity(desk)).toBe(10)
    expect(await changes.close({ ...ALL, symbol: 'INFY' }, CONTEXT)).toMatchObject({
      status: 404,
      body: { message: 'No open position found for INFY' },
    })
  })
})

describe('closing at a broker', () => {
  test('does not close twice what an earlier close has on its way', async () => {
    const desk = await open()
    const { depth } = await desk.service.brokers.client().market.depth({ symbol: 'SBIN', exchange: 'NSE' })
    // Several times what one second's book gives: it takes a while to buy, and to sell.
    const large = 4 * depth.sell.reduce((sum, level) => sum + level.quantity, 0)
    const { orderid } = (await desk.place({ quantity: large })).body
    for (let minute = 0; minute < 10; minute++) await desk.clock.advance(60_000)
    expect(await statusOf(desk, String(orderid))).toMatchObject({ order_status: 'complete' })

    const { changes } = desk.orders
    await changes.close(ALL, CONTEXT)
    const waiting = (await desk.service.brokers.client().orders.list()).filter(
      ({ status }) => status === 'open',
    )
    expect(waiting).toMatchObject([{ action: 'SELL', quantity: large }])
    await changes.close(ALL, CONTEXT)
    for (let minute = 0; minute < 10; minute++) await desk.clock.advance(60_000)
    const position = { symbol: 'SBIN', exchange: 'NSE', product: 'MIS' as const }
    expect(await desk.service.account.openPosition(USER, position)).toEqual({ quantity: 0 })
    expect(await desk.ledger()).toHaveLength(2)
  })

  test('says what stayed open', async () => {
    const desk = await open()
    await desk.place()
    await desk.place({ symbol: 'INFY' })
    desk.service.brokers.plugins
      .faults()
      .set([fault({ on: ['place'], kind: 'fail', times: 1, httpStatus: 400, message: 'RMS: blocked' })])
    expect(await desk.orders.changes.close(ALL, CONTEXT)).toMatchObject({
      status: 400,
      body: {
        status: 'error',
        message: 'Closed 1 positions (Failed to close 1 positions)',
        closed_positions: 1,
        failed_closures: 1,
        results: [
          { symbol: 'SBIN', status: 'error', message: 'RMS: blocked' },
          { symbol: 'INFY', status: 'success' },
        ],
      },
    })
    desk.service.brokers.plugins
      .faults()
      .set([fault({ on: ['place'], kind: 'fail', httpStatus: 400, message: 'RMS: blocked' })])
    expect(await desk.orders.changes.close(ALL, CONTEXT)).toMatchObject({
      status: 400,
      code: 'broker_rejected',
      body: { status: 'error', message: 'Failed to close positions' },
    })
  })
})

test.each(['modify', 'cancel'] as const)(
  'a %s whose answer the plugin stumbles over may have been done: it is in doubt, not failed',
  async (change) => {
    const desk = await open()
    const orderid = await resting(desk)
    const { orders } = desk
    vi.spyOn(desk.service.brokers.client().orders, change).mockRejectedValue(
      new TypeError('x is not a function'),
    )
    const answer =
      change === 'modify'
        ? orders.changes.modify(modification(orderid), CONTEXT)
        : orders.changes.cancel({ orderid, strategy: 't' }, CONTEXT)
    expect(await answer).toMatchObject({ status: UNKNOWN, code: 'outcome_unknown' })
  },
)

describe('a change in doubt, asked again under its key', () => {
  const KEYED = { ...CONTEXT, idempotencyKey: 'k' }

  test('stays in doubt with the same words, also after a restart, and is not sent again', async () => {
    const desk = await open()
    const orderid = await resting(desk)
    desk.service.brokers.plugins.faults().set([fault({ on: ['modify'], kind: 'lose_answer', times: 1 })])
    const modify = ({ orders }: TestDesk) => orders.changes.modify(modification(orderid), KEYED)
    const first = await modify(desk)
    expect(first).toMatchObject({ status: UNKNOWN, code: 'outcome_unknown' })
    const sent = vi.spyOn(desk.service.brokers.client().orders, 'modify')
    expect(await modify(desk)).toEqual(first)
    expect(sent).not.toHaveBeenCalled()
    await desk.close()
    const again = await TestDesk.open({ home: desk.home, clock: desk.clock })
    expect(await modify(again)).toEqual(first)
  })

  test('is executed again if a repetition does no harm', async () => {
    const desk = await open()
    const orderid = await resting(desk)
    desk.service.brokers.plugins.faults().set([fault({ on: ['cancel'], kind: 'lose_request', times: 1 })])
    const cancel = () => desk.orders.changes.cancel({ ...ALL, orderid }, KEYED)
    expect(await cancel()).toMatchObject({ status: UNKNOWN })
    expect(await cancel()).toMatchObject({ code: 'ok' })
  })
})

test('the broker is told what it prepares, so that a cancel needs no reading of a modification', async () => {
  const desk = await open()
  const orderid = await resting(desk)
  const prepared: (readonly [string, string])[] = []
  desk.service.brokers.client().orders.prepareChange = async (...asked) => void prepared.push(asked)
  const { changes } = desk.orders
  await changes.modify(modification(orderid), CONTEXT)
  await changes.cancel({ ...ALL, orderid }, CONTEXT)
  const other = await resting(desk)
  await changes.cancelAll(ALL, CONTEXT)
  expect(prepared).toEqual([
    [orderid, 'modify'],
    [orderid, 'cancel'],
    [other, 'cancel'],
  ])
})
