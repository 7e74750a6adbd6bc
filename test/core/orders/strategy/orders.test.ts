import { expect, onTestFinished, test, vi } from 'vitest'
import type { StrategyOrder, StrategyOrderState } from '../../../../src/core/orders/index.js'
import { ApiRig, type Mode } from '../../../daemon/operations/api-rig.js'
import { USER } from '../../../support/desk/desk.js'
import { eventually } from '../../../support/eventually.js'

/* The orders of strategies: modes and switches that hold entries never hold exits, and no change is missed. */

async function open(mode: Mode) {
  const rig = await ApiRig.open(mode)
  const { strategyOrders } = rig.desk.service.orders
  // These orders have no run; every one of them is wanted.
  strategyOrders.guardEntries({ ready: async () => undefined, refusalOf: () => undefined })
  const seen: StrategyOrderState[] = []
  strategyOrders.changes.listen((states) => seen.push(...states))
  const orderOf = (over: Partial<StrategyOrder> = {}): StrategyOrder => {
    const wanted = over.mode ?? 'live'
    return {
      orderRef: strategyOrders.newReference(wanted),
      userId: USER,
      mode: wanted,
      role: 'entry',
      broker: wanted === 'live' ? 'simulated' : 'sandbox',
      strategy: 'ema',
      symbol: 'SBIN',
      exchange: 'NSE',
      action: 'BUY',
      quantity: 10,
      product: 'MIS',
      ...over,
    }
  }
  const place = (order: StrategyOrder) => rig.settled(strategyOrders.place(order))
  const stateOf = async (ref: string) => (await strategyOrders.statesOf([ref]))[0]
  return { rig, strategyOrders, seen, orderOf, place, stateOf }
}

test('the listener gets the fill of a live order with its quantity and its price', async () => {
  const { orderOf, place, seen } = await open('live')
  const order = orderOf()
  expect(await place(order)).toMatchObject({ outcome: 'placed', orderRef: order.orderRef })
  await eventually(() => seen.some(({ status }) => status === 'complete'), 'the fill is reported')
  const last = seen.at(-1)
  expect(last).toMatchObject({ orderRef: order.orderRef, status: 'complete', filledQuantity: 10 })
  expect(last?.averagePrice).toBeGreaterThan(0)
})

test('the listener gets the fill of a simulated order', async () => {
  const { orderOf, place, seen } = await open('analyze')
  const order = orderOf({ mode: 'analyze' })
  expect(await place(order)).toMatchObject({ outcome: 'placed', orderId: order.orderRef })
  await eventually(() => seen.length > 0, 'the fill is reported')
  expect(seen.at(-1)).toMatchObject({ orderRef: order.orderRef, status: 'complete', filledQuantity: 10 })
})

test('a simulated order goes to the sandbox while the service is in Live mode', async () => {
  const { orderOf, place, rig, stateOf } = await open('live')
  const order = orderOf({ mode: 'analyze' })
  expect(await place(order)).toMatchObject({ outcome: 'placed' })
  expect(await stateOf(order.orderRef)).toMatchObject({ status: 'complete', filledQuantity: 10 })
  expect(await rig.ledger()).toEqual([])
})

test('a live entry is refused in Analyzer mode; a live exit reaches the broker', async () => {
  const { orderOf, place, rig, stateOf } = await open('analyze')
  const entry = orderOf()
  expect(await place(entry)).toMatchObject({ outcome: 'refused', code: 'conflict' })
  expect(await stateOf(entry.orderRef)).toMatchObject({ status: 'unsent' })
  expect(await place(orderOf({ role: 'exit', action: 'SELL' }))).toMatchObject({ outcome: 'placed' })
  expect(await rig.ledger()).toHaveLength(1)
})

test('while another broker is active, a run sends it no order, not even an exit', async () => {
  const { orderOf, place, rig, stateOf } = await open('live')
  for (const role of ['entry', 'exit'] as const) {
    const order = orderOf({ role, broker: 'zerodha' })
    expect(await place(order)).toMatchObject({
      outcome: 'not_sent',
      message: 'The run belongs to the broker zerodha, and simulated is active.',
    })
    expect(await stateOf(order.orderRef)).toMatchObject({ status: 'unsent' })
  }
  expect(await rig.ledger()).toEqual([])
})

