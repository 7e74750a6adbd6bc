import { describe, expect, test } from 'vitest'
import { type OrderOperationName, openRequest } from '../../../../src/core/orders/index.js'
import { parseWith } from '../../../../src/core/validation/index.js'
import { USER } from '../../../support/desk/desk.js'
import { ApiRig, type Mode, ORDER } from '../api-rig.js'

/* Every order that was refused before it was sent is listed once, whoever asked for it. */

const RULE = 'max_order_quantity'
const TOO_LARGE = { ...ORDER, quantity: 7 }
const SMALL = { ...ORDER, quantity: 1 }
const { strategy, ...LINE } = ORDER

/** A service that takes at most five shares an order. */
async function opened(mode: Mode) {
  const rig = await ApiRig.open(mode)
  const { service } = rig.desk
  await service.risk.change({ [RULE]: 5 }, USER)
  // Otherwise the live orders of assistants wait for approval.
  await service.mcp.changeSettings({ queueWrites: false })
  const refused = async () => {
    const rows: Record<string, unknown>[] = Object((await rig.post('refusedorders')).body).data
    return rows
  }
  return { rig, service, refused }
}

describe.each(['live', 'analyze'] as const)('in %s', (mode) => {
  test('a leg of a basket that was placed in part', async () => {
    const { rig, refused } = await opened(mode)
    const orders = [3, 7, 4].map((quantity) => ({ ...LINE, quantity }))
    const { body } = await rig.post('basketorder', { strategy, orders }, { 'idempotency-key': 'basket-1' })
    expect(JSON.stringify(body.results)).toContain(RULE)
    const rows = await refused()
    expect(rows).toMatchObject([{ symbol: 'SBIN', quantity: 7, rule: RULE, code: 'risk_refused' }])
    const told = await rig.post('why', { id: rows[0]?.request_id })
    expect(JSON.stringify(told.body)).toContain('7 SBIN NSE')
    const ofBasket = await rig.post('why', { id: 'basket-1' })
    const states = String(Object(ofBasket.body.data).state).split(', ').toSorted()
    expect(states).toEqual(mode === 'live' ? ['1 rejected', '2 filled'] : ['1 refused', '2 complete'])
  })

  test('a basket that was refused as a whole, and a single order over HTTP', async () => {
    const { rig, refused } = await opened(mode)
    await rig.post('basketorder', { strategy, orders: [LINE, LINE] })
    await rig.post('placeorder', TOO_LARGE)
    expect((await refused()).map(({ operation, quantity }) => `${operation} ${quantity}`)).toEqual([
      'placeorder 7',
      'basketorder 10',
      'basketorder 10',
    ])
  })

  test('a key that was used for another order says nothing about the order, and is not listed', async () => {
    const { rig, refused } = await opened(mode)
    const key = { 'idempotency-key': 'morning-1' }
    expect((await rig.post('placeorder', SMALL, key)).status).toBe(200)
    const reused = await rig.post('placeorder', { ...SMALL, symbol: 'INFY' }, key)
    expect(reused).toMatchObject({ status: 409, code: 'conflict' })
    expect(await refused()).toEqual([])
    const otherMode = await rig.post('placeorder', SMALL, {
      'x-only-mode': mode === 'live' ? 'analyze' : 'live',
    })
    expect(otherMode).toMatchObject({ status: 409, code: 'conflict' })
    expect(await refused()).toMatchObject([{ symbol: 'SBIN', code: 'conflict' }])
  })

  test.each(['flow', 'mcp', 'api'] as const)('a request without HTTP, from %s', async (source) => {
    const { rig, service, refused } = await opened(mode)
    const run = (name: OrderOperationName, body: object) =>
      rig.settled(
        openRequest(name, (schema) => parseWith(schema, body)).run(service.orders, { userId: USER, source }),
      )
    await run('placeorder', TOO_LARGE)
    await run('placeorder', { ...ORDER, symbol: 'NOPE', quantity: 1 })
    await run('basketorder', { strategy, orders: [LINE] })
    const rows = await refused()
    expect(rows.map(({ code, operation }) => `${operation} ${code}`).toSorted()).toEqual([
      'basketorder risk_refused',
      'placeorder not_found',
      'placeorder risk_refused',
    ])
    const told = await rig.post('why', { id: rows.find(({ quantity }) => quantity === 7)?.request_id })
    expect(told.body).toMatchObject({ data: { kind: 'request', state: 'refused' } })
    expect(JSON.stringify(told.body)).toContain('BUY 7 SBIN NSE')
  })

  test('the entry of a strategy', async () => {
    const { rig, service, refused } = await opened(mode)
    const { strategyOrders } = service.orders
    const orderRef = strategyOrders.newReference(mode)
    const end = strategyOrders.place({
      orderRef,
      userId: USER,
      strategy: 'straddle',
      mode,
      broker: service.brokers.brokerId,
      role: 'entry',
      symbol: 'SBIN',
      exchange: 'NSE',
      action: 'BUY',
      quantity: 7,
      product: 'MIS',
    })
    expect(await rig.settled(end)).toMatchObject({ outcome: 'refused', rule: RULE })
    expect(await refused()).toMatchObject([{ strategy: 'straddle', quantity: 7, rule: RULE }])
    const told = await rig.post('why', { id: orderRef })
    expect(told.body).toMatchObject({ data: { state: 'refused' } })
  })
})

test('an approved order that the gate refuses at its execution is listed once', async () => {
  const { rig, service, refused } = await opened('semi_auto')
  const orders = [3, 4].map((quantity) => ({ ...LINE, quantity }))
  await rig.post('basketorder', { strategy, orders })
  await service.risk.change({ [RULE]: 3 }, USER)
  await rig.settled(service.approvals.approve(USER, 1, USER))
  expect(await refused()).toMatchObject([{ quantity: 4, rule: RULE }])
})

test('a refusal waits for nothing and is kept within bounds', async () => {
  const { rig, service } = await opened('analyze')
  const { run } = openRequest('placeorder', (schema) => parseWith(schema, TOO_LARGE))
  await rig.settled(run(service.orders, { userId: USER, source: 'flow' }))
  expect(service.requests.waiting).toBe(1)
})
