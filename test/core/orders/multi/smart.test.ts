import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { SmartOrderPayload } from '../../../../src/core/orders/index.js'
import { decide, SMART_ORDER } from '../../../../src/core/orders/multi/smart.js'
import { payloadOf, TestDesk, USER } from '../../../support/desk/desk.js'

const MATCHED = 'Positions Already Matched. No Action needed.'
const NO_POSITION = 'No OpenPosition Found. Not placing Exit order.'
const CONTEXT = { userId: USER, source: 'api' as const }

function smart(fields: Partial<SmartOrderPayload> & { position_size: number }): SmartOrderPayload {
  const { underlying_ltp: _, ...line } = payloadOf()
  return { ...line, ...fields }
}

describe('the decision table', () => {
  test.each([
    // position, target, side and quantity asked for, what is traded
    [0, 0, 'BUY', 10, 'BUY 10'],
    [0, 0, 'SELL', 3, 'SELL 3'],
    [0, 0, 'BUY', 0, NO_POSITION],
    [50, 50, 'BUY', 10, MATCHED],
    [-50, -50, 'SELL', 10, MATCHED],
    [50, 50, 'BUY', 0, NO_POSITION],
    [50, 0, 'BUY', 10, 'SELL 50'],
    [50, 0, 'SELL', 0, 'SELL 50'],
    [-50, 0, 'SELL', 10, 'BUY 50'],
    [0, 100, 'SELL', 1, 'BUY 100'],
    [0, -100, 'BUY', 1, 'SELL 100'],
    [-100, 100, 'BUY', 100, 'BUY 200'],
    [100, 200, 'BUY', 100, 'BUY 100'],
    [100, -100, 'SELL', 100, 'SELL 200'],
    [-100, -200, 'SELL', 100, 'SELL 100'],
    [0.1, 0.3, 'BUY', 1, 'BUY 0.2'],
    // Targets that a client calculated in floats.
    [0.3, 0.1 + 0.2, 'BUY', 1, MATCHED],
    [0, 0.3 - 0.1 - 0.2, 'BUY', 0, NO_POSITION],
    [0, 0.3 - 0.1 - 0.2, 'BUY', 0.5, 'BUY 0.5'],
  ] as const)('from %d to %d with %s %d: %s', (current, target, action, quantity, expected) => {
    const decision = decide(current, target, { action, quantity })
    expect('message' in decision ? decision.message : `${decision.action} ${decision.quantity}`).toBe(
      expected,
    )
  })

  test('whatever is held, the order leads to the target', () => {
    const lots = fc.integer({ min: -5000, max: 5000 })
    const asked = fc.record({
      action: fc.constantFrom('BUY' as const, 'SELL' as const),
      quantity: fc.nat(500),
    })
    fc.assert(
      fc.property(lots, lots, asked, (current, target, request) => {
        const decision = decide(current, target, request)
        if ('message' in decision) expect(current).toBe(target)
        else if (current !== 0 || target !== 0) {
          const signed = decision.action === 'BUY' ? decision.quantity : -decision.quantity
          expect(current + signed).toBe(target)
        }
      }),
    )
  })
})

