import { describe, expect, test } from 'vitest'
import { ServiceError } from '../../../../../src/core/errors/index.js'
import type { PlaceContext, SmartOrderPayload } from '../../../../../src/core/orders/index.js'
import { BASKET_ORDER } from '../../../../../src/core/orders/multi/basket.js'
import { SMART_ORDER } from '../../../../../src/core/orders/multi/smart.js'
import type { OrderRequest } from '../../../../../src/core/orders/schema.js'
import { beginStop } from '../../../../../src/daemon/service.js'
import { payloadOf, TestDesk, USER } from '../../../../support/desk/desk.js'
import { deskClock } from '../../../../support/desk/desk-clock.js'
import { eventually } from '../../../../support/eventually.js'

/*
 * NFO takes at most 1,800 NIFTY in one order: 1,755 in whole lots of 65.
 */

const CONTRACT = { symbol: 'NIFTY24NOV2626000CE', exchange: 'NFO', product: 'NRML' } as const
const LARGEST = 1755
const SHARE = { symbol: 'SBIN', exchange: 'NSE' } as const
const ALL = { strategy: 't' }
const CONTEXT: PlaceContext = { userId: USER, source: 'api' }
const KEYED: PlaceContext = { ...CONTEXT, idempotencyKey: 'k' }
const TOO_LARGE =
  'Quantity 3510 exceeds the freeze quantity 1800: split it (svc order split, splitorder, or splitsize of an options order)'
const MODES = ['live', 'analyze'] as const

const { underlying_ltp: _, ...LINE } = payloadOf({ ...CONTRACT, quantity: 0 })
const target = (position_size: number): SmartOrderPayload => ({ ...LINE, position_size })

/** A desk that holds a position of the contract, from this many orders of the largest size. */
async function holding(mode: (typeof MODES)[number], orders: number, action: 'BUY' | 'SELL' = 'BUY') {
  const desk = await TestDesk.open()
  await desk.service.settings.setAnalyzeMode(mode === 'analyze')
  for (let order = 0; order < orders; order++) {
    const answer = await desk.settled(desk.place({ ...CONTRACT, action, quantity: LARGEST }))
    expect(answer.body).toMatchObject({ status: 'success' })
  }
  await desk.settled(eventually(async () => Math.abs(await positionOf(desk)) === orders * LARGEST))
  return desk
}

async function positionOf(desk: TestDesk): Promise<number> {
  const { quantity } = await desk.service.account.openPosition(USER, CONTRACT)
  return Number(quantity)
}

/** The orders of the account, oldest first: `SELL 1755`. */
async function ordersOf(desk: TestDesk): Promise<string[]> {
  const { orders } = (await desk.service.account.orderbook(USER)).data
  return orders
    .toSorted((a, b) => `${a.timestamp} ${a.orderid}`.localeCompare(`${b.timestamp} ${b.orderid}`))
    .map(({ action, quantity }) => `${action} ${quantity}`)
}