test.each(['the gate decides', 'its row is stored', 'it waits for its slot'])(
  'an entry does not leave for a broker that becomes active while %s',
  async (moment) => {
    const { orderOf, place, rig, stateOf } = await open('live')
    const { brokers, journal, risk } = rig.desk.service
    const becomeAnother = () => {
      vi.spyOn(brokers, 'brokerId', 'get').mockReturnValue('zerodha')
    }
    onTestFinished(() => {
      vi.restoreAllMocks()
    })
    const { admit } = risk
    const { move, open: store } = journal
    if (moment === 'the gate decides') {
      vi.spyOn(risk, 'admit').mockImplementation(async (...asked) => {
        const refused = await admit.apply(risk, asked)
        becomeAnother()
        return refused
      })
    } else if (moment === 'its row is stored') {
      vi.spyOn(journal, 'open').mockImplementation(async (...row) => {
        await store.apply(journal, row)
        becomeAnother()
      })
    } else {
      vi.spyOn(journal, 'move').mockImplementation(async (...change) => {
        if (change[1] === 'sending') becomeAnother()
        return move.apply(journal, change)
      })
    }
    const release = vi.spyOn(risk, 'release')
    const entry = orderOf()
    expect(await place(entry)).toMatchObject({ outcome: 'not_sent', code: 'conflict' })
    expect(await stateOf(entry.orderRef)).toMatchObject({ status: 'unsent' })
    expect(release).toHaveBeenCalledTimes(1)
    expect(await rig.ledger()).toEqual([])
  },
)

test('the kill switch refuses entries of both modes and no exit', async () => {
  const { orderOf, place, rig } = await open('live')
  await rig.desk.service.risk.setKillSwitch(true, 'test', USER)
  for (const mode of ['live', 'analyze'] as const) {
    expect(await place(orderOf({ mode }))).toMatchObject({ outcome: 'refused' })
    expect(await place(orderOf({ mode, role: 'exit', action: 'SELL' }))).toMatchObject({ outcome: 'placed' })
  }
})

test('in semi-auto mode a live entry waits, and approval executes it under its reference', async () => {
  const { orderOf, place, rig, seen, stateOf } = await open('semi_auto')
  const entry = orderOf()
  const end = await place(entry)
  expect(end).toMatchObject({ outcome: 'queued' })
  expect(await stateOf(entry.orderRef)).toMatchObject({ status: 'queued' })
  expect(await rig.ledger()).toEqual([])
  const id = end.outcome === 'queued' ? end.pendingOrderId : 0
  await rig.settled(rig.desk.service.approvals.approve(USER, id, USER))
  await eventually(() => seen.some(({ status }) => status === 'complete'), 'the fill is reported')
  expect(seen.at(-1)).toMatchObject({ orderRef: entry.orderRef, filledQuantity: 10 })
  expect(await rig.ledger()).toHaveLength(1)
})

test('a live exit and a simulated entry never wait for approval', async () => {
  const { orderOf, place } = await open('semi_auto')
  expect(await place(orderOf({ role: 'exit', action: 'SELL' }))).toMatchObject({ outcome: 'placed' })
  expect(await place(orderOf({ mode: 'analyze' }))).toMatchObject({ outcome: 'placed' })
})

test('the queued entry of a live run is not approved in Analyzer mode', async () => {
  const { orderOf, place, rig, stateOf } = await open('semi_auto')
  const entry = orderOf()
  const end = await place(entry)
  await rig.switchTo('semi_auto_analyze')
  const id = end.outcome === 'queued' ? end.pendingOrderId : 0
  await expect(rig.desk.service.approvals.approve(USER, id, USER)).rejects.toThrow(/Analyzer mode/)
  expect(await stateOf(entry.orderRef)).toMatchObject({ status: 'queued' })
})

test('the listener gets the rejection of a queued entry, and its expiry', async () => {
  const { orderOf, place, rig, seen } = await open('semi_auto')
  const entry = orderOf()
  const end = await place(entry)
  const id = end.outcome === 'queued' ? end.pendingOrderId : 0
  await rig.desk.service.approvals.reject(USER, id, USER, 'too late')
  await eventually(() => seen.length > 0, 'the rejection is reported')
  expect(seen).toMatchObject([{ orderRef: entry.orderRef, status: 'rejected', reason: 'too late' }])
})

