import { describe, expect, test } from 'vitest'
import type { BrokerGtt } from '../../../../src/core/brokers/broker.js'
import type { FaultRule } from '../../../../src/core/brokers/simulated/index.js'
import { BASKET_ORDER } from '../../../../src/core/orders/multi/basket.js'
import { OPTIONS_MULTI_ORDER, OPTIONS_ORDER } from '../../../../src/core/orders/multi/options.js'
import { SMART_ORDER } from '../../../../src/core/orders/multi/smart.js'
import { SPLIT_ORDER } from '../../../../src/core/orders/multi/split.js'
import type { OrderAnswer } from '../../../../src/daemon/orders/answer.js'
import { type Answers, payloadOf, TestDesk, USER } from '../../../support/desk/desk.js'

const SBIN = { symbol: 'SBIN', exchange: 'NSE' }
const CONTEXT = { userId: USER, source: 'api' as const }
const { underlying_ltp: _ltp, strategy: _strategy, ...LINE } = payloadOf()
const OPTION = {
  offset: 'ATM',
  option_type: 'CE' as const,
  action: 'BUY' as const,
  quantity: 65,
  splitsize: 0,
  pricetype: 'MARKET' as const,
  product: 'NRML' as const,
  price: 0,
  trigger_price: 0,
  disclosed_quantity: 0,
}
const UNDERLYING = {
  strategy: 't',
  underlying: 'NIFTY',
  exchange: 'NSE_INDEX' as const,
  expiry_date: '24NOV26',
}
const GTT = {
  strategy: 't',
  trigger_type: 'SINGLE' as const,
  exchange: 'NSE' as const,
  symbol: 'SBIN',
  action: 'BUY' as const,
  product: 'CNC' as const,
  quantity: 5,
  pricetype: 'LIMIT' as const,
  price: 690,
  triggerprice_sl: 700,
  triggerprice_tg: null,
  stoploss: null,
  target: null,
  expires_at: null,
  trigger_price: 700,
}

interface Kind {
  operation: string
  submit(orders: Answers): Promise<OrderAnswer>
  /** Orders, or triggers, an approval makes of it. */
  orders: number
  status: 'complete' | 'open'
}

/** The types that can be queued, beside placeorder itself. */
const KINDS: readonly Kind[] = [
  {
    operation: 'smartorder',
    submit: ({ multi }) => multi.submit(SMART_ORDER, { ...LINE, strategy: 't', position_size: 20 }, CONTEXT),
    orders: 1,
    status: 'complete',
  },
  {
    operation: 'basketorder',
    submit: ({ multi }) => multi.submit(BASKET_ORDER, { strategy: 't', orders: [LINE, LINE] }, CONTEXT),
    orders: 2,
    status: 'complete',
  },
  {
    operation: 'splitorder',
    submit: ({ multi }) =>
      multi.submit(SPLIT_ORDER, { ...LINE, strategy: 't', quantity: 30, splitsize: 15 }, CONTEXT),
    orders: 2,
    status: 'complete',
  },
  {
    operation: 'optionsorder',
    submit: ({ multi }) => multi.submit(OPTIONS_ORDER, { ...UNDERLYING, ...OPTION }, CONTEXT),
    orders: 1,
    status: 'complete',
  },
  {
    operation: 'optionsmultiorder',
    submit: ({ multi }) =>
      multi.submit(
        OPTIONS_MULTI_ORDER,
        { ...UNDERLYING, legs: [OPTION, { ...OPTION, offset: 'OTM1', quantity: 130, splitsize: 65 }] },
        CONTEXT,
      ),
    orders: 3,
    status: 'complete',
  },
  {
    operation: 'placegttorder',
    submit: ({ gtts }) => gtts.place(GTT, CONTEXT),
    orders: 1,
    status: 'open',
  },
]

async function queue(desk: TestDesk, kind: Kind): Promise<number> {
  await desk.service.identity.apiKeys.setOrderMode(USER, 'semi_auto')
  const { body } = await kind.submit(desk.orders)
  return Number(body.pending_order_id)
}

