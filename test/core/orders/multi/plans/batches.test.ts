import { describe, expect, test } from 'vitest'
import type { FaultRule } from '../../../../../src/core/brokers/simulated/index.js'
import type { BasketOrderPayload, SplitOrderPayload } from '../../../../../src/core/orders/index.js'
import { BASKET_ORDER } from '../../../../../src/core/orders/multi/basket.js'
import { SMART_ORDER } from '../../../../../src/core/orders/multi/smart.js'
import { SPLIT_ORDER } from '../../../../../src/core/orders/multi/split.js'
import type { OrderAnswer } from '../../../../../src/daemon/orders/answer.js'
import { payloadOf, TestDesk, USER } from '../../../../support/desk/desk.js'
import { eventually } from '../../../../support/eventually.js'

const CONTEXT = { userId: USER, source: 'api' as const }
type Line = BasketOrderPayload['orders'][number]

function line(fields: Partial<Line> = {}): Line {
  const { underlying_ltp: _ltp, strategy: _strategy, ...rest } = payloadOf()
  return { ...rest, ...fields }
}
const basket = (...orders: Line[]): BasketOrderPayload => ({ strategy: 't', orders })
const split = (quantity: number, splitsize: number): SplitOrderPayload => ({
  ...line({ quantity }),
  strategy: 't',
  splitsize,
})
const fault = (rest: Partial<FaultRule>): FaultRule => ({ on: ['place'], kind: 'fail', ...rest })
const resultsOf = ({ body }: OrderAnswer) => body.results as Record<string, unknown>[]

/** Orders whose answer is in the journal. */
async function sentBy({ service }: TestDesk): Promise<number> {
  const rows = await service.journal.list(USER, 1000)
  return rows.filter(({ orderId }) => orderId !== null).length
}

describe('after a sleep of the machine in the middle', () => {
  const MINUTE_MS = 60_000
  const LATE = /^Not sent: too long after the orders before it/

  /** Sends 25 orders, of which the machine lets ten leave before it sleeps. */
  async function sleepAfterTen(sleepMs: number) {
    const desk = await TestDesk.open()
    const orders = Array.from({ length: 25 }, () => line({ quantity: 1 }))
    const going = desk.orders.multi.submit(BASKET_ORDER, basket(...orders), { ...CONTEXT, source: 'flow' })
    await eventually(async () => (await sentBy(desk)) === 10, 'ten orders')
    desk.clock.suspend(sleepMs)
    return { desk, results: resultsOf(await desk.settled(going)) }
  }

  test('the rest of a basket is not sent, and the answer says so', async () => {
    const { desk, results } = await sleepAfterTen(3 * 60 * MINUTE_MS)
    expect(results.slice(0, 10)).toEqual(
      Array.from({ length: 10 }, () => expect.objectContaining({ status: 'success' })),
    )
    expect(results.slice(10).map(({ message, status }) => [status, message])).toEqual(
      Array.from({ length: 15 }, () => ['error', expect.stringMatching(LATE)]),
    )
    expect(await desk.ledger()).toHaveLength(10)
    const rows = await desk.service.journal.list(USER, 100)
    expect(
      rows.filter(({ endCause, state }) => state === 'rejected' && endCause === 'not_sent'),
    ).toHaveLength(15)
  })

  test('of half a minute, the rest of a basket is sent', async () => {
    const { desk } = await sleepAfterTen(MINUTE_MS / 2)
    expect(await desk.ledger()).toHaveLength(25)
  })

  test.each([
    [5, 12],
    [60, 10],
  ])(
    'of %i minutes, %i of 12 positions are closed: a close may wait longer for its turns',
    async (minutes, closed) => {
      const desk = await TestDesk.open()
      const { orders, portfolio } = desk.service.brokers.client()
      const products = ['MIS', 'CNC', 'NRML'] as const
      const money = { averagePrice: 100, ltp: 100, pnl: 0, realized: 0, unrealized: 0, dayPnl: 0 }
      const held = ['SBIN', 'INFY', 'RELIANCE', 'TCS'].flatMap((symbol) =>
        products.map((product) => ({ symbol, exchange: 'NSE', product, quantity: 5, ...money })),
      )
      portfolio.positions = async () => held
      let placed = 0
      orders.place = async () => {
        placed += 1
        return { orderId: `B${placed}` }
      }
      const going = desk.orders.changes.close({ strategy: 't' }, CONTEXT)
      await eventually(async () => (await sentBy(desk)) === 10, 'ten orders')
      desk.clock.suspend(minutes * MINUTE_MS)
      const { body } = await desk.settled(going)
      expect(body).toMatchObject({ closed_positions: closed, failed_closures: 12 - closed })
      expect(placed).toBe(closed)
    },
  )

  test.each([
    [5, 12],
    [60, 10],
  ])('of %i minutes, %i of the 12 pieces of an exit by a smart order are sent', async (minutes, sold) => {
    const desk = await TestDesk.open()
    desk.service.instruments.directory.freezeQuantity = () => 1
    const { orders, portfolio } = desk.service.brokers.client()
    const money = { averagePrice: 100, ltp: 100, pnl: 0, realized: 0, unrealized: 0, dayPnl: 0 }
    portfolio.positions = async () => [
      { symbol: 'SBIN', exchange: 'NSE', product: 'MIS', quantity: 12, ...money },
    ]
    let placed = 0
    orders.place = async () => {
      placed += 1
      return { orderId: `B${placed}` }
    }
    const { underlying_ltp: _, ...exit } = payloadOf({ action: 'SELL', quantity: 0 })
    const going = desk.orders.multi.submit(SMART_ORDER, { ...exit, position_size: 0 }, CONTEXT)
    await eventually(async () => (await sentBy(desk)) === 10, 'ten orders')
    desk.clock.suspend(minutes * MINUTE_MS)
    await desk.settled(going)
    expect(placed).toBe(sold)
  })
})