describe.each(MODES)('a position above the freeze quantity (%s)', (mode) => {
  test('is closed in pieces, and the answer has the id of each', async () => {
    const desk = await holding(mode, 2)
    const answer = await desk.settled(desk.orders.changes.close(ALL, CONTEXT))
    expect(answer).toMatchObject({ status: 200, code: 'ok' })
    const piece = (order_num: number) => ({
      order_num,
      quantity: LARGEST,
      status: 'success',
      orderid: expect.any(String),
    })
    expect(answer.body).toMatchObject({
      status: 'success',
      closed_positions: 1,
      failed_closures: 0,
      results: [
        {
          ...CONTRACT,
          status: 'success',
          total_quantity: 3510,
          split_size: LARGEST,
          split_results: [piece(1), piece(2)],
        },
      ],
    })
    await desk.settled(eventually(async () => (await positionOf(desk)) === 0))
    expect((await ordersOf(desk)).slice(2)).toEqual(['SELL 1755', 'SELL 1755'])
  })

  test('is closed by a smart order in pieces, as one answer', async () => {
    const desk = await holding(mode, 2)
    const answer = await desk.settled(desk.orders.multi.submit(SMART_ORDER, target(0), CONTEXT))
    expect(answer.body).toMatchObject({
      status: 'success',
      orderid: expect.any(String),
      total_quantity: 3510,
      split_size: LARGEST,
      results: [
        { order_num: 1, quantity: LARGEST, status: 'success' },
        { order_num: 2, quantity: LARGEST, status: 'success' },
      ],
    })
    await desk.settled(eventually(async () => (await positionOf(desk)) === 0))
    expect((await desk.published('order.placed')).slice(2)).toMatchObject([
      { quantity: 3510, action: 'SELL', orderid: answer.body.orderid },
    ])
  })

  test('is closed by a smart order that discloses more than its last piece has', async () => {
    const desk = await holding(mode, 1)
    const { brokers, sandbox } = desk.service
    const { orders } = brokers.client()
    const place = orders.place.bind(orders)
    const placeAll = sandbox.placeAll.bind(sandbox)
    const disclosed: string[] = []
    const note = (order: OrderRequest) => disclosed.push(`${order.disclosedQuantity} of ${order.quantity}`)
    orders.place = (order, tag) => {
      note(order)
      return place(order, tag)
    }
    sandbox.placeAll = (user, wanted, options) => {
      for (const { order } of wanted) note(order)
      return placeAll(user, wanted, options)
    }
    await desk.settled(
      desk.orders.multi.submit(SMART_ORDER, { ...target(-130), disclosed_quantity: 650 }, CONTEXT),
    )
    expect(disclosed).toEqual(['650 of 1755', '130 of 130'])
  })

  test('is turned to the other side: the pieces that close go first', async () => {
    const desk = await holding(mode, 1, 'SELL')
    const answer = await desk.settled(desk.orders.multi.submit(SMART_ORDER, target(1820), CONTEXT))
    expect(answer).toMatchObject({ code: 'ok', body: { total_quantity: 3575 } })
    await desk.settled(eventually(async () => (await positionOf(desk)) === 1820))
    expect((await ordersOf(desk)).slice(1)).toEqual(['BUY 1755', 'BUY 1755', 'BUY 65'])
  })

  test('is not closed in thousands of pieces because of a mistake in the table', async () => {
    const desk = await TestDesk.open()
    await desk.service.settings.setAnalyzeMode(mode === 'analyze')
    await desk.settled(desk.place({ quantity: 600 }))
    const held = async () =>
      (await desk.service.account.openPosition(USER, { ...SHARE, product: 'MIS' })).quantity
    await desk.settled(eventually(async () => Number(await held()) === 600))
    desk.service.instruments.directory.freezeQuantity = () => 1
    const why = 'needs more than 500 orders of at most 1. Correct its freeze quantity'
    const answers = [
      await desk.settled(desk.orders.changes.close(ALL, CONTEXT)),
      await desk.settled(
        desk.orders.multi.submit(
          SMART_ORDER,
          { ...LINE, ...SHARE, product: 'MIS', position_size: 0 },
          CONTEXT,
        ),
      ),
    ]
    for (const { body } of answers) {
      expect(body.status).toBe('error')
      expect(JSON.stringify(body)).toContain(why)
    }
    expect(await ordersOf(desk)).toEqual(['BUY 600'])
  })

  test('is not opened by one order, and the refusal names the way out', async () => {
    const desk = await TestDesk.open()
    await desk.service.settings.setAnalyzeMode(mode === 'analyze')
    const refused = { status: 'error', message: TOO_LARGE }
    const order = { ...CONTRACT, quantity: 3510, action: 'BUY' as const }
    expect((await desk.settled(desk.place(order))).body).toMatchObject(refused)
    expect(
      (await desk.settled(desk.orders.multi.submit(SMART_ORDER, target(3510), CONTEXT))).body,
    ).toMatchObject(refused)
    const { strategy, ...line } = payloadOf(order)
    const { underlying_ltp: _ltp, ...item } = line
    const basket = await desk.settled(
      desk.orders.multi.submit(BASKET_ORDER, { strategy, orders: [item] }, CONTEXT),
    )
    expect(basket.body).toMatchObject({ results: [refused] })
    const gtt = await desk.settled(
      desk.orders.gtts.place(
        {
          strategy,
          ...CONTRACT,
          trigger_type: 'SINGLE',
          action: 'SELL',
          quantity: 3510,
          pricetype: 'LIMIT',
          price: 10,
          triggerprice_sl: 10,
          triggerprice_tg: null,
          trigger_price: 10,
          stoploss: null,
          target: null,
          expires_at: null,
        },
        CONTEXT,
      ),
    )
    expect(gtt.body).toMatchObject(refused)
    expect(await positionOf(desk)).toBe(0)
  })

  test('is not turned past the limits of one order, although each piece keeps them', async () => {
    const desk = await holding(mode, 1)
    await desk.service.risk.change({ max_order_quantity: 1800 }, USER)
    const turned = await desk.settled(desk.orders.multi.submit(SMART_ORDER, target(-1885), CONTEXT))
    expect(turned.body).toMatchObject({
      status: 'error',
      rule: 'max_order_quantity',
      message: 'Quantity 1885 exceeds the limit of 1800 per order',
    })
    expect(await positionOf(desk)).toBe(LARGEST)
    const closed = await desk.settled(desk.orders.multi.submit(SMART_ORDER, target(-130), CONTEXT))
    expect(closed.body).toMatchObject({ status: 'success', total_quantity: 1885 })
  })

  test('is not turned by a mistyped target that would need hundreds of orders', async () => {
    const desk = await holding(mode, 1)
    const { body } = await desk.settled(
      desk.orders.multi.submit(SMART_ORDER, target(-LARGEST * 101), CONTEXT),
    )
    expect(body).toMatchObject({ message: 'Total number of orders would exceed maximum limit of 100' })
    expect(await positionOf(desk)).toBe(LARGEST)
  })

  test('is closed in the pieces of the table as it is now', async () => {
    const desk = await holding(mode, 2)
    const { freeze } = desk.service.instruments
    const entry = freeze.list().find((row) => row.exchange === 'NFO' && row.symbol === 'NIFTY')
    await freeze.set(entry?.id ?? 0, 1300)
    const answer = await desk.settled(desk.orders.changes.close(ALL, CONTEXT))
    expect(answer.code).toBe('ok')
    expect((await ordersOf(desk)).slice(2)).toEqual(['SELL 1300', 'SELL 1300', 'SELL 910'])
  })
})