const approve = (desk: TestDesk, id: number) => desk.settled(desk.service.approvals.approve(USER, id, USER))

describe.each(KINDS)('an approved $operation', (kind) => {
  test.each(['live', 'analyze'] as const)('is executed once, past the queue (%s)', async (mode) => {
    const desk = await TestDesk.open()
    if (mode === 'analyze') await desk.service.sandbox.start()
    await desk.service.settings.setAnalyzeMode(mode === 'analyze')
    const id = await queue(desk, kind)
    expect(await desk.ledger()).toEqual([])
    const outcome = await approve(desk, id)
    expect(outcome).toMatchObject({ outcome: 'executed', brokerOrderId: expect.any(String) })
    const row = await desk.service.approvals.view(USER, id)
    expect(row).toMatchObject({ status: 'approved', execution: 'done', broker_status: kind.status })
    expect(row.broker_order_id?.split(',')).toHaveLength(kind.orders)
    const arrived = kind.operation === 'placegttorder' || mode === 'analyze' ? 0 : kind.orders
    expect(await desk.ledger()).toHaveLength(arrived)
    const { svc } = desk.service.databases
    const rows = (await svc.queryRaw('select source, approval_id from order_journal')).map(
      ({ source, approval_id: approvalId }) => ({ source, approvalId }),
    )
    // The history of an order of Analyzer mode is the sandbox's own row.
    expect(rows).toHaveLength(mode === 'live' ? kind.orders : 0)
    expect(rows.every(({ source, approvalId }) => source === 'approval' && approvalId === id)).toBe(true)
  })

  test('meets the gate of now: with trading stopped it stays pending', async () => {
    const desk = await TestDesk.open()
    const id = await queue(desk, kind)
    await desk.service.risk.setKillSwitch(true, 'news', USER)
    await expect(approve(desk, id)).rejects.toMatchObject({ code: 'kill_switch' })
    expect(desk.service.approvals.count(USER)).toBe(1)
    expect(await desk.ledger()).toEqual([])
    expect(await desk.service.journal.list(USER, 10)).toEqual([])
  })

  test('that was claimed and not carried out is closed as not sent at the next start', async () => {
    const first = await TestDesk.open()
    const id = await queue(first, kind)
    const row = (await first.service.approvals.list(USER, { status: 'pending' })).orders[0]
    const order = { id, userId: USER, operation: kind.operation, payload: row?.raw_order_data ?? {} }
    const database = first.service.databases.svc
    await database.write(async (tx) => {
      const ref = await first.service.executor.open(order).begin(tx)
      await tx.exec(
        `update pending_orders set status = 'approved', execution = 'executing', execution_ref = ? where id = ?`,
        [ref, id],
      )
    })
    await first.close()
    const second = await TestDesk.open({ home: first.home, clock: first.clock })
    expect(await second.service.approvals.view(USER, id)).toMatchObject({
      status: 'approved',
      execution: 'failed',
      broker_status: 'rejected',
    })
    expect(await second.ledger()).toEqual([])
  })
})

test('one approval reads the stored request once, for its checks, its claim and its execution', async () => {
  const desk = await TestDesk.open()
  let reads = 0
  const { underlying_ltp: _, ...fields } = payloadOf()
  const payload = {
    ...fields,
    get symbol() {
      reads += 1
      return 'SBIN'
    },
  }
  const request = desk.service.executor.open({ id: 1, userId: USER, operation: 'placeorder', payload })
  const once = reads
  expect(once).toBeGreaterThan(0)
  expect(await request.recheck()).toBeUndefined()
  const ref = await desk.service.databases.svc.write((tx) => request.begin(tx))
  const report = await desk.settled(request.send(ref))
  expect(await report()).toMatchObject({ outcome: 'placed' })
  expect(reads).toBe(once)
})

