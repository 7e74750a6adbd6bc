import { describe, expect, test } from 'vitest'
import type { FaultRule } from '../../../../src/core/brokers/simulated/index.js'
import { type PlaceContext, placeGttPayload } from '../../../../src/core/orders/index.js'
import { BASKET_ORDER } from '../../../../src/core/orders/multi/basket.js'
import { SMART_ORDER } from '../../../../src/core/orders/multi/smart.js'
import { parseWith } from '../../../../src/core/validation/index.js'
import type { OrderAnswer } from '../../../../src/daemon/orders/answer.js'
import { type Answers, payloadOf, TestDesk, USER } from '../../../support/desk/desk.js'

/*
 * The journal stores the result of an order with the order. So a key returns the first answer even if a crash
 * or a failed disk lost the answer of the key.
 */

const KEYED: PlaceContext = { userId: USER, source: 'api', idempotencyKey: 'k' }
const { underlying_ltp: _ltp, strategy: _strategy, ...LINE } = payloadOf()

const place = ({ single }: Answers) => single.place(payloadOf(), KEYED)

const fault = (rule: Partial<FaultRule>): FaultRule => ({
  on: ['place', 'placeGtt'],
  kind: 'fail',
  httpStatus: 422,
  message: 'RMS: margin exceeds',
  ...rule,
})

/**
 * Ends a service like a crash before the answer is stored under its key, and opens the next service.
 */
async function afterCrash(first: TestDesk): Promise<TestDesk> {
  const forget = `update idempotency_keys set body = null`
  await first.service.databases.svc.write((tx) => tx.exec(forget))
  await first.close()
  return TestDesk.open({ home: first.home, clock: first.clock })
}

interface Refusal {
  name: string
  /** Causes the refusal while the order is in flight. */
  cause(desk: TestDesk): unknown
  told: Pick<OrderAnswer, 'status' | 'code'>
}

const BY_BROKER: Refusal = {
  name: 'the broker refuses it with a status of its own',
  cause: ({ service }) => service.brokers.plugins.faults().set([fault({})]),
  told: { status: 422, code: 'broker_rejected' },
}
const REFUSALS: readonly Refusal[] = [
  BY_BROKER,
  {
    name: 'the broker limits the rate',
    cause: ({ service }) => service.brokers.plugins.faults().set([fault({ httpStatus: 429 })]),
    told: { status: 429, code: 'rate_limited' },
  },
  {
    name: 'the broker has ended the session',
    cause: ({ service }) => service.brokers.plugins.faults().set([fault({ httpStatus: 403 })]),
    told: { status: 403, code: 'forbidden' },
  },
  {
    name: 'the broker cannot be reached',
    cause: ({ service }) => service.brokers.plugins.faults().set([fault({ kind: 'refuse_connection' })]),
    told: { status: 500, code: 'unavailable' },
  },
  {
    name: 'trading is stopped while it waits for its turn',
    cause: ({ service }) => {
      service.brokers.orderSlot = async () => {
        await service.risk.setKillSwitch(true, 'too fast', USER)
      }
    },
    told: { status: 403, code: 'kill_switch' },
  },
  {
    name: 'its turn never comes',
    cause: ({ service }) => {
      service.brokers.orderSlot = async () => {
        throw new Error('a fault of ours')
      }
    },
    told: { status: 500, code: 'internal' },
  },
]

/** Other requests that become one live order. */
const WAYS: readonly { name: string; submit(orders: Answers): Promise<OrderAnswer> }[] = [
  {
    name: 'a smart order',
    submit: ({ multi }) => multi.submit(SMART_ORDER, { ...LINE, strategy: 't', position_size: 20 }, KEYED),
  },
  {
    name: 'a GTT',
    submit: ({ gtts }) => {
      const gtt = parseWith(placeGttPayload, {
        strategy: 't',
        trigger_type: 'SINGLE',
        exchange: 'NSE',
        symbol: 'SBIN',
        action: 'BUY',
        product: 'CNC',
        quantity: 5,
        price: 690,
        triggerprice_sl: 700,
      })
      return gtts.place(gtt, KEYED)
    },
  },
]