test('an approved smart order above the freeze quantity goes in pieces', async () => {
  const desk = await holding('live', 2)
  await desk.service.identity.apiKeys.setOrderMode(USER, 'semi_auto')
  const { body } = await desk.settled(desk.orders.multi.submit(SMART_ORDER, target(0), CONTEXT))
  const { approvals } = desk.service
  const id = Number(body.pending_order_id)
  expect(await desk.settled(approvals.approve(USER, id, USER))).toMatchObject({
    outcome: 'executed',
    brokerOrderId: expect.stringMatching(/^S\d+,S\d+$/),
  })
  await desk.settled(eventually(async () => (await positionOf(desk)) === 0))
})

test('the pieces keep to ten orders a second', async () => {
  const desk = await holding('live', 12)
  const from = desk.clock.now()
  await desk.settled(desk.orders.changes.close(ALL, CONTEXT))
  const times = (await desk.service.journal.list(USER, 12)).map(({ createdAt }) => createdAt)
  expect(times).toHaveLength(12)
  expect(desk.clock.now() - from).toBeGreaterThanOrEqual(1000)
})

test.each([
  { name: 'closeposition', ask: (desk: TestDesk) => desk.orders.changes.close(ALL, CONTEXT) },
  {
    name: 'placesmartorder',
    ask: (desk: TestDesk) => desk.orders.multi.submit(SMART_ORDER, target(0), CONTEXT),
  },
])(
  'the pieces after a pause open nothing when somebody else has closed meanwhile ($name)',
  async ({ ask }) => {
    const desk = await holding('live', 12)
    const { orders } = desk.service.brokers.client()
    const place = orders.place.bind(orders)
    let calls = 0
    orders.place = async (order, tag) => {
      const placed = await place(order, tag)
      calls += 1
      if (calls === 10) await place(order, 'ANOTHERTERMINAL')
      return placed
    }
    const { body } = await desk.settled(ask(desk))
    expect(body.status).toBe('error')
    expect(JSON.stringify(body)).toContain(
      'Only 17550 of 21060 was ordered, 3510 is left: Not sent: the position has changed',
    )
    expect(await positionOf(desk)).toBe(LARGEST)
    expect((await desk.settled(ask(desk))).body.status).toBe('success')
    await desk.settled(eventually(async () => (await positionOf(desk)) === 0))
  },
)