describe('a basket', () => {
  test('has every BUY answered before the first SELL leaves, whatever their order', async () => {
    const desk = await TestDesk.open()
    const orders = ['SELL', 'buy', 'SELL', 'BUY'].map((action, index) =>
      line({ action: action as Line['action'], quantity: index + 1 }),
    )
    const answer = await desk.orders.multi.submit(BASKET_ORDER, basket(...orders), CONTEXT)
    expect(
      (await desk.ledger())
        .map(({ quantity }) => quantity)
        .slice(0, 2)
        .sort(),
    ).toEqual([2, 4])
    const placed = await desk.service.brokers.client().orders.list()
    const sides = resultsOf(answer).map(
      ({ orderid }) => placed.find((order) => order.orderId === orderid)?.action,
    )
    expect(sides).toEqual(['BUY', 'BUY', 'SELL', 'SELL'])
  })

  test('goes out at ten orders a second', async () => {
    const desk = await TestDesk.open()
    const orders = Array.from({ length: 25 }, () => line({ quantity: 1 }))
    const going = desk.orders.multi.submit(BASKET_ORDER, basket(...orders), CONTEXT)
    for (const sent of [10, 20, 25]) {
      await eventually(async () => (await sentBy(desk)) === sent, `${sent} orders`)
      await desk.clock.advance(999)
      expect(await sentBy(desk)).toBe(sent)
      await desk.clock.advance(1)
    }
    expect(resultsOf(await going)).toHaveLength(25)
  })

  test('reports each order: one that fails stops no other', async () => {
    const desk = await TestDesk.open()
    const answer = await desk.orders.multi.submit(
      BASKET_ORDER,
      basket(line(), line({ symbol: 'NOSUCH' }), line({ action: 'SELL' })),
      CONTEXT,
    )
    expect(answer).toMatchObject({ status: 200, code: 'ok' })
    expect(resultsOf(answer)).toMatchObject([
      { symbol: 'SBIN', status: 'success', orderid: expect.any(String) },
      {
        symbol: 'NOSUCH',
        status: 'error',
        message: expect.stringMatching(/^Symbol NOSUCH not found on NSE/),
      },
      { symbol: 'SBIN', status: 'success', orderid: expect.any(String) },
    ])
    expect(await desk.published('basket.completed')).toMatchObject([
      { strategy: 't', successful: 2, total: 3, mode: 'live', api_type: 'basketorder' },
    ])
    expect(await desk.published('order.placed')).toEqual([])
    expect(await desk.published('order.failed')).toEqual([])
  })

  test('journals its orders with one reference and their places before the first is sent', async () => {
    const desk = await TestDesk.open()
    const { orderRef = '' } = await desk.orders.multi.submit(BASKET_ORDER, basket(line(), line()), CONTEXT)
    const rows = await desk.service.journal.inBatch(orderRef)
    expect(rows.map(({ leg, operation }) => [leg, operation])).toEqual([
      [0, 'basketorder'],
      [1, 'basketorder'],
    ])
    const [first] = rows
    const states = (await desk.service.journal.events(first?.orderRef ?? '')).map((event) => event.toState)
    expect(states.slice(0, 2)).toEqual(['claimed', 'sending'])
    expect((await desk.ledger()).map(({ tag }) => tag).sort()).toEqual(
      rows.map(({ orderRef: tag }) => tag).sort(),
    )
  })

  test('without orders has no results', async () => {
    const desk = await TestDesk.open()
    const { body } = await desk.orders.multi.submit(BASKET_ORDER, basket(), CONTEXT)
    expect(body).toEqual({ status: 'success', results: [] })
  })
})