describe.each(['live', 'analyze'] as const)('a smart order (%s)', (mode) => {
  async function open(): Promise<TestDesk> {
    const desk = await TestDesk.open()
    if (mode === 'analyze') await desk.service.sandbox.start()
    await desk.service.settings.setAnalyzeMode(mode === 'analyze')
    return desk
  }
  const position = async ({ service }: TestDesk) =>
    (await service.account.openPosition(USER, { symbol: 'SBIN', exchange: 'NSE', product: 'MIS' })).quantity

  test('trades the difference, and says when there is none', async () => {
    const desk = await open()
    const { multi } = desk.orders
    await multi.submit(SMART_ORDER, smart({ position_size: 30 }), CONTEXT)
    await multi.submit(SMART_ORDER, smart({ position_size: 20 }), CONTEXT)
    expect(await position(desk)).toBe(20)
    const { status, code, body } = await multi.submit(SMART_ORDER, smart({ position_size: 20 }), CONTEXT)
    expect({ status, code, body }).toEqual({
      status: 200,
      code: 'ok',
      body: { status: 'success', message: MATCHED, ...(mode === 'analyze' && { mode }) },
    })
    expect(await desk.published('order.no_action')).toMatchObject([
      { api_type: 'placesmartorder', symbol: 'SBIN', message: MATCHED },
    ])
  })

  test('of the same position waits for the one before: two signals at once do not double it', async () => {
    const desk = await open()
    const { multi } = desk.orders
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => multi.submit(SMART_ORDER, smart({ position_size: 40 }), CONTEXT)),
    )
    expect(await position(desk)).toBe(40)
    expect(answers.filter(({ body }) => body.orderid !== undefined)).toHaveLength(1)
  })

  test('keeps its price type', async () => {
    const desk = await open()
    const { body } = await desk.orders.multi.submit(
      SMART_ORDER,
      smart({ position_size: 10, pricetype: 'LIMIT', price: 700 }),
      CONTEXT,
    )
    expect(await desk.service.account.orderStatus(USER, String(body.orderid))).toMatchObject({
      data: { order_status: 'open', price: 700 },
    })
    expect(await desk.published('order.placed')).toMatchObject([
      { api_type: 'placesmartorder', pricetype: 'LIMIT', request_data: { position_size: 10 } },
    ])
  })

  describe.each(['LIMIT', 'SL', 'SL-M'] as const)('of the type %s that waits', (pricetype) => {
    const prices =
      pricetype === 'LIMIT' ? { price: 700 } : { price: pricetype === 'SL' ? 901 : 0, trigger_price: 900 }
    const sizes = async ({ service }: TestDesk) =>
      (await service.account.orderbook(USER)).data.orders
        .map(({ action, quantity }) => `${action} ${quantity}`)
        .toReversed()
    const send = ({ orders: { multi } }: TestDesk, position_size: number) =>
      multi.submit(SMART_ORDER, smart({ position_size, pricetype, ...prices }), CONTEXT)

    test('is not placed a second time by a repeat', async () => {
      const desk = await open()
      await send(desk, 100)
      const { body } = await send(desk, 100)
      expect(body.message).toBe(
        `${pricetype} orders to BUY 100 already wait at this price. No Action needed.`,
      )
      expect(await sizes(desk)).toEqual(['BUY 100'])
    })

    test('counts towards a larger target at the same price', async () => {
      const desk = await open()
      await send(desk, 100)
      await send(desk, 150)
      expect(await sizes(desk)).toEqual(['BUY 100', 'BUY 50'])
    })

    test('holds up no order at the market', async () => {
      const desk = await open()
      await send(desk, 100)
      await desk.orders.multi.submit(SMART_ORDER, smart({ position_size: 100 }), CONTEXT)
      expect(await position(desk)).toBe(100)
    })
  })

  test('as an exit leaves beside orders at other prices, and once at its own', async () => {
    const desk = await open()
    const { multi } = desk.orders
    await multi.submit(SMART_ORDER, smart({ position_size: 100 }), CONTEXT)
    const exit = (terms: object) =>
      multi.submit(SMART_ORDER, smart({ action: 'SELL', position_size: 0, ...terms }), CONTEXT)
    // A stop, a target, and an exit that must leave all the same: none may swallow another.
    for (const terms of [
      { pricetype: 'SL-M', trigger_price: 650 },
      { pricetype: 'LIMIT', price: 900 },
      { pricetype: 'LIMIT', price: 890 },
    ]) {
      expect((await exit(terms)).body).toMatchObject({ orderid: expect.any(String) })
      expect((await exit(terms)).body.orderid).toBeUndefined()
    }
    await exit({})
    expect(await position(desk)).toBe(0)
  })

  test('answers a retry of its key with what it did, also when that was nothing', async () => {
    const desk = await open()
    const { multi } = desk.orders
    const first = await multi.submit(SMART_ORDER, smart({ position_size: 10 }), {
      ...CONTEXT,
      idempotencyKey: 'a',
    })
    const none = await multi.submit(SMART_ORDER, smart({ position_size: 10 }), {
      ...CONTEXT,
      idempotencyKey: 'b',
    })
    await multi.submit(SMART_ORDER, smart({ position_size: 0 }), CONTEXT)
    const again = (key: string) =>
      multi.submit(SMART_ORDER, smart({ position_size: 10 }), { ...CONTEXT, idempotencyKey: key })
    expect((await again('a')).body).toEqual(first.body)
    expect((await again('b')).body).toEqual(none.body)
    expect(await position(desk)).toBe(0)
  })
})