test('the rejection of a queued entry is reported although its first readings fail', async () => {
  const { orderOf, place, rig, seen } = await open('semi_auto')
  const { approvals, databases } = rig.desk.service
  const entry = orderOf()
  const end = await place(entry)
  const id = end.outcome === 'queued' ? end.pendingOrderId : 0
  const { queryRaw } = databases.svc
  let failures = 0
  vi.spyOn(databases.svc, 'queryRaw').mockImplementation((sql, parameters) => {
    if (failures >= 2 || !sql.startsWith('select execution_ref')) {
      return queryRaw.call(databases.svc, sql, parameters)
    }
    failures += 1
    return Promise.reject(new Error('busy'))
  })
  onTestFinished(() => {
    vi.restoreAllMocks()
  })
  await approvals.reject(USER, id, USER, 'too late')
  const isReported = async () => {
    await rig.desk.clock.advance(1_000)
    return seen.length > 0
  }
  await eventually(isReported, 'the rejection is reported')
  expect(failures).toBe(2)
  expect(seen).toMatchObject([{ orderRef: entry.orderRef, status: 'rejected', reason: 'too late' }])
})

test('a cancel takes an entry out of the approval queue', async () => {
  const { orderOf, place, seen, strategyOrders } = await open('semi_auto')
  const entry = orderOf()
  await place(entry)
  expect(await strategyOrders.cancel(entry.orderRef, USER)).toEqual({ ok: true })
  await eventually(() => seen.length > 0, 'the cancel is reported')
  expect(seen).toMatchObject([{ orderRef: entry.orderRef, status: 'rejected' }])
})

test('an order whose answer is lost is in doubt, until the broker shows it', async () => {
  const { orderOf, place, rig, seen, stateOf } = await open('live')
  rig.desk.service.brokers.plugins.faults().set([{ on: ['place'], kind: 'lose_answer' }])
  rig.desk.service.brokers.plugins.faults().dropConnections('orders')
  const order = orderOf()
  expect(await place(order)).toMatchObject({ outcome: 'in_doubt' })
  expect(await stateOf(order.orderRef)).toMatchObject({ status: 'in_doubt' })
  await eventually(async () => {
    await rig.desk.clock.advance(1000)
    return seen.some(({ status }) => status === 'complete')
  }, 'the doubt is settled')
})

test('an order whose journal row the disk refuses was certainly not sent', async () => {
  const { orderOf, place, rig, stateOf } = await open('live')
  await rig.desk.service.databases.svc.write((tx) =>
    tx.exec(`create trigger full before insert on order_journal begin select raise(abort, 'full'); end`),
  )
  const order = orderOf({ role: 'exit', action: 'SELL' })
  expect(await place(order)).toMatchObject({ outcome: 'not_sent' })
  expect(await stateOf(order.orderRef)).toMatchObject({ status: 'unsent' })
  expect(await rig.ledger()).toEqual([])
})

test('an order that was changed at the broker counts what it filled, not what it was placed with', async () => {
  const { orderOf, place, rig, stateOf } = await open('live')
  const order = orderOf()
  await place(order)
  await eventually(async () => (await stateOf(order.orderRef))?.status === 'complete', 'it is filled')
  // The journal keeps the quantity of the placement: this one was placed with 20 and reduced to 10.
  await rig.desk.service.databases.svc.write((tx) => tx.exec('update order_journal set quantity = 20'))
  expect(await stateOf(order.orderRef)).toMatchObject({ status: 'complete', filledQuantity: 10 })
})

test('an exit goes before the orders that wait for their turn at the broker, and waits longer', async () => {
  const { orderOf, place, rig } = await open('live')
  const { brokers } = rig.desk.service
  const asked: unknown[] = []
  brokers.orderSlot = async (rank) => void asked.push(rank)
  await place(orderOf())
  await place(orderOf({ role: 'exit', action: 'SELL' }))
  expect(asked).toEqual(['order', 'exit'])
})