describe('a split', () => {
  test.each([
    [105, 20, [20, 20, 20, 20, 20, 5]],
    [40, 20, [20, 20]],
    [10, 50, [10]],
  ])('of %d by %d', async (quantity, size, parts) => {
    const desk = await TestDesk.open()
    const answer = await desk.settled(desk.orders.multi.submit(SPLIT_ORDER, split(quantity, size), CONTEXT))
    expect(answer.body).toMatchObject({ total_quantity: quantity, split_size: size })
    expect(resultsOf(answer)).toMatchObject(
      parts.map((part, index) => ({ order_num: index + 1, quantity: part, status: 'success' })),
    )
    expect((await desk.ledger()).map((entry) => entry.quantity)).toEqual(parts)
  })

  test('leaves the pause of the order limit between its parts', async () => {
    const desk = await TestDesk.open({ env: { ORDER_RATE_LIMIT: '4 per second;40 per minute' } })
    const going = desk.orders.multi.submit(SPLIT_ORDER, split(30, 10), CONTEXT)
    for (const sent of [1, 2, 3]) {
      await eventually(async () => (await sentBy(desk)) === sent, `${sent} orders`)
      await desk.clock.advance(249)
      expect(await sentBy(desk)).toBe(sent)
      await desk.clock.advance(1)
    }
    expect(resultsOf(await going)).toHaveLength(3)
  })

  test.each(['live', 'analyze'] as const)('into more than a hundred orders is refused (%s)', async (mode) => {
    const desk = await TestDesk.open()
    await desk.service.settings.setAnalyzeMode(mode === 'analyze')
    const answer = await desk.orders.multi.submit(SPLIT_ORDER, split(101, 1), CONTEXT)
    const message = 'Total number of orders would exceed maximum limit of 100'
    expect(answer).toMatchObject({ status: 400, body: { status: 'error', message } })
    expect(answer.body.mode).toBe(mode === 'analyze' ? 'analyze' : undefined)
    const topic = mode === 'analyze' ? 'analyzer.error' : 'order.failed'
    expect(await desk.published(topic)).toMatchObject([{ api_type: 'splitorder', error_message: message }])
  })

  test('stops being sent the moment the kill switch is on, and says so for each part', async () => {
    const desk = await TestDesk.open()
    const going = desk.orders.multi.submit(SPLIT_ORDER, split(50, 10), CONTEXT)
    await desk.clock.advance(150)
    await desk.service.risk.setKillSwitch(true, 'news', USER)
    const sent = (await desk.ledger()).length
    const answer = await desk.settled(going)
    expect(await desk.ledger()).toHaveLength(sent)
    expect(sent).toBeLessThan(5)
    expect(resultsOf(answer).slice(sent)).toEqual(
      Array.from({ length: 5 - sent }, (_, index) => ({
        order_num: sent + index + 1,
        quantity: 10,
        status: 'error',
        message: 'The kill switch is on: news',
        rule: 'kill_switch',
      })),
    )
  })
})

describe('the gate', () => {
  test('refuses a request as a whole only when it refuses every order; nothing is begun then', async () => {
    const desk = await TestDesk.open()
    await desk.service.risk.change({ max_order_quantity: 15 }, USER)
    const { multi } = desk.orders
    const whole = await multi.submit(BASKET_ORDER, basket(line({ quantity: 16 }), line({ quantity: 17 })), {
      ...CONTEXT,
      idempotencyKey: 'k',
    })
    expect(whole).toMatchObject({
      status: 403,
      code: 'risk_refused',
      body: { message: 'Quantity 16 exceeds the limit of 15 per order' },
    })
    expect(await desk.service.journal.list(USER, 10)).toEqual([])
    expect(await desk.published('order.failed')).toMatchObject([{ api_type: 'basketorder' }])

    const partly = await multi.submit(BASKET_ORDER, basket(line({ quantity: 16 }), line()), CONTEXT)
    expect(resultsOf(partly)).toMatchObject([
      { status: 'error', message: 'Quantity 16 exceeds the limit of 15 per order' },
      { status: 'success' },
    ])
    // The refusal used no key up.
    await desk.service.risk.change({ max_order_quantity: 20 }, USER)
    expect(
      await multi.submit(BASKET_ORDER, basket(line({ quantity: 16 }), line({ quantity: 17 })), {
        ...CONTEXT,
        idempotencyKey: 'k',
      }),
    ).toMatchObject({ code: 'ok' })
  })

  test('lets as many orders of a request through as the day allows, also after a restart', async () => {
    const first = await TestDesk.open()
    await first.service.risk.change({ max_orders_per_day: 3 }, USER)
    const answer = await first.settled(first.orders.multi.submit(SPLIT_ORDER, split(50, 10), CONTEXT))
    expect(resultsOf(answer).filter(({ status }) => status === 'success')).toHaveLength(3)
    await first.service.risk.change({ max_orders_per_day: 4 }, USER)
    await first.close()
    // The orders that the gate refused were never sent and do not count.
    const second = await TestDesk.open({ home: first.home, clock: first.clock })
    expect((await second.place()).code).toBe('ok')
    expect((await second.place()).code).toBe('risk_refused')
  })
})