test('a market order that the broker shows as a limit order is on its way, too', async () => {
  const desk = await TestDesk.open()
  const { orders, portfolio } = desk.service.brokers.client()
  const { list } = orders
  // The rest of it waits within its market protection, and nothing in the book says what it was.
  portfolio.positions = async () => []
  orders.list = async () =>
    (await list()).map((order) => ({
      ...order,
      status: 'open',
      pendingQuantity: order.quantity,
      priceType: 'LIMIT',
      price: 100,
    }))
  const { multi } = desk.orders
  await multi.submit(SMART_ORDER, smart({ position_size: 40 }), CONTEXT)
  const second = await multi.submit(SMART_ORDER, smart({ position_size: 40 }), CONTEXT)
  expect(second.body.message).toBe(MATCHED)
  expect((await desk.ledger()).map(({ quantity }) => quantity)).toEqual([40])
})

test('a smart order counts what is on its way: a position book that lags does not double it', async () => {
  const desk = await TestDesk.open()
  const { orders, portfolio } = desk.service.brokers.client()
  const { list } = orders
  // The broker has taken the orders and not filled them yet.
  portfolio.positions = async () => []
  orders.list = async () =>
    (await list()).map((order) => ({ ...order, status: 'open', pendingQuantity: order.quantity }))
  const { multi } = desk.orders
  await multi.submit(SMART_ORDER, smart({ position_size: 40 }), CONTEXT)
  const second = await multi.submit(SMART_ORDER, smart({ position_size: 40 }), CONTEXT)
  expect(second.body.message).toBe(MATCHED)
  await multi.submit(SMART_ORDER, smart({ position_size: 55 }), CONTEXT)
  expect((await desk.ledger()).map(({ quantity }) => quantity)).toEqual([40, 15])
})

describe('an order at the market that rests, 40 of 100 filled', () => {
  async function resting(): Promise<TestDesk> {
    const desk = await TestDesk.open()
    const { orders, portfolio } = desk.service.brokers.client()
    const { list } = orders
    const { multi } = desk.orders
    await multi.submit(SMART_ORDER, smart({ position_size: 100 }), CONTEXT)
    const [held] = await portfolio.positions()
    if (!held) throw new Error('there is no position')
    portfolio.positions = async () => [{ ...held, quantity: 40 }]
    orders.list = async () =>
      (await list()).map((order) =>
        order.quantity === 100
          ? { ...order, status: 'open', filledQuantity: 40, pendingQuantity: 60 }
          : order,
      )
    return desk
  }
  const sent = async (desk: TestDesk) =>
    (await desk.service.account.orderbook(USER)).data.orders
      .filter(({ quantity }) => quantity !== 100)
      .map(({ action, quantity }) => `${action} ${quantity}`)

  test.each([
    [80, ['SELL 20']],
    [60, ['SELL 40']],
    [100, []],
    [130, ['BUY 30']],
  ])(
    'counts as filled for a target of %d, which sells no more than is held',
    async (position_size, orders) => {
      const desk = await resting()
      await desk.settled(desk.orders.multi.submit(SMART_ORDER, smart({ position_size }), CONTEXT))
      expect(await sent(desk)).toEqual(orders)
    },
  )

  test.each([59, 0, -50])(
    'is waited for before a target of %d, which would sell more',
    async (position_size) => {
      const desk = await resting()
      const answer = desk.settled(desk.orders.multi.submit(SMART_ORDER, smart({ position_size }), CONTEXT))
      expect(await answer).toMatchObject({
        code: 'unavailable',
        body: {
          message: expect.stringContaining('(BUY 60) of this position is at the market and not filled yet'),
        },
      })
      expect(await sent(desk)).toEqual([])
    },
  )
})
