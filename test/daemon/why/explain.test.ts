import { expect, test } from 'vitest'
import { USER } from '../../support/desk/desk.js'
import { ORDER } from '../operations/api-rig.js'
import { WhyRig } from './why-rig.js'

/* What became of anything that has an id, also of what was refused and never stored. */

test('every id of a live order leads to the same timeline, from the request to the fill', async () => {
  const why = await WhyRig.open()
  const request = await why.asked('placeorder', { ...ORDER, client_order_id: 'morning-7' })
  const [row] = await why.rig.journal()
  const states = ['done', 'claimed', 'sending', 'filled']
  for (const id of [row?.orderRef, row?.orderId, request, 'morning-7', `order:${row?.orderId}`]) {
    expect([id, (await why.states(String(id))).toSorted()]).toEqual([id, states.toSorted()])
  }
  const { entries, kind } = await why.why(String(row?.orderRef))
  expect(kind).toBe('order')
  expect(entries.find(({ state }) => state === 'filled')).toMatchObject({ mode: 'live', kind: 'order' })
})

test('the states of an order have the numbers of their rows in the audit trail', async () => {
  const why = await WhyRig.open()
  await why.asked('placeorder', ORDER)
  await why.rig.desk.service.orderAudit.catchUp()
  const { entries } = await why.why(String((await why.rig.journal())[0]?.orderRef))
  const told = entries.filter(({ kind }) => kind === 'order').map(({ audit }) => audit)
  expect(told.every((row) => typeof row === 'number')).toBe(true)
})

test('a refusal of the risk gate, which stores nothing, is found by its request and its key', async () => {
  const why = await WhyRig.open()
  await why.rig.desk.service.risk.change({ max_order_quantity: 5 }, USER)
  const id = await why.asked('placeorder', ORDER, { 'idempotency-key': 'k1' })
  expect(await why.rig.journal()).toEqual([])
  for (const [name, kind] of [
    [id, 'request'],
    ['k1', 'key'],
  ] as const) {
    const told = await why.why(name)
    expect(told).toMatchObject({ kind, state: 'refused', also: [] })
    expect(told.entries).toEqual([
      expect.objectContaining({
        kind: 'request',
        id,
        by: USER,
        rule: 'max_order_quantity',
        words: expect.stringContaining('5'),
      }),
    ])
  }
})

test('a request that could not be read is found, too, and its credential is not kept', async () => {
  const why = await WhyRig.open()
  const id = await why.asked('placeorder', { ...ORDER, quantity: 'x' })
  expect(await why.why(id)).toMatchObject({ state: 'refused', entries: [{ rule: 'validation' }] })
  const { databases, requests } = why.rig.desk.service
  await requests.flush()
  const rows = await databases.logs.queryRaw('select * from request_trail')
  expect(JSON.stringify(rows)).toContain('SBIN')
  expect(JSON.stringify(rows)).not.toContain(why.rig.apikey)
})

test('an approval tells who queued it, who decided, and what became of its order', async () => {
  const why = await WhyRig.open('semi_auto')
  const request = await why.asked('placeorder', ORDER)
  const { approvals } = why.rig.desk.service
  await why.rig.settled(approvals.approve(USER, 1, 'ravi'))
  await why.asked('placeorder', ORDER)
  await approvals.reject(USER, 2, 'ravi', 'too late')
  const all = ['queued', 'pending', 'approved', 'claimed', 'sending', 'filled']
  for (const id of ['approval:1', '#1', request]) {
    expect((await why.states(id)).toSorted()).toEqual(all.toSorted())
  }
  const rejected = await why.why('2')
  expect(rejected).toMatchObject({ kind: 'approval', state: 'rejected' })
  expect(rejected.entries.at(-1)).toMatchObject({ by: 'ravi', words: 'too late' })
})

test('a refused approval has the words of the refusal, and a refused order says what was asked', async () => {
  const why = await WhyRig.open('semi_auto')
  await why.asked('placeorder', ORDER)
  const { identity, risk } = why.rig.desk.service
  await risk.change({ max_order_quantity: 5 }, USER)
  const { token } = await identity.tokens.create(USER, { name: 'approver', scopes: ['approvals'] })
  const init = { method: 'POST', headers: { authorization: `Bearer ${token}` } }
  const answer = why.rig.app.request('/action-center/approve/1', init, {})
  const refused = await why.rig.settled(Promise.resolve(answer))
  const { message } = Object(await refused.json())
  expect([refused.status, message]).toEqual([403, expect.stringContaining('5')])
  const { entries } = await why.why('approval:1')
  expect(entries).toContainEqual(
    expect.objectContaining({
      what: expect.stringMatching(/^approval\.approve refused/),
      rule: 'risk_refused',
      words: message,
    }),
  )

  await identity.apiKeys.setOrderMode(USER, 'auto')
  const asked = await why.asked('placeorder', ORDER)
  expect((await why.why(asked)).entries).toMatchObject([
    { what: expect.stringMatching(/^POST \/api\/v1\/placeorder from .*: 403, BUY 10 SBIN NSE$/) },
  ])
})

test('an order of the simulated account has its acceptance and its fill', async () => {
  const why = await WhyRig.open('analyze')
  const { body } = await why.rig.post('placeorder', ORDER)
  const { entries, state } = await why.why(String(body.orderid))
  expect(state).toBe('complete')
  expect(entries.map(({ kind }) => kind).toSorted()).toEqual(['fill', 'order', 'request'])
})

test('an unknown id says what was looked for; the things of others are unknown', async () => {
  const why = await WhyRig.open('semi_auto')
  await why.asked('placeorder', ORDER)
  await why.rig.desk.service.databases.svc.write((tx) =>
    tx.exec("update pending_orders set user_id = 'ravi'"),
  )
  const { body, status } = await why.rig.post('why', { id: 'approval:1' })
  expect([status, body.message]).toEqual([404, expect.stringContaining('It was looked for as an approval.')])
  expect((await why.rig.post('why', { id: 'nothing' })).body.message).toContain('a client_order_id')
})

test('what the risk gate refused is listed as asked for, and never twice with an order of a book', async () => {
  const why = await WhyRig.open()
  const { risk } = why.rig.desk.service
  await why.asked('placeorder', { ...ORDER, quantity: 7 })
  await risk.change({ max_order_quantity: 5 }, USER)
  const id = await why.asked('placeorder', { ...ORDER, pricetype: 'LIMIT', price: 800.5 })
  await why.asked('placeorder', { ...ORDER, quantity: 'x' })
  const { body } = await why.rig.post('refusedorders')
  expect(body).toMatchObject({
    mode: 'live',
    data: [
      {
        request_id: id,
        symbol: 'SBIN',
        quantity: 10,
        price: 800.5,
        rule: 'max_order_quantity',
        code: 'risk_refused',
      },
    ],
  })
  const book = await why.rig.post('orderbook')
  expect(Object(book.body.data).orders).toHaveLength(1)
  await why.rig.switchTo('analyze')
  expect((await why.rig.post('refusedorders')).body).toMatchObject({ mode: 'analyze', data: [] })
})