describe('an approved request of several orders', () => {
  const KIND = KINDS[1] as Kind
  const fault = (rest: Partial<FaultRule>): FaultRule => ({ on: ['place'], kind: 'fail', ...rest })

  test('of which one failed has the status of the others, with the ids of the others and the name of that one', async () => {
    const desk = await TestDesk.open()
    const basket = [LINE, { ...LINE, symbol: 'NOPE' }]
    const id = await queue(desk, {
      ...KIND,
      submit: ({ multi }) => multi.submit(BASKET_ORDER, { strategy: 't', orders: basket }, CONTEXT),
    })
    const executionError = expect.stringMatching(/^1 of 2 orders failed: NOPE: .+/)
    expect(await approve(desk, id)).toMatchObject({ outcome: 'executed', executionError })
    const row = await desk.service.approvals.view(USER, id)
    expect(row).toMatchObject({
      broker_status: 'complete',
      execution: 'partial',
      execution_error: executionError,
    })
    expect(row.broker_order_id?.split(',')).toHaveLength(1)
  })

  test.each([
    ['splitorder', 2, /^1 of 2 orders failed: order 1: .+/],
    ['optionsmultiorder', 4, /^1 of 3 orders failed: NIFTY24NOV26\d+CE: .+/],
  ] as const)('names the part of a %s that failed', async (operation, index, text) => {
    const desk = await TestDesk.open()
    const id = await queue(desk, KINDS[index] as Kind)
    desk.service.brokers.plugins.faults().set([fault({ times: 1, httpStatus: 400 })])
    await approve(desk, id)
    const row = await desk.service.approvals.view(USER, id)
    expect(row).toMatchObject({ api_type: operation, execution: 'partial', broker_status: 'complete' })
    expect(row.execution_error).toMatch(text)
  })

  test('of which all failed is a failure', async () => {
    const desk = await TestDesk.open()
    const id = await queue(desk, KIND)
    desk.service.brokers.plugins.faults().set([fault({ httpStatus: 400 })])
    expect(await approve(desk, id)).toMatchObject({
      outcome: 'failed',
      code: 'broker_protocol',
      error: 'No child orders were submitted successfully',
    })
    expect(await desk.service.approvals.view(USER, id)).toMatchObject({
      broker_status: 'rejected',
      execution_error: expect.stringMatching(/submitted successfully: SBIN \(2 orders\): .+/),
    })
  })

  test('stays in doubt while one of them is, and is settled with it', async () => {
    const desk = await TestDesk.open()
    const id = await queue(desk, KIND)
    desk.service.brokers.plugins.faults().set([fault({ kind: 'lose_answer', times: 1 })])
    desk.service.brokers.plugins.faults().dropConnections('orders')
    // The search for orders in doubt runs on the clock: it stands still here.
    expect(await desk.service.approvals.approve(USER, id, USER)).toMatchObject({ outcome: 'unknown' })
    expect(await desk.service.approvals.view(USER, id)).toMatchObject({ execution: 'in_doubt' })
    await desk.clock.advance(500)
    await desk.service.reconciler.searchNow()
    const row = await desk.service.approvals.view(USER, id)
    expect(row).toMatchObject({ execution: 'done' })
    expect(row.broker_order_id?.split(',')).toHaveLength(2)
    expect(await desk.ledger()).toHaveLength(2)
  })
})