describe('a close that cannot be completed', () => {
  const refuse = (desk: TestDesk, times: number, skip = 0) =>
    desk.service.brokers.plugins
      .faults()
      .set([{ on: ['place'], kind: 'fail', httpStatus: 400, message: 'RMS: blocked', times, skip }])

  test('goes on after a piece that is refused, and says what is left', async () => {
    const desk = await holding('live', 3)
    refuse(desk, 1)
    const answer = await desk.settled(desk.orders.changes.close(ALL, CONTEXT))
    expect(answer).toMatchObject({ status: 400, code: 'broker_rejected' })
    expect(answer.body).toMatchObject({
      status: 'error',
      closed_positions: 0,
      failed_closures: 1,
      results: [
        {
          status: 'error',
          message: 'Only 3510 of 5265 was ordered, 1755 is left: RMS: blocked',
          split_results: [
            { status: 'error', message: 'RMS: blocked' },
            { status: 'success' },
            { status: 'success' },
          ],
        },
      ],
    })
    await desk.settled(eventually(async () => (await positionOf(desk)) === LARGEST))
    expect(await desk.published('order.failed')).toMatchObject([{ api_type: 'closeposition' }])
    expect((await desk.settled(desk.orders.changes.close(ALL, CONTEXT))).body.status).toBe('success')
  })

  test('of one position beside another is no success', async () => {
    const desk = await holding('live', 1)
    await desk.settled(desk.place())
    refuse(desk, 1)
    expect(await desk.settled(desk.orders.changes.close(ALL, CONTEXT))).toMatchObject({
      status: 400,
      body: { status: 'error', message: 'Closed 1 positions (Failed to close 1 positions)' },
    })
  })

  test('opens nothing on the other side', async () => {
    const desk = await holding('live', 1)
    refuse(desk, 1)
    const answer = await desk.settled(desk.orders.multi.submit(SMART_ORDER, target(-130), CONTEXT))
    expect(answer.body).toMatchObject({
      status: 'error',
      message: 'Only 0 of 1885 was ordered, 1885 is left: RMS: blocked',
      results: [
        { quantity: LARGEST, message: 'RMS: blocked' },
        { quantity: 130, message: expect.stringContaining('Not sent: it opens the other side') },
      ],
    })
    expect(await ordersOf(desk)).toEqual(['BUY 1755'])
    expect(await desk.service.journal.inState('claimed')).toEqual([])
  })
})

