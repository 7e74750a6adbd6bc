import { describe, expect, test } from 'vitest'
import type { BasketOrderPayload, PlaceContext } from '../../../../src/core/orders/index.js'
import { BASKET_ORDER } from '../../../../src/core/orders/multi/basket.js'
import { OPTIONS_MULTI_ORDER, OPTIONS_ORDER } from '../../../../src/core/orders/multi/options.js'
import { SMART_ORDER } from '../../../../src/core/orders/multi/smart.js'
import { SPLIT_ORDER } from '../../../../src/core/orders/multi/split.js'
import type { OrderAnswer } from '../../../../src/daemon/orders/answer.js'
import { beginStop } from '../../../../src/daemon/service.js'
import { type Answers, payloadOf, TestDesk, USER } from '../../../support/desk/desk.js'
import { deskClock } from '../../../support/desk/desk-clock.js'
import { eventually } from '../../../support/eventually.js'

/*
 * The process ends while a request of several orders waits between two of them. The clock of the first
 * service then stops, so that the service never continues.
 */

const NOT_SENT = 'Not sent: the service stopped before it came to this order.'
const KEYED: PlaceContext = { userId: USER, source: 'api', idempotencyKey: 'k' }
const { underlying_ltp: _ltp, strategy: _strategy, ...LINE } = payloadOf()
const ORDERS: BasketOrderPayload['orders'] = Array.from({ length: 14 }, (_, index) => ({
  ...LINE,
  quantity: index + 1,
  action: index < 12 ? 'BUY' : 'SELL',
}))
const OPTION = {
  offset: 'ATM',
  option_type: 'CE',
  action: 'BUY',
  quantity: 195,
  splitsize: 65,
  pricetype: 'MARKET',
  product: 'NRML',
  price: 0,
  trigger_price: 0,
  disclosed_quantity: 0,
} as const
const UNDERLYING = {
  strategy: 't',
  underlying: 'NIFTY',
  exchange: 'NSE_INDEX',
  expiry_date: '24NOV26',
} as const

interface Kind {
  name: string
  submit(orders: Answers, context: PlaceContext): Promise<OrderAnswer>
  sentBefore: number
  orders: number
  topic: 'basket.completed' | 'split.completed' | 'options.completed' | 'multiorder.completed'
}

const KINDS: readonly [Kind, ...Kind[]] = [
  {
    name: 'basket',
    submit: ({ multi }, context) => multi.submit(BASKET_ORDER, { strategy: 't', orders: ORDERS }, context),
    sentBefore: 10,
    orders: 14,
    topic: 'basket.completed',
  },
  {
    name: 'split',
    submit: ({ multi }, context) =>
      multi.submit(SPLIT_ORDER, { ...LINE, strategy: 't', quantity: 45, splitsize: 10 }, context),
    sentBefore: 1,
    orders: 5,
    topic: 'split.completed',
  },
  {
    name: 'options order',
    submit: ({ multi }, context) => multi.submit(OPTIONS_ORDER, { ...UNDERLYING, ...OPTION }, context),
    sentBefore: 1,
    orders: 3,
    topic: 'options.completed',
  },
  {
    name: 'options strategy',
    submit: ({ multi }, context) =>
      multi.submit(
        OPTIONS_MULTI_ORDER,
        { ...UNDERLYING, legs: [OPTION, { ...OPTION, action: 'SELL' }] },
        context,
      ),
    sentBefore: 1,
    orders: 6,
    topic: 'multiorder.completed',
  },
]
const [BASKET] = KINDS

/** A life that ends after the first orders, and the next one. */
async function afterCrash(kind: Kind, context: PlaceContext = KEYED, laterMs = 0): Promise<TestDesk> {
  const first = await TestDesk.open()
  void kind.submit(first.orders, context).catch(() => undefined)
  await eventually(async () => {
    const rows = await first.service.journal.list(USER, 100)
    return rows.filter(({ orderId }) => orderId !== null).length === kind.sentBefore
  })
  await first.close()
  const clock = deskClock(first.clock.now() + laterMs)
  return TestDesk.open({ home: first.home, clock })
}

const ask = (desk: TestDesk, kind: Kind) => desk.settled(kind.submit(desk.orders, KEYED))
const resultsOf = ({ body }: OrderAnswer) =>
  (body.results as Record<string, unknown>[]).flatMap(
    (entry) => (entry.split_results as Record<string, unknown>[]) ?? [entry],
  )
const unsentIn = (answer: OrderAnswer) => resultsOf(answer).filter(({ message }) => message === NOT_SENT)