describe('an approved order in doubt', () => {
  const RESTING = { ...LINE, pricetype: 'LIMIT' as const, price: 700 }
  const SINGLE: Kind = {
    operation: 'placeorder',
    orders: 1,
    status: 'open',
    submit: ({ single }) => single.place(payloadOf(RESTING), CONTEXT),
  }
  const BASKET: Kind = {
    operation: 'basketorder',
    orders: 2,
    status: 'open',
    submit: ({ multi }) => multi.submit(BASKET_ORDER, { strategy: 't', orders: [RESTING, RESTING] }, CONTEXT),
  }

  const GTT_KIND = KINDS.find(({ operation }) => operation === 'placegttorder') ?? SINGLE

  /**
   * Approves while the broker's answers are lost, and runs a step before the search finds the orders.
   */
  async function lost(kind: Kind, meanwhile: (desk: TestDesk, orderIds: string[]) => Promise<void>) {
    const desk = await TestDesk.open()
    const id = await queue(desk, kind)
    desk.service.brokers.plugins
      .faults()
      .set([{ on: ['place', 'placeGtt'], kind: 'lose_answer', times: kind.orders }])
    desk.service.brokers.plugins.faults().dropConnections('orders')
    expect(await desk.service.approvals.approve(USER, id, USER)).toMatchObject({ outcome: 'unknown' })
    const { gtts, orders } = desk.service.brokers.client()
    const [placed, triggers] = [await orders.list(), (await gtts?.list()) ?? []]
    await meanwhile(desk, [
      ...placed.map(({ orderId }) => orderId),
      ...triggers.map(({ triggerId }) => triggerId),
    ])
    await desk.service.reconciler.searchNow()
    return desk.service.approvals.view(USER, id)
  }
  const cancel = (desk: TestDesk, orderIds: string[]) =>
    Promise.all(orderIds.map((id) => desk.service.brokers.client().orders.cancel(id))).then(() => undefined)

  const cancelGtt = async ({ service }: TestDesk, [triggerId = '']: string[]) => {
    await service.brokers.client().gtts?.cancel(triggerId)
  }
  /** Stands for the year that a GTT waits. */
  const ended = (status: BrokerGtt['status']) => async (desk: TestDesk) => {
    const { gtts } = desk.service.brokers.client()
    const found = await gtts?.list()
    if (gtts) gtts.findByTag = async () => found?.map((gtt) => ({ ...gtt, status })).at(0)
  }

  test.each([
    ['that rests is open', SINGLE, async () => undefined, 'open'],
    ['that was cancelled at the broker is rejected', SINGLE, cancel, 'rejected'],
    ['all of whose orders were cancelled is rejected', BASKET, cancel, 'rejected'],
    [
      'one of whose orders was cancelled is open',
      BASKET,
      (desk: TestDesk, ids: string[]) => cancel(desk, ids.slice(0, 1)),
      'open',
    ],
    ['that is a waiting GTT is open', GTT_KIND, async () => undefined, 'open'],
    ['that is a GTT cancelled at the broker is rejected', GTT_KIND, cancelGtt, 'rejected'],
    ['that is a GTT past its time is rejected', GTT_KIND, ended('expired'), 'rejected'],
    ['that is a GTT whose order is out is open', GTT_KIND, ended('triggered'), 'open'],
  ] as const)('%s when it is found', async (_name, kind, meanwhile, status) => {
    const row = await lost(kind, meanwhile)
    expect(row).toMatchObject({ execution: 'done', broker_status: status, execution_error: null })
    expect(row.broker_order_id?.split(',')).toHaveLength(kind.orders)
  })
})

describe.each(KINDS)('an approved $operation without a broker session', (kind) => {
  test('fails with the text of the public API, and its row says what is missing', async () => {
    const desk = await TestDesk.open()
    const id = await queue(desk, kind)
    await desk.service.brokers.logout()
    expect(await approve(desk, id)).toMatchObject({
      outcome: 'failed',
      code: 'forbidden',
      error: 'Authentication failed',
    })
    expect(await desk.service.approvals.view(USER, id)).toMatchObject({
      status: 'approved',
      broker_status: 'rejected',
      execution: 'failed',
      execution_error: expect.stringMatching(/^Authentication failed: The .+ session is missing/),
    })
  })
})