describe('an order of a batch in doubt', () => {
  async function doubtful(): Promise<{ desk: TestDesk; answer: OrderAnswer }> {
    const desk = await TestDesk.open()
    desk.service.brokers.plugins.faults().set([fault({ kind: 'lose_answer', times: 1, skip: 1 })])
    desk.service.brokers.plugins.faults().dropConnections('orders')
    const request = desk.orders.multi.submit(SPLIT_ORDER, split(30, 10), { ...CONTEXT, idempotencyKey: 'k' })
    return { desk, answer: await desk.settled(request) }
  }

  test('is told with its reference; the others go on', async () => {
    const { answer } = await doubtful()
    expect(resultsOf(answer)).toMatchObject([
      { status: 'success' },
      {
        status: 'error',
        order_ref: expect.stringMatching(/^S/),
        message: expect.stringMatching(/not known/),
      },
      { status: 'success' },
    ])
  })

  test('changes the answer of its key once it is found, and is never sent again', async () => {
    const { desk } = await doubtful()
    await desk.clock.advance(500)
    await desk.service.reconciler.searchNow()
    const again = await desk.orders.multi.submit(SPLIT_ORDER, split(30, 10), {
      ...CONTEXT,
      idempotencyKey: 'k',
    })
    expect(resultsOf(again).map(({ status }) => status)).toEqual(['success', 'success', 'success'])
    expect(await desk.ledger()).toHaveLength(3)
  })
})

describe('an Idempotency-Key of several orders', () => {
  test.each(['live', 'analyze'] as const)(
    'executes once for eight posts at the same time (%s)',
    async (mode) => {
      const desk = await TestDesk.open()
      await desk.service.settings.setAnalyzeMode(mode === 'analyze')
      const post = () =>
        desk.orders.multi.submit(BASKET_ORDER, basket(line(), line({ action: 'SELL' })), {
          ...CONTEXT,
          idempotencyKey: 'k',
        })
      const answers = await Promise.all(Array.from({ length: 8 }, post))
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
      const orders =
        mode === 'live' ? await desk.ledger() : (await desk.service.sandbox.books.orderbook(USER)).orders
      expect(orders).toHaveLength(2)
    },
  )

  test('gives the first answer to the last byte after a restart', async () => {
    const first = await TestDesk.open()
    const request = basket(line(), line({ symbol: 'NOSUCH' }))
    const context = { ...CONTEXT, idempotencyKey: 'k' }
    const answer = await first.orders.multi.submit(BASKET_ORDER, request, context)
    await first.close()
    const second = await TestDesk.open({ home: first.home, clock: first.clock })
    const again = await second.orders.multi.submit(BASKET_ORDER, request, context)
    expect(JSON.stringify(again)).toBe(JSON.stringify(answer))
    expect(await second.ledger()).toHaveLength(1)
  })

  test('is a conflict for another request, and for another kind of request', async () => {
    const desk = await TestDesk.open()
    const { changes, multi } = desk.orders
    const context = { ...CONTEXT, idempotencyKey: 'k' }
    await multi.submit(BASKET_ORDER, basket(line()), context)
    await expect(multi.submit(BASKET_ORDER, basket(line(), line()), context)).rejects.toMatchObject({
      code: 'conflict',
    })
    await expect(changes.cancelAll({ strategy: 't' }, context)).rejects.toMatchObject({ code: 'conflict' })
    expect(await desk.ledger()).toHaveLength(1)
  })
})

test('without a broker session nothing is journalled, and the failure is told', async () => {
  const desk = await TestDesk.open()
  await desk.service.brokers.logout()
  expect(await desk.orders.multi.submit(BASKET_ORDER, basket(line()), CONTEXT)).toMatchObject({
    status: 403,
    code: 'forbidden',
  })
  expect(await desk.service.journal.list(USER, 10)).toEqual([])
  expect(await desk.published('order.failed')).toMatchObject([{ api_type: 'basketorder' }])
})