describe('a piece in doubt', () => {
  /** A close of three pieces whose second has no answer. It may have arrived, or not. */
  async function inDoubt(kind: 'lose_answer' | 'lose_request') {
    const desk = await holding('live', 3)
    desk.service.brokers.plugins.faults().set([{ on: ['place'], kind, skip: 1, times: 1 }])
    desk.service.brokers.plugins.faults().dropConnections('orders')
    const close = () => desk.settled(desk.orders.changes.close(ALL, KEYED))
    return { desk, close, first: await close() }
  }

  test.each(['lose_answer', 'lose_request'] as const)('keeps back those after it (%s)', async (kind) => {
    const { desk, close, first } = await inDoubt(kind)
    expect(first).toMatchObject({ status: 504, code: 'outcome_unknown', body: { status: 'error' } })
    const [row] = first.body.results as { split_results: object[] }[]
    expect(row?.split_results).toMatchObject([
      { status: 'success' },
      { status: 'error', order_ref: expect.any(String) },
      { status: 'error', message: expect.stringContaining('the order before it is not known') },
    ])
    const sent = (await desk.ledger()).length
    // Until the doubt is settled, nothing is sent.
    expect((await close()).code).toBe('outcome_unknown')
    expect(await desk.ledger()).toHaveLength(sent)

    await desk.service.orders.reconciler.searchNow()
    // The second piece arrived, or the broker never received it: the retry sends what is left, that piece too.
    const again = await close()
    expect(again.body).toMatchObject({ status: 'success' })
    await desk.settled(eventually(async () => (await positionOf(desk)) === 0))
    const ledger = await desk.ledger()
    expect(ledger).toHaveLength(6)
    expect(new Set(ledger.map(({ tag }) => tag)).size).toBe(6)
    expect((await close()).body).toEqual(again.body)
    expect(await desk.ledger()).toHaveLength(6)
  })
})

describe('a close that a crash cut short', () => {
  /** A life that ends while the second piece is on its way to the broker, which never gets it. */
  async function cut(submit: (desk: TestDesk) => Promise<unknown>, held = 3, laterMs = 0) {
    const first = await holding('live', held)
    const { orders } = first.service.brokers.client()
    const place = orders.place.bind(orders)
    let calls = 0
    orders.place = (...order) => {
      calls += 1
      return calls === 1 ? place(...order) : new Promise(() => undefined)
    }
    void submit(first).catch(() => undefined)
    await first.settled(eventually(() => calls === 2))
    await first.close()
    return TestDesk.open({ home: first.home, clock: deskClock(first.clock.now() + laterMs) })
  }

  const close = (desk: TestDesk) => desk.orders.changes.close(ALL, KEYED)
  const flatten = (desk: TestDesk) => desk.orders.multi.submit(SMART_ORDER, target(0), KEYED)

  test.each([
    { name: 'closeposition', ask: close },
    { name: 'placesmartorder', ask: flatten },
  ])('sends the rest when it is asked for again, and nothing twice ($name)', async ({ ask }) => {
    const desk = await cut(ask)
    expect(await desk.ledger()).toHaveLength(4)
    const answer = await desk.settled(ask(desk))
    // The second piece never arrived, so it is sent with the third.
    expect(answer.body).toMatchObject({ status: 'success' })
    await desk.settled(eventually(async () => (await positionOf(desk)) === 0))
    const ledger = await desk.ledger()
    expect(ledger).toHaveLength(6)
    expect(new Set(ledger.map(({ tag }) => tag)).size).toBe(6)
    expect((await desk.settled(ask(desk))).body).toEqual(answer.body)
    expect(await desk.ledger()).toHaveLength(6)
  })

  test('turns to the other side although the last piece that closes was lost', async () => {
    const flip = (desk: TestDesk) => desk.orders.multi.submit(SMART_ORDER, target(-130), KEYED)
    const desk = await cut(flip, 2)
    expect((await desk.settled(flip(desk))).body).toMatchObject({ status: 'success' })
    await desk.settled(eventually(async () => (await positionOf(desk)) === -130))
    expect(await desk.ledger()).toHaveLength(5)
  })

  test('keeps the answer of a piece that opens and was lost, which says what to do', async () => {
    const flip = (desk: TestDesk) => desk.orders.multi.submit(SMART_ORDER, target(-130), KEYED)
    const desk = await cut(flip, 1)
    const answer = await desk.settled(flip(desk))
    expect(answer).toMatchObject({ status: 503, code: 'not_received' })
    expect(answer.body.message).toBe(
      'Only 1755 of 1885 was ordered, 130 is left: The broker never received it. Send the order again under a new Idempotency-Key.',
    )
    expect((await desk.settled(flip(desk))).body).toEqual(answer.body)
    expect(await positionOf(desk)).toBe(0)
  })

  test('says after a quarter of an hour that a new key is needed', async () => {
    const desk = await cut(close, 3, 15 * 60_000 + 1)
    const { body } = await desk.settled(close(desk))
    expect(JSON.stringify(body)).toContain('Send the order again under a new Idempotency-Key.')
    expect(await desk.ledger()).toHaveLength(4)
  })

  test.each([
    { name: 'closeposition', ask: close },
    { name: 'placesmartorder', ask: flatten },
  ])('sends nothing that the position no longer needs ($name)', async ({ ask }) => {
    const desk = await cut(ask)
    for (let order = 0; order < 2; order++) {
      await desk.settled(desk.place({ ...CONTRACT, action: 'SELL', quantity: LARGEST }))
    }
    await desk.settled(eventually(async () => (await positionOf(desk)) === 0))
    await desk.settled(ask(desk))
    expect(await desk.ledger()).toHaveLength(6)
    expect(await positionOf(desk)).toBe(0)
  })
})

