import { expect, test } from 'vitest'
import { addEvent } from '../../../src/daemon/why/automatic.js'
import { Timeline } from '../../../src/daemon/why/timeline.js'
import { USER } from '../../support/desk/desk.js'
import { ORDER, RESTING } from '../operations/api-rig.js'
import { WhyRig } from './why-rig.js'

/* The state that an explanation states: that of the order or of the thing itself, whatever was recorded last. */

const CHANGE = { product: 'MIS', trigger_price: 0, disclosed_quantity: 0 }

async function restingOrder(mode: 'live' | 'analyze' = 'live') {
  const why = await WhyRig.open(mode)
  const { body } = await why.rig.post('placeorder', RESTING)
  const orderid = String(body.orderid)
  const modify = (fields: object) => why.asked('modifyorder', { ...RESTING, ...CHANGE, orderid, ...fields })
  return { why, orderid, modify }
}

test('a changed order is as open as before, and the change itself is done', async () => {
  const { why, orderid, modify } = await restingOrder()
  const change = await modify({ price: 705 })
  expect((await why.why(orderid)).state).toBe('accepted')
  expect(await why.why(change)).toMatchObject({ kind: 'request', state: 'done' })
})

test('a refused repeat under the key of an order does not change what became of the order', async () => {
  const why = await WhyRig.open()
  const key = { 'idempotency-key': 'morning-1' }
  await why.asked('placeorder', ORDER, key)
  await why.asked('placeorder', ORDER, key)
  await why.asked('placeorder', { ...ORDER, quantity: 11 }, key)
  const { entries, state } = await why.why('morning-1')
  expect(entries.map((entry) => entry.state)).toContain('refused')
  expect(state).toBe('filled')
})

test('of several orders it counts each state, tells the first and says how many are left', async () => {
  const why = await WhyRig.open()
  why.rig.desk.service.brokers.plugins
    .faults()
    .set([{ on: ['place'], kind: 'fail', httpStatus: 400, message: 'no margin', times: 1 }])
  const { strategy, ...line } = ORDER
  const orders = Array.from({ length: 25 }, (_, at) => ({ ...line, quantity: at + 1 }))
  const request = await why.asked('basketorder', { strategy, orders }, { 'idempotency-key': 'basket-1' })
  for (const id of [request, 'basket-1']) {
    const { entries, more, state } = await why.why(id)
    expect(state?.split(', ').toSorted()).toEqual(['1 rejected', '24 filled'])
    const told = new Set(entries.filter(({ kind }) => kind === 'order').map((entry) => entry.id))
    expect([told.size, more]).toEqual([20, 5])
  }
})

test('an approval has the state of its orders, and a failed one that of its execution', async () => {
  const why = await WhyRig.open('semi_auto')
  const { approvals } = why.rig.desk.service
  const request = await why.asked('placeorder', ORDER)
  expect((await why.why(request)).state).toBe('pending')
  await why.rig.settled(approvals.approve(USER, 1, 'ravi'))
  expect([(await why.why('approval:1')).state, (await why.why(request)).state]).toEqual(['filled', 'filled'])
})

test('the severity of an event is no state', () => {
  const timeline = new Timeline()
  addEvent(timeline, {
    id: 1,
    strategyId: 1,
    runId: null,
    userId: USER,
    ts: 0,
    kind: 'leg_entry_rejected',
    severity: 'warn',
    legId: null,
    message: 'no margin',
    payload: null,
  })
  expect(timeline.entries()).toMatchObject([{ state: null, rule: 'warn', words: 'no margin' }])
})

test('the fill of a changed order is told of the quantity that the broker had', async () => {
  const { why, orderid, modify } = await restingOrder()
  await modify({ quantity: 20 })
  const [row] = await why.rig.journal()
  const detail = { filled: { quantity: 20, price: 700 }, detail: 'filled 20 of 20 at 700' }
  await why.rig.desk.service.journal.move(String(row?.orderRef), 'filled', detail)
  const { entries } = await why.why(orderid)
  const told = entries.map(({ what }) => String(what)).filter((what) => what.startsWith('Filled'))
  expect(told).toEqual(['Filled: 20 of 20 at 700'])
})

test.each(['live', 'analyze'] as const)(
  'a refused cancel is in the timeline of its order, without changing its state (%s)',
  async (mode) => {
    const why = await WhyRig.open(mode)
    const { body } = await why.rig.post('placeorder', ORDER)
    const refused = await why.asked('cancelorder', { strategy: 't', orderid: body.orderid })
    expect(await why.why(refused)).toMatchObject({ kind: 'request', state: 'refused' })
    const { entries, state } = await why.why(String(body.orderid))
    expect(entries.filter(({ id }) => id === refused)).toMatchObject([{ state: 'refused' }])
    expect(state).toBe(mode === 'live' ? 'filled' : 'complete')
    expect((await why.rig.post('refusedorders')).body.data).toEqual([])
  },
)

test('the refused cancel of another user is not told', async () => {
  const why = await WhyRig.open()
  const { body } = await why.rig.post('placeorder', ORDER)
  const { requests } = why.rig.desk.service
  requests.record({
    requestId: 'of-ravi',
    method: 'POST',
    path: '/api/v1/cancelorder',
    statusCode: 404,
    code: 'not_found',
    clientIp: '10.0.0.9',
    userId: 'ravi',
    subjects: [String(body.orderid)],
  })
  const { entries } = await why.why(String(body.orderid))
  expect(entries.map(({ id }) => id)).not.toContain('of-ravi')
})