describe.each(KINDS)('a $name cut short', (kind) => {
  test('sends nothing by itself; asked for again it is completed, each order once', async () => {
    const desk = await afterCrash(kind)
    expect(await desk.ledger()).toHaveLength(kind.sentBefore)
    const closed = await desk.service.journal.inState('rejected')
    expect(closed).toHaveLength(kind.orders - kind.sentBefore)

    const answer = await ask(desk, kind)
    expect(resultsOf(answer).map(({ status }) => status)).toEqual(Array(kind.orders).fill('success'))
    const ledger = await desk.ledger()
    expect(ledger).toHaveLength(kind.orders)
    expect(new Set(ledger.map(({ tag }) => tag)).size).toBe(kind.orders)
    const rows = await desk.service.journal.list(USER, 100)
    expect(rows.map(({ orderRef }) => orderRef).sort()).toEqual(ledger.map(({ tag }) => tag).sort())
    expect(await desk.published(kind.topic)).toMatchObject([{ response_data: answer.body }])

    expect(JSON.stringify(await ask(desk, kind))).toBe(JSON.stringify(answer))
    expect(await desk.ledger()).toHaveLength(kind.orders)
    expect(await desk.published(kind.topic)).toHaveLength(1)
  })
})

describe.each(KINDS)('a $name under way when the service stops', (kind) => {
  test('sends no further order and says so; asked for again after the restart it is completed', async () => {
    const first = await TestDesk.open()
    const asked = kind.submit(first.orders, KEYED)
    await eventually(async () => (await first.ledger()).length === kind.sentBefore)
    beginStop(first.service)
    const told = await first.settled(asked)
    expect(unsentIn(told)).toHaveLength(kind.orders - kind.sentBefore)
    expect(await first.ledger()).toHaveLength(kind.sentBefore)
    await first.close()

    const desk = await TestDesk.open({ home: first.home, clock: deskClock(first.clock.now()) })
    expect(await desk.ledger()).toHaveLength(kind.sentBefore)
    const answer = await ask(desk, kind)
    expect(resultsOf(answer).map(({ status }) => status)).toEqual(Array(kind.orders).fill('success'))
    const ledger = await desk.ledger()
    expect(ledger).toHaveLength(kind.orders)
    expect(new Set(ledger.map(({ tag }) => tag)).size).toBe(kind.orders)
    expect(JSON.stringify(await ask(desk, kind))).toBe(JSON.stringify(answer))
  })
})

test('a basket that is being completed when the service stops again is completed after that', async () => {
  const desk = await afterCrash(BASKET)
  beginStop(desk.service)
  expect(unsentIn(await ask(desk, BASKET))).toHaveLength(4)
  await desk.close()
  const next = await TestDesk.open({ home: desk.home, clock: deskClock(desk.clock.now()) })
  expect(unsentIn(await ask(next, BASKET))).toEqual([])
  expect(await next.ledger()).toHaveLength(14)
})

test('the order of sending holds over a crash: every BUY before the first SELL', async () => {
  const desk = await afterCrash(BASKET)
  await ask(desk, BASKET)
  const arrived = (await desk.ledger()).map(({ quantity }) => quantity)
  expect(arrived.slice(-2).sort((a, b) => a - b)).toEqual([13, 14])
})

describe('a basket cut short is told and not completed', () => {
  test.each<{ name: string; laterMs?: number; change?: (desk: TestDesk) => Promise<unknown> }>([
    { name: 'after a quarter of an hour', laterMs: 15 * 60_000 + 1 },
    { name: 'in Analyzer mode', change: ({ service }) => service.settings.setAnalyzeMode(true) },
    {
      name: 'while orders wait for approval',
      change: ({ service }) => service.identity.apiKeys.setOrderMode(USER, 'semi_auto'),
    },
  ])('$name', async ({ laterMs, change }) => {
    const desk = await afterCrash(BASKET, KEYED, laterMs)
    await change?.(desk)
    expect(unsentIn(await ask(desk, BASKET))).toHaveLength(4)
    expect(await desk.ledger()).toHaveLength(10)
  })

  test('while trading is stopped: each order says why', async () => {
    const desk = await afterCrash(BASKET)
    await desk.service.risk.setKillSwitch(true, 'news', USER)
    const answer = await ask(desk, BASKET)
    expect(resultsOf(answer).filter(({ rule }) => rule === 'kill_switch')).toHaveLength(4)
    expect(await desk.ledger()).toHaveLength(10)
  })

  test('without a broker session: nothing is decided, and the next time it is completed', async () => {
    const desk = await afterCrash(BASKET)
    await desk.service.brokers.logout()
    await expect(ask(desk, BASKET)).rejects.toMatchObject({ code: 'forbidden' })
    await desk.service.brokers.login({})
    expect(unsentIn(await ask(desk, BASKET))).toEqual([])
    expect(await desk.ledger()).toHaveLength(14)
  })

  test('when the mode is back, it is completed', async () => {
    const desk = await afterCrash(BASKET)
    await desk.service.settings.setAnalyzeMode(true)
    await ask(desk, BASKET)
    await desk.service.settings.setAnalyzeMode(false)
    expect(unsentIn(await ask(desk, BASKET))).toEqual([])
    expect(await desk.ledger()).toHaveLength(14)
  })
})

test('eight callers who ask again at the same time complete it once', async () => {
  const desk = await afterCrash(BASKET)
  const answers = await desk.settled(
    Promise.all(Array.from({ length: 8 }, () => BASKET.submit(desk.orders, KEYED))),
  )
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  expect(await desk.ledger()).toHaveLength(14)
})