describe('approving everything', () => {
  async function queueThree() {
    const desk = await TestDesk.open()
    await desk.service.identity.apiKeys.setOrderMode(USER, 'semi_auto')
    for (const quantity of [1, 2, 3]) await desk.place({ quantity })
    return desk
  }
  const approveAll = (desk: TestDesk) => desk.settled(desk.service.approvals.approveAll(USER, USER))

  test.each([
    ['is refused by the broker', /^There is no broker session: /, 401],
    ['has ended here', /^There is no broker session: The .+ session is missing/, undefined],
  ] as const)(
    'when the session %s, one fails and the others wait for the next',
    async (_name, why, status) => {
      const desk = await queueThree()
      if (status === undefined) await desk.service.brokers.logout()
      else desk.service.brokers.plugins.faults().set([{ kind: 'fail', httpStatus: status }])
      const all = await approveAll(desk)
      expect(all).toMatchObject({ approvedCount: 1, executedCount: 0, failed: [{}], inDoubt: [] })
      expect(all.refused).toEqual([2, 3].map((orderId) => ({ orderId, error: expect.stringMatching(why) })))
      expect(desk.service.approvals.count(USER)).toBe(2)

      desk.service.brokers.plugins.faults().set([])
      await desk.service.brokers.login({})
      expect(await approveAll(desk)).toMatchObject({ approvedCount: 2, executedCount: 2 })
      expect((await desk.ledger()).map(({ quantity }) => quantity)).toEqual([2, 3])
    },
  )

  test('when the broker refuses each order for itself, each is tried', async () => {
    const desk = await queueThree()
    desk.service.brokers.plugins.faults().set([{ on: ['place'], kind: 'fail', httpStatus: 403 }])
    expect(await approveAll(desk)).toMatchObject({ approvedCount: 3, failed: [{}, {}, {}], refused: [] })
  })
})

test('the price of each order of a basket is kept, and holds it when one has moved too far', async () => {
  const desk = await TestDesk.open({ env: { APPROVAL_MAX_DRIFT_PERCENT: '0.000001' } })
  const id = await queue(desk, {
    operation: 'basketorder',
    orders: 2,
    status: 'open',
    submit: ({ multi }) =>
      multi.submit(BASKET_ORDER, { strategy: 't', orders: [LINE, { ...LINE, symbol: 'RELIANCE' }] }, CONTEXT),
  })
  await desk.clock.advance(60_000)
  await expect(approve(desk, id)).rejects.toThrow(/Not approved: NSE:(SBIN|RELIANCE) moved from/)
  expect(await desk.ledger()).toEqual([])
})

test('the price when queued is never that of a feed that has long been silent', async () => {
  const desk = await TestDesk.open({ env: { APPROVAL_MAX_DRIFT_PERCENT: '50' } })
  const { approvals, hub, market } = desk.service
  hub.attach(undefined)
  hub.subscribe([SBIN], 1, () => undefined)
  const quote = await desk.settled(market.quote(SBIN))
  hub.publish({
    ...quote,
    ltp: 1,
    lastQuantity: 0,
    averagePrice: 0,
    totalBuyQuantity: 0,
    totalSellQuantity: 0,
  })
  await desk.clock.advance(60_001)
  const id = await queue(desk, KINDS[0] as Kind)
  expect((await approvals.view(USER, id))?.created_ltp).toBeGreaterThan(100)
})

test('a queued order says in which mode it was queued, whatever the mode is now', async () => {
  const desk = await TestDesk.open()
  await desk.service.settings.setAnalyzeMode(true)
  const id = await queue(desk, KINDS[0] as Kind)
  await desk.service.settings.setAnalyzeMode(false)
  expect(await desk.service.approvals.view(USER, id)).toMatchObject({ queued_mode: 'analyze' })
})

test('an approved smart order whose position is already there is done, without an order', async () => {
  const desk = await TestDesk.open()
  await desk.orders.multi.submit(SMART_ORDER, { ...LINE, strategy: 't', position_size: 20 }, CONTEXT)
  const id = await queue(desk, KINDS[0] as Kind)
  expect(await approve(desk, id)).toMatchObject({ outcome: 'executed', brokerOrderId: null })
  expect(await desk.ledger()).toHaveLength(1)
})