describe('after a crash, a refusal is told again to the last byte', () => {
  async function expectToldAgain(
    submit: (orders: Answers) => Promise<OrderAnswer>,
    { cause, told }: Refusal,
  ) {
    const first = await TestDesk.open()
    cause(first)
    const answer = await first.settled(submit(first.orders))
    expect(answer).toMatchObject(told)
    const next = await afterCrash(first)
    for (const _from of ['the order', 'the key']) {
      expect(JSON.stringify(await next.settled(submit(next.orders)))).toBe(JSON.stringify(answer))
    }
    expect(await next.ledger()).toEqual([])
  }

  test.each(REFUSALS)('when $name', (refusal) => expectToldAgain(place, refusal))
  test.each(WAYS)('also of $name', ({ submit }) => expectToldAgain(submit, BY_BROKER))
})

test('each order of a basket is told again as it was, the refused ones with the words of the broker', async () => {
  const first = await TestDesk.open()
  first.service.brokers.plugins
    .faults()
    .set([fault({ times: 1 }), fault({ httpStatus: 429, skip: 1, times: 1 })])
  const basket = { strategy: 't', orders: [LINE, LINE, LINE] }
  const submit = (desk: TestDesk) => desk.settled(desk.orders.multi.submit(BASKET_ORDER, basket, KEYED))
  const answer = await submit(first)
  const next = await afterCrash(first)
  expect(JSON.stringify(await submit(next))).toBe(JSON.stringify(answer))
})

test.each(['a rule of the gate', 'no money'])(
  'in Analyzer mode, what %s refuses of a basket is told again as it was',
  async (why) => {
    const first = await TestDesk.open()
    await first.service.settings.setAnalyzeMode(true)
    if (why !== 'no money') await first.service.risk.change({ max_order_quantity: 10 }, USER)
    const orders = [LINE, { ...LINE, quantity: 4_000_000, pricetype: 'LIMIT' as const, price: 49 }]
    const submit = (desk: TestDesk) =>
      desk.settled(desk.orders.multi.submit(BASKET_ORDER, { strategy: 't', orders }, KEYED))
    const answer = await submit(first)
    expect(answer.body).toMatchObject({ results: [{ status: 'success' }, { status: 'error' }] })
    const next = await afterCrash(first)
    expect(JSON.stringify(await submit(next))).toBe(JSON.stringify(answer))
  },
)

test('an order the broker took keeps its answer when the exchange rejects it before the caller asks again', async () => {
  const first = await TestDesk.open()
  const answer = await first.place({ pricetype: 'LIMIT', price: 760 }, KEYED)
  const { brokers, journal, updates } = first.service
  const [order] = await brokers.client().orders.list()
  if (order) updates.apply('simulated', { ...order, status: 'rejected', rejectionReason: 'Circuit limit' })
  await updates.drained()
  expect(await journal.find(answer.orderRef ?? '')).toMatchObject({
    state: 'rejected',
    reason: 'Circuit limit',
  })
  const next = await afterCrash(first)
  expect(await next.place({ pricetype: 'LIMIT', price: 760 }, KEYED)).toEqual(answer)
})

test('so does one whose rejection overtook the answer of the broker', async () => {
  const first = await TestDesk.open()
  const { brokers, updates } = first.service
  const { orders } = brokers.client()
  const { place: send } = orders
  orders.place = async (order, tag) => {
    const sent = await send(order, tag)
    const [placed] = await orders.list()
    if (placed)
      updates.apply('simulated', { ...placed, status: 'rejected', rejectionReason: 'Circuit limit' })
    await updates.drained()
    return sent
  }
  const answer = await first.place({ pricetype: 'LIMIT', price: 760 }, KEYED)
  expect(answer.code).toBe('ok')
  const next = await afterCrash(first)
  expect(await next.place({ pricetype: 'LIMIT', price: 760 }, KEYED)).toEqual(answer)
})

