import { expect, test } from 'vitest'
import type { StrategyOrder, StrategyOrderState } from '../../../../src/core/orders/index.js'
import { ApiRig, type Mode } from '../../../daemon/routes/api-rig.js'
import { USER } from '../../../support/desk/desk.js'
import { eventually } from '../../../support/eventually.js'

/* The orders of strategies: modes and switches that hold entries never hold exits, and no change is missed. */

async function open(mode: Mode) {
  const rig = await ApiRig.open(mode)
  const { strategyOrders } = rig.desk.service.orders
  const seen: StrategyOrderState[] = []
  strategyOrders.changes.listen((states) => seen.push(...states))
  const orderOf = (over: Partial<StrategyOrder> = {}): StrategyOrder => {
    const wanted = over.mode ?? 'live'
    return {
      ...{ orderRef: strategyOrders.newReference(wanted), userId: USER, mode: wanted, role: 'entry' },
      broker: wanted === 'live' ? 'simulated' : 'sandbox',
      ...{ strategy: 'ema', symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 10, product: 'MIS' },
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
  await eventually(() => seen.some(({ status }) => status === 'complete'), 5000, 'the fill is reported')
  const last = seen.at(-1)
  expect(last).toMatchObject({ orderRef: order.orderRef, status: 'complete', filledQuantity: 10 })
  expect(last?.averagePrice).toBeGreaterThan(0)
})

test('the listener gets the fill of a simulated order', async () => {
  const { orderOf, place, seen } = await open('analyze')
  const order = orderOf({ mode: 'analyze' })
  expect(await place(order)).toMatchObject({ outcome: 'placed', orderId: order.orderRef })
  await eventually(() => seen.length > 0, 5000, 'the fill is reported')
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
      outcome: 'refused',
      message: 'The run belongs to the broker zerodha, and simulated is active.',
    })
    expect(await stateOf(order.orderRef)).toMatchObject({ status: 'unsent' })
  }
  expect(await rig.ledger()).toEqual([])
})

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
  await eventually(() => seen.some(({ status }) => status === 'complete'), 5000, 'the fill is reported')
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
  await eventually(() => seen.length > 0, 5000, 'the rejection is reported')
  expect(seen).toMatchObject([{ orderRef: entry.orderRef, status: 'rejected', reason: 'too late' }])
})

test('a cancel takes an entry out of the approval queue', async () => {
  const { orderOf, place, seen, strategyOrders } = await open('semi_auto')
  const entry = orderOf()
  await place(entry)
  expect(await strategyOrders.cancel(entry.orderRef, USER)).toEqual({ ok: true })
  await eventually(() => seen.length > 0, 5000, 'the cancel is reported')
  expect(seen).toMatchObject([{ orderRef: entry.orderRef, status: 'rejected' }])
})

test('an order whose answer is lost is in doubt, until the broker shows it', async () => {
  const { orderOf, place, rig, seen, stateOf } = await open('live')
  rig.desk.service.simulated.setFaults([{ on: ['place'], kind: 'lose_answer' }])
  rig.desk.service.simulated.dropConnections('orders')
  const order = orderOf()
  expect(await place(order)).toMatchObject({ outcome: 'in_doubt' })
  expect(await stateOf(order.orderRef)).toMatchObject({ status: 'in_doubt' })
  await eventually(
    async () => {
      await rig.desk.clock.advance(1000)
      return seen.some(({ status }) => status === 'complete')
    },
    5000,
    'the doubt is settled',
  )
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