test('a cancel that comes while the order leaves does not make a sent order an unsent one', async () => {
  const { orderOf, place, rig, stateOf } = await open('live')
  const { brokers, journal, orders } = rig.desk.service
  let leave: () => void = () => undefined
  const turn = new Promise<void>((resolve) => {
    leave = resolve
  })
  brokers.orderSlot = () => turn
  brokers.plugins.faults().set([{ on: ['place'], times: 1, kind: 'delay', latencyMs: 700 }])
  const order = orderOf()
  const placed = place(order)
  await eventually(async () => (await journal.find(order.orderRef))?.state === 'claimed')
  // The cancel reads the row just before the sender changes it.
  const find = journal.find.bind(journal)
  journal.find = async (orderRef) => {
    const row = await find(orderRef)
    leave()
    await eventually(async () => (await find(orderRef))?.state === 'sending')
    return row
  }
  const cancelled = await orders.strategyOrders.cancel(order.orderRef, USER)
  journal.find = find
  expect(cancelled).toEqual({ ok: false, message: 'Broker order id is unavailable' })
  expect(await rig.settled(placed)).toMatchObject({ outcome: 'placed' })
  expect(await rig.ledger()).toHaveLength(1)
  expect(['open', 'complete']).toContain((await stateOf(order.orderRef))?.status)
})

test('a fault of the event or of the measurement does not make a placed order an unsent one', async () => {
  const { orderOf, place, rig } = await open('live')
  const { bus, latency } = rig.desk.service
  const fail = () => {
    throw new Error('a listener failed')
  }
  bus.publishPaced = fail
  latency.record = fail
  const exit = orderOf({ role: 'exit', action: 'SELL' })
  expect(await place(exit)).toMatchObject({ outcome: 'placed', orderRef: exit.orderRef })
  expect(await rig.ledger()).toHaveLength(1)
})

test('the queued entry of a run is approved only while the broker of the run is active', async () => {
  const { orderOf, place, rig, stateOf } = await open('semi_auto')
  const { approvals, brokers } = rig.desk.service
  const entry = orderOf()
  const end = await place(entry)
  const id = end.outcome === 'queued' ? end.pendingOrderId : 0
  await brokers.use('zerodha')
  await expect(approvals.approve(USER, id, USER)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('a run at the broker simulated, and zerodha is active'),
  })
  expect(await stateOf(entry.orderRef)).toMatchObject({ status: 'queued' })
  await brokers.use('simulated')
  await rig.settled(approvals.approve(USER, id, USER))
  expect(await rig.ledger()).toHaveLength(1)
})

test('a broker that changes between the check of an approval and its claim gets no entry of a run', async () => {
  const { orderOf, place, rig, stateOf } = await open('semi_auto')
  const { approvals, brokers, risk } = rig.desk.service
  const entry = orderOf()
  const end = await place(entry)
  const id = end.outcome === 'queued' ? end.pendingOrderId : 0
  const examine = risk.examine.bind(risk)
  risk.examine = async (...given) => {
    const refusal = await examine(...given)
    await brokers.use('zerodha')
    return refusal
  }
  await expect(approvals.approve(USER, id, USER)).rejects.toMatchObject({ code: 'conflict' })
  expect(await stateOf(entry.orderRef)).toMatchObject({ status: 'queued' })
})

test.each([
  ['live', 'live'],
  ['semi_auto', 'live'],
  ['live', 'analyze'],
] as const)(
  'in %s mode a %s entry that is cancelled before it is sent or queued is not sent',
  async (mode, of) => {
    const { orderOf, place, rig, stateOf, strategyOrders } = await open(mode)
    const { brokers, risk } = rig.desk.service
    await risk.change({ price_band_percent: 50 }, USER)
    brokers.plugins.faults().set([{ on: ['quotes'], kind: 'delay', latencyMs: 3_000 }])
    const { market } = brokers.client()
    const quotes = vi.spyOn(market, 'quotes')
    onTestFinished(() => quotes.mockRestore())
    const entry = orderOf({ mode: of })
    const placed = place(entry)
    // The queue waits for no price.
    if (mode !== 'semi_auto') await eventually(() => quotes.mock.calls.length > 0)
    expect(await strategyOrders.cancel(entry.orderRef, USER)).toEqual({ ok: true })
    expect(await placed).toMatchObject({ outcome: 'refused', message: 'Cancelled before it was sent' })
    expect(await stateOf(entry.orderRef)).toMatchObject({ filledQuantity: 0 })
    expect(await rig.ledger()).toEqual([])
  },
)