describe('when the disk fails as the end of an order is written down', () => {
  /** Lets no order of this database reach a state, nor an answer be stored, until `mend`. */
  async function withBrokenDisk(state: 'accepted' | 'rejected'): Promise<TestDesk> {
    const desk = await TestDesk.open()
    await desk.service.databases.svc.write(async (tx) => {
      const fail = `begin select raise(abort, 'disk I/O error'); end`
      await tx.exec(
        `create trigger no_state before update on order_journal when new.state = '${state}' ${fail}`,
      )
      await tx.exec(`create trigger no_answer before update on idempotency_keys ${fail}`)
      await tx.exec(
        `create trigger no_settlement before update on pending_orders when new.execution <> 'executing' ${fail}`,
      )
    })
    // Only its own answer tells of the order.
    desk.service.brokers.plugins.faults().dropConnections('orders')
    return desk
  }

  async function mend(desk: TestDesk): Promise<void> {
    await desk.service.databases.svc.write(async (tx) => {
      for (const name of ['no_state', 'no_answer', 'no_settlement']) await tx.exec(`drop trigger ${name}`)
    })
    await desk.clock.advance(60_000)
    await desk.service.reconciler.searchNow()
  }

  test('a placed order is told as placed once, and is in doubt for nobody', async () => {
    const desk = await withBrokenDisk('accepted')
    const answer = await desk.place({}, KEYED)
    expect(answer.code).toBe('ok')
    expect((await desk.service.journal.find(answer.orderRef ?? ''))?.state).toBe('sending')
    expect(await desk.place({}, KEYED)).toEqual(answer)
    await mend(desk)
    expect(await desk.service.journal.find(answer.orderRef ?? '')).toMatchObject({
      state: expect.stringMatching(/accepted|filled/),
      orderId: answer.body.orderid,
    })
    expect(await desk.published('order.placed')).toMatchObject([{ orderid: answer.body.orderid }])
    expect(await desk.published('order.in_doubt')).toEqual([])
    expect(await desk.place({}, KEYED)).toEqual(answer)
    expect(await desk.ledger()).toHaveLength(1)
  })

  test('a refused order keeps its refusal: it is neither looked for nor sent', async () => {
    const desk = await withBrokenDisk('rejected')
    desk.service.brokers.plugins.faults().set([fault({ times: 1 })])
    const answer = await desk.place({}, KEYED)
    expect(answer).toMatchObject({ status: 422, code: 'broker_rejected' })
    expect(await desk.place({}, KEYED)).toEqual(answer)
    await mend(desk)
    expect(await desk.service.journal.find(answer.orderRef ?? '')).toMatchObject({
      state: 'rejected',
      reason: 'RMS: margin exceeds',
    })
    expect(await desk.published('order.failed')).toHaveLength(1)
    expect(await desk.published('order.in_doubt')).toEqual([])
    expect(await desk.place({}, KEYED)).toEqual(answer)
    expect(await desk.ledger()).toEqual([])
  })

  test('one refused before its turn came is closed with that refusal, not sent when asked for again', async () => {
    const desk = await withBrokenDisk('rejected')
    const { orderSlot } = desk.service.brokers
    desk.service.brokers.orderSlot = async () => {
      throw new Error('a fault of ours')
    }
    const answer = await desk.place({}, KEYED)
    expect(answer).toMatchObject({ status: 500, code: 'internal' })
    await mend(desk)
    desk.service.brokers.orderSlot = orderSlot
    expect(await desk.place({}, KEYED)).toEqual(answer)
    expect(await desk.ledger()).toEqual([])
  })

  test('an approved order is settled without a restart', async () => {
    const desk = await withBrokenDisk('accepted')
    await desk.service.identity.apiKeys.setOrderMode(USER, 'semi_auto')
    const id = Number((await desk.place()).body.pending_order_id)
    expect(await desk.service.approvals.approve(USER, id, USER)).toMatchObject({ outcome: 'executed' })
    expect(await desk.service.approvals.view(USER, id)).toMatchObject({ execution: 'executing' })
    await mend(desk)
    expect(await desk.service.approvals.view(USER, id)).toMatchObject({
      execution: 'done',
      broker_order_id: (await desk.ledger())[0]?.orderId,
    })
    expect(await desk.published('order.placed')).toHaveLength(1)
  })
})