describe('pieces that still wait when the stop of the service closes the broker', () => {
  const flip = (desk: TestDesk) => desk.orders.multi.submit(SMART_ORDER, target(-130), KEYED)
  const nextLife = ({ home, clock }: TestDesk) => TestDesk.open({ home, clock: deskClock(clock.now()) })

  /** Lets a request end after the broker was closed, and before the databases are. */
  function endsAfterClose(desk: TestDesk, asked: Promise<unknown>): void {
    const { brokers } = desk.service
    const close = brokers.close.bind(brokers)
    brokers.close = async () => {
      await close()
      await desk.settled(asked)
    }
  }

  test.each([
    { name: 'closeposition', ask: (desk: TestDesk) => desk.orders.changes.close(ALL, KEYED), left: 0 },
    { name: 'placesmartorder', ask: flip, left: -130 },
  ])('in the pause are sent by a retry under the same key ($name)', async ({ ask, left }) => {
    const first = await holding('live', 12)
    const asked = ask(first)
    await eventually(async () => (await first.ledger()).length === 22)
    endsAfterClose(first, asked)
    await first.close()
    expect(JSON.stringify((await asked).body)).toContain('Not sent: the service stopped')
    expect(await first.ledger()).toHaveLength(22)

    const desk = await nextLife(first)
    expect(await desk.settled(ask(desk))).toMatchObject({ code: 'ok', body: { status: 'success' } })
    await desk.settled(eventually(async () => (await positionOf(desk)) === left))
    const ledger = await desk.ledger()
    expect(new Set(ledger.map(({ tag }) => tag)).size).toBe(ledger.length)
  })

  test('at their turn are sent by a retry, with those that open after them', async () => {
    const first = await holding('live', 2)
    const { orders } = first.service.brokers.client()
    const place = orders.place.bind(orders)
    // The last answer of a broker that is closed: the second piece finds none.
    orders.place = async (order, tag) => {
      const placed = await place(order, tag)
      beginStop(first.service)
      await first.service.brokers.close()
      return placed
    }
    await first.settled(flip(first))
    await first.close()

    const desk = await nextLife(first)
    expect((await desk.settled(flip(desk))).body).toMatchObject({ status: 'success' })
    await desk.settled(eventually(async () => (await positionOf(desk)) === -130))
    expect(await desk.ledger()).toHaveLength(5)
  })

  test('in Analyzer mode are sent by a retry once the sandbox can store again', async () => {
    const first = await holding('analyze', 2)
    const { sandbox } = first.service
    const placeAll = sandbox.placeAll.bind(sandbox)
    let calls = 0
    sandbox.placeAll = async (...orders) => {
      calls += 1
      if (calls === 1) return placeAll(...orders)
      beginStop(first.service)
      throw new ServiceError('unavailable', 'The sandbox could not be written.')
    }
    expect((await first.settled(flip(first))).body).toMatchObject({ status: 'error' })
    await first.close()

    const desk = await nextLife(first)
    expect((await desk.settled(flip(desk))).body).toMatchObject({ status: 'success' })
    await desk.settled(eventually(async () => (await positionOf(desk)) === -130))
  })
})
