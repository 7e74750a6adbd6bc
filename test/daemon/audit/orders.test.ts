import { expect, test } from 'vitest'
import { USER } from '../../support/desk/desk.js'
import { HttpDesk } from '../../support/desk/http-desk.js'

const ORDER = {
  strategy: 'audit',
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'BUY',
  quantity: 1,
  product: 'CNC',
  pricetype: 'LIMIT',
  price: 700,
}

async function open(mode: 'live' | 'analyze') {
  const http = await HttpDesk.open()
  const { audit, orderAudit, settings } = http.desk.service
  await settings.setAnalyzeMode(mode === 'analyze')
  await audit.flush()
  const from = (await audit.list({ limit: 1 }))[0]?.seq ?? 0
  return {
    http,
    post: async (path: string, body: object) =>
      (await http.request('POST', `/api/v1/${path}`, { body: { apikey: http.apikey, ...body } })).body,
    acts: async () => {
      await http.desk.clock.advance(10_000)
      await orderAudit.catchUp()
      await audit.flush()
      return audit.list({ limit: 1000, after: from })
    },
  }
}

test('orders of both modes are recorded in their order, with sender, address and reference', async () => {
  for (const mode of ['live', 'analyze'] as const) {
    const { acts, post } = await open(mode)
    const ids: unknown[] = []
    for (const price of [700, 701, 702]) ids.push((await post('placeorder', { ...ORDER, price })).orderid)
    const placed = (await acts()).filter(({ act }) => act === 'order.place')
    expect(placed).toHaveLength(3)
    for (const [index, row] of placed.entries()) {
      expect(row).toMatchObject({ actor: USER, credential: 'api_key', address: '127.0.0.1', outcome: 'done' })
      expect(JSON.parse(row.after ?? '')).toMatchObject({ mode, request: { symbol: 'SBIN' } })
      if (mode === 'analyze') expect(row.target).toBe(ids[index])
    }
    expect((await acts()).filter(({ act }) => act === 'order.place')).toHaveLength(3)
  }
})

test('orders whose sender only memory had are recorded without it, and none is missing', async () => {
  const { acts, http, post } = await open('live')
  await post('placeorder', ORDER)
  await post('basketorder', {
    strategy: 'audit',
    orders: [ORDER, ORDER].map(({ strategy: _, ...order }) => order),
  })
  const { origins } = http.desk.service
  const rows = await http.desk.service.databases.svc.queryRaw('select order_ref, order_id from order_journal')
  origins.take(rows.flatMap((row) => [String(row.order_ref), String(row.order_id)]))
  const placed = (await acts()).filter(({ act }) => act === 'order.place')
  expect(placed.map(({ actor, credential, address }) => [actor, credential, address])).toEqual(
    Array(3).fill([USER, 'unknown', null]),
  )
})

test('the legs of a basket have its sender', async () => {
  for (const mode of ['live', 'analyze'] as const) {
    const { acts, post } = await open(mode)
    await post('basketorder', {
      strategy: 'audit',
      orders: [ORDER, ORDER].map(({ strategy: _, ...order }) => order),
    })
    const placed = (await acts()).filter(({ act }) => act === 'order.place')
    expect(placed.map(({ credential }) => [mode, credential])).toEqual(Array(2).fill([mode, 'api_key']))
  }
})

test('changes and cancels are recorded with what was answered; refusals are not', async () => {
  const { acts, post } = await open('analyze')
  const { orderid } = await post('placeorder', ORDER)
  await post('modifyorder', { ...ORDER, orderid, price: 705, trigger_price: 0, disclosed_quantity: 0 })
  await post('cancelorder', { strategy: 'audit', orderid })
  await post('cancelorder', { strategy: 'audit', orderid: '26112000000000' })
  const changes = (await acts()).filter(({ act }) => act !== 'order.place')
  expect(changes.map(({ act, target }) => [act, target])).toEqual([
    ['order.modify', orderid],
    ['order.cancel', orderid],
  ])
})

test('a reset of the simulated account does not lose the orders before it', async () => {
  const { acts, http, post } = await open('analyze')
  await post('placeorder', ORDER)
  const headers = { authorization: `Bearer ${await http.signIn()}` }
  await http.request('POST', '/sandbox/reset', { headers })
  const rows = (await acts()).map(({ act }) => act)
  expect(rows).toContain('order.place')
  expect(rows.indexOf('order.place')).toBeLessThan(rows.indexOf('sandbox.reset'))
})

test('a close that leaves a position open is recorded, with the orders that it placed', async () => {
  const { acts, http, post } = await open('live')
  for (const symbol of ['SBIN', 'INFY'])
    await post('placeorder', { ...ORDER, symbol, product: 'MIS', pricetype: 'MARKET', price: 0 })
  http.desk.service.brokers.plugins.faults().set([{ on: ['place'], kind: 'fail', httpStatus: 400, times: 1 }])
  await post('closeposition', { strategy: 'audit' })
  const rows = (await acts()).filter(({ act }) => act === 'position.close')
  expect(rows).toMatchObject([{ outcome: 'failed', code: 'broker_rejected' }])
  expect(JSON.parse(rows[0]?.after ?? '')).toMatchObject({ closed_positions: 1, failed_closures: 1 })
})