test('an order in doubt is looked for and not sent again while the others are completed', async () => {
  const first = await TestDesk.open()
  first.service.brokers.plugins.faults().set([{ on: ['place'], kind: 'lose_answer', skip: 9, times: 1 }])
  first.service.brokers.plugins.faults().dropConnections('orders')
  void BASKET.submit(first.orders, KEYED).catch(() => undefined)
  await eventually(async () => (await first.service.journal.inState('unknown')).length === 1)
  await first.close()
  const desk = await TestDesk.open({ home: first.home, clock: deskClock(first.clock.now()) })
  const answer = await ask(desk, BASKET)
  expect(resultsOf(answer).map(({ status }) => status)).toEqual(Array(14).fill('success'))
  expect(await desk.ledger()).toHaveLength(14)
})

test('orders worked out from positions are sent later only where they are still needed: a close cut short', async () => {
  const first = await TestDesk.open()
  await first.place({ quantity: 10 })
  await first.place({ symbol: 'INFY', quantity: 5 })
  // The process ends while the first closing order is on its way.
  const { orders } = first.service.brokers.client()
  orders.place = () => new Promise(() => undefined)
  void first.orders.changes.close({ strategy: 't' }, KEYED).catch(() => undefined)
  await eventually(async () => (await first.service.journal.inState('sending')).length === 1)
  const { journal } = first.service
  expect(await journal.inState('claimed')).toHaveLength(1)
  await first.close()

  const desk = await TestDesk.open({ home: first.home, clock: deskClock(first.clock.now()) })
  // Somebody has closed INFY by hand. The order for SBIN never arrived, so it is sent.
  await desk.settled(desk.place({ symbol: 'INFY', action: 'SELL', quantity: 5 }))
  const answer = await desk.settled(desk.orders.changes.close({ strategy: 't' }, KEYED))
  expect(answer.body).toMatchObject({
    status: 'error',
    closed_positions: 1,
    failed_closures: 1,
    results: [
      { symbol: 'SBIN', status: 'success' },
      { symbol: 'INFY', status: 'error' },
    ],
  })
  expect(await desk.ledger()).toHaveLength(4)
})

describe.each([
  { name: 'a close of one position', symbol: 'SBIN' },
  { name: 'a smart exit', symbol: undefined },
])('$name whose order the broker never received', ({ symbol }) => {
  const { underlying_ltp: _, ...line } = payloadOf({ action: 'SELL', quantity: 0 })
  const exit = ({ orders }: TestDesk) =>
    symbol === undefined
      ? orders.multi.submit(SMART_ORDER, { ...line, position_size: 0 }, KEYED)
      : orders.changes.close({ strategy: 't', symbol, exchange: 'NSE', product: 'MIS' }, KEYED)

  test('is sent once by retries under its key', async () => {
    const first = await TestDesk.open()
    await first.place({ quantity: 10 })
    const { orders } = first.service.brokers.client()
    orders.place = () => new Promise(() => undefined)
    void exit(first).catch(() => undefined)
    await eventually(async () => (await first.service.journal.inState('sending')).length === 1)
    await first.close()

    const desk = await TestDesk.open({ home: first.home, clock: deskClock(first.clock.now()) })
    const answer = await desk.settled(exit(desk))
    expect(answer.body).toMatchObject({ status: 'success' })
    expect((await desk.settled(exit(desk))).body).toEqual(answer.body)
    expect(await desk.ledger()).toHaveLength(2)
  })
})

test('a smart exit that waits already is not sent beside it by a retry of the one before', async () => {
  const { underlying_ltp: _, ...line } = payloadOf({
    action: 'SELL',
    quantity: 0,
    pricetype: 'LIMIT',
    price: 900,
  })
  const exit = ({ orders }: TestDesk, idempotencyKey: string) =>
    orders.multi.submit(SMART_ORDER, { ...line, position_size: 0 }, { ...KEYED, idempotencyKey })
  const first = await TestDesk.open()
  await first.place({ quantity: 10 })
  const { orders } = first.service.brokers.client()
  orders.place = () => new Promise(() => undefined)
  void exit(first, 'first').catch(() => undefined)
  await eventually(async () => (await first.service.journal.inState('sending')).length === 1)
  await first.close()

  const desk = await TestDesk.open({ home: first.home, clock: deskClock(first.clock.now()) })
  expect((await desk.settled(exit(desk, 'second'))).body).toMatchObject({ status: 'success' })
  await desk.settled(exit(desk, 'first'))
  expect(await desk.ledger()).toHaveLength(2)
})

test('a dry run of a basket cut short says that a repeat still sends the rest, and sends nothing', async () => {
  const desk = await afterCrash(BASKET)
  const { single } = desk.service.orders
  const preview = () =>
    desk.orders.multi.preview(BASKET_ORDER, { strategy: 't', orders: ORDERS }, KEYED, single)
  expect(await desk.settled(preview())).toMatchObject({ status: 409, code: 'conflict' })
  expect(await desk.ledger()).toHaveLength(BASKET.sentBefore)
  const sent = await ask(desk, BASKET)
  expect((await desk.settled(preview())).body).toEqual(sent.body)
})
