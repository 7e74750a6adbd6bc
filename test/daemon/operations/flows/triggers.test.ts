import { expect, test, vi } from 'vitest'
import type { FlowGraph } from '../../../../src/core/flows/graph/graph.js'
import type { Body } from '../../../../src/core/flows/ports.js'
import type { Quote, SymbolRef } from '../../../../src/core/market/schema.js'
import { asleep } from '../../../support/asleep.js'
import { USER } from '../../../support/desk/desk.js'
import { bearer } from '../../../support/desk/http-desk.js'
import { eventually } from '../../../support/eventually.js'
import { BUY, FlowRig, graphOf, HELLO, note, SLOW, scheduled } from './flow-rig.js'

const SBIN = { symbol: 'SBIN', exchange: 'NSE' }

/** Moves the market: SBIN trades at a price, and the monitor has checked it. */
async function trades(rig: FlowRig, ltp: number): Promise<void> {
  const { hub, listed } = rig.desk.service
  // The feed of the simulated market may be running by now and has its own prices.
  hub.last = () => undefined
  listed.quotes = async (refs) => refs.map((ref) => quoteAt(ref, ltp))
  await rig.pass(5000)
}

function quoteAt(ref: SymbolRef, ltp: number): Quote {
  const prices = { ltp, bid: ltp, ask: ltp, open: ltp, high: ltp, low: ltp, prevClose: ltp }
  return { ...ref, ...prices, bidSize: 1, askSize: 1, volume: 1, oi: 0, timestamp: 0 }
}

/** A workflow that logs the price that started it. */
const alerting = (
  data: Body,
  then: FlowGraph = graphOf({ told: note('at {{webhook.trigger_price}}') }, 't -> told'),
) => ({
  ...then,
  nodes: then.nodes.map((node) =>
    node.id === 't' ? { ...node, type: 'priceAlert', data: { ...SBIN, ...data } } : node,
  ),
})
const watching = (data: Body) =>
  graphOf(
    { t: ['orderUpdateTrigger', data], told: note('{{webhook.orderid}} {{webhook.order_status}}') },
    't -> told',
  )
/** Waits a minute, then logs the order that started it. */
const slowlyWatching = (data: Body) =>
  graphOf(
    {
      t: ['orderUpdateTrigger', data],
      wait: ['delay', { delayValue: 60, delayUnit: 'seconds' }],
      told: note('saw {{webhook.orderid}}'),
    },
    't -> wait',
    'wait -> told',
  )
const isActive = async (rig: FlowRig, id: number) => (await rig.show(id)).body.is_active

test('a price that crosses starts the workflow once, which is put away, and stays so after a restart', async () => {
  const first = await FlowRig.open()
  // Before it is armed: a price of the simulated feed could be the first one that it sees, and 905 then a crossing.
  await trades(first, 905)
  const id = await first.arm(alerting({ condition: 'crossing_up', price: 900 }))
  await trades(first, 905)
  await trades(first, 890)
  expect(await first.runs(id)).toEqual([])
  await trades(first, 910)
  const [run] = await first.ran(id, 1)
  expect(run).toMatchObject({ trigger: 'price_alert', status: 'completed' })
  expect(first.lines(run ?? {})).toContain('[LOG] at 910')
  await eventually(async () => !(await isActive(first, id)))
  await trades(first, 890)
  await trades(first, 910)
  const second = await first.restart()
  await trades(second, 890)
  await trades(second, 910)
  expect(await second.runs(id)).toHaveLength(1)
  expect((await second.ask('GET', '/monitor/status')).body.alerts_count).toBe(0)
})

test('a price of another broker makes no crossing', async () => {
  const rig = await FlowRig.open()
  await trades(rig, 890)
  const id = await rig.arm(alerting({ condition: 'crossing_up', price: 900 }))
  await trades(rig, 890)
  vi.spyOn(rig.desk.service.brokers, 'brokerId', 'get').mockReturnValue('zerodha')
  await trades(rig, 910)
  expect(await rig.runs(id)).toEqual([])
  await trades(rig, 890)
  await trades(rig, 920)
  const [run] = await rig.ran(id, 1)
  expect(rig.lines(run ?? {})).toContain('[LOG] at 920')
})

test('one whose process ended between its run and its end does not fire again', async () => {
  const first = await FlowRig.open()
  const id = await first.arm(alerting({ condition: 'greater_than', price: 900 }))
  const { workflows } = first.flows
  const original = workflows.setState.bind(workflows)
  workflows.setState = (workflowId, state) =>
    state.isActive === false ? new Promise(() => undefined) : original(workflowId, state)
  await trades(first, 910)
  await first.ran(id, 1)
  const second = await first.restart()
  expect(await isActive(second, id)).toBe(false)
  await trades(second, 920)
  expect(await second.runs(id)).toHaveLength(1)
  // After reactivation it is a new alert.
  await second.ask('POST', `/workflows/${id}/activate`)
  await trades(second, 930)
  expect(await second.ran(id, 2)).toHaveLength(2)
})

test('one that fires every time does, and stays armed over a restart', async () => {
  const first = await FlowRig.open()
  const id = await first.arm(alerting({ condition: 'greater_than', price: 900, trigger: 'every_time' }))
  await trades(first, 910)
  await first.ran(id, 1)
  await trades(first, 890)
  await trades(first, 920)
  await first.ran(id, 2)
  const second = await first.restart()
  await trades(second, 930)
  await second.ran(id, 3)
  expect(await isActive(second, id)).toBe(true)
})

test('one with an unknown condition in its file is not shown as active after a restart', async () => {
  const first = await FlowRig.open()
  const id = await first.arm(alerting({ condition: 'greater_than', price: 900 }))
  const { databases } = first.http.desk.service
  await databases.svc.write((tx) =>
    tx.exec("update flow_workflows set nodes = replace(nodes, 'greater_than', 'roughly') where id = ?", [id]),
  )
  const second = await first.restart()
  expect(await isActive(second, id)).toBe(false)
  const activated = await second.ask('POST', `/workflows/${id}/activate`)
  expect([activated.status, activated.body.message]).toEqual([400, 'Unknown price alert condition: roughly'])
  expect(await isActive(second, id)).toBe(false)
})

test('one that fires while its workflow runs is not spent', async () => {
  const rig = await FlowRig.open()
  const id = await rig.arm(alerting({ condition: 'greater_than', price: 900 }, SLOW))
  const manual = rig.http.request('POST', `/flow/api/workflows/${id}/execute`, { headers: bearer(rig.token) })
  await rig.begun(id)
  await trades(rig, 910)
  expect(await isActive(rig, id)).toBe(true)
  await rig.desk.settled(manual)
  await trades(rig, 910)
  await eventually(async () => {
    await rig.pass(1000)
    return (await rig.runs(id)).some(
      ({ trigger, status }) => trigger === 'price_alert' && status !== 'running',
    )
  })
  await eventually(async () => !(await isActive(rig, id)))
})

test('an alert whose time is over is put away', async () => {
  const rig = await FlowRig.open()
  const id = await rig.arm(alerting({ condition: 'greater_than', price: 99_999, expiration: '1h' }))
  await asleep(rig.clock, 59 * 60_000)
  expect(await isActive(rig, id)).toBe(true)
  await asleep(rig.clock, 2 * 60_000)
  await eventually(async () => !(await isActive(rig, id)))
  expect(await rig.runs(id)).toEqual([])
})

test('a fill in the sandbox starts the workflow that watches for it, once', async () => {
  const rig = await FlowRig.open({ analyze: true })
  const once = await rig.arm(watching({ symbol: 'SBIN' }), 'once')
  const always = await rig.arm(watching({ symbol: 'SBIN', trigger: 'every_time' }), 'always')
  const other = await rig.arm(watching({ symbol: 'INFY' }), 'other')
  const buy = async () => {
    const { body } = await rig.desk.settled(rig.desk.place())
    await rig.pass(3000)
    return String(body.orderid)
  }
  const filled = await buy()
  const [run] = await rig.ran(once, 1)
  expect(run).toMatchObject({ trigger: 'order_update', status: 'completed' })
  expect(rig.lines(run ?? {})).toContain(`[LOG] ${filled} complete`)
  await eventually(async () => !(await isActive(rig, once)))
  await rig.ran(always, 1)
  await buy()
  await rig.ran(always, 2)
  expect(await rig.runs(once)).toHaveLength(1)
  expect(await rig.runs(other)).toEqual([])
  const { body } = await rig.ask('GET', '/monitor/status')
  expect(body.order_updates).toMatchObject({ watches_count: 2 })
})

test('a fill during a run by hand starts the workflow that watches for it when that run has ended', async () => {
  const rig = await FlowRig.open({ analyze: true })
  const id = await rig.arm(slowlyWatching({ symbol: 'SBIN' }))
  const manual = rig.http.request('POST', `/flow/api/workflows/${id}/execute`, { headers: bearer(rig.token) })
  await rig.begun(id)
  const { body } = await rig.desk.settled(rig.desk.place())
  await rig.pass(3000)
  expect(await rig.runs(id)).toHaveLength(1)
  await rig.desk.settled(manual)
  await eventually(async () => {
    await rig.pass(5000)
    return !(await isActive(rig, id))
  })
  const [run, ...others] = await rig.runs(id)
  expect(run).toMatchObject({ trigger: 'order_update' })
  expect(rig.lines(run ?? {})).toContain(`[LOG] saw ${String(body.orderid)}`)
  expect(others).toMatchObject([{ trigger: 'manual' }])
})

test('a workflow that orders in the symbol that it watches runs once for the order of somebody else', async () => {
  const rig = await FlowRig.open({ analyze: true })
  const graph = graphOf(
    {
      t: ['orderUpdateTrigger', { ...SBIN, trigger: 'every_time' }],
      buy: ['placeOrder', { ...SBIN, action: 'BUY', quantity: 1 }],
    },
    't -> buy',
  )
  const id = await rig.arm(graph)
  for (const count of [1, 2]) {
    await rig.desk.settled(rig.desk.place())
    await rig.pass(10_000)
    expect(await rig.ran(id, count)).toHaveLength(count)
  }
})

test('a workflow that closes all positions does not start again by those orders', async () => {
  const rig = await FlowRig.open({ analyze: true })
  const graph = graphOf(
    {
      t: ['orderUpdateTrigger', { ...SBIN, trigger: 'every_time' }],
      out: ['closePosition', {}],
      buy: ['placeOrder', { ...SBIN, action: 'BUY', quantity: 1 }],
    },
    't -> out',
    'out -> buy',
  )
  const id = await rig.arm(graph)
  await rig.desk.settled(rig.desk.place())
  await rig.pass(10_000)
  expect(await rig.ran(id, 1)).toHaveLength(1)
})

test('a rotated key is the one that active workflows run with from then on', async () => {
  const rig = await FlowRig.open()
  const { flows, identity } = rig.desk.service
  const once = await rig.arm(alerting({ condition: 'greater_than', price: 900, trigger: 'once' }))
  const minutely = await rig.arm(
    scheduled(HELLO, { scheduleType: 'interval', intervalValue: 1, intervalUnit: 'minutes' }),
  )
  const never = await rig.create(HELLO)
  const { updatedAt } = flows.workflows.get(once)
  await rig.desk.settled(identity.apiKeys.rotate(USER))
  expect(flows.workflows.get(never).sealedKey).toBeNull()
  expect(flows.workflows.get(once).updatedAt).toBe(updatedAt)
  await trades(rig, 950)
  expect((await rig.ran(once, 1))[0]).toMatchObject({ status: 'completed', trigger: 'price_alert' })
  await rig.pass(61_000)
  expect((await rig.ran(minutely, 1))[0]).toMatchObject({ status: 'completed', trigger: 'schedule' })
})

test('a workflow activated while the key is rotated runs with the new key', async () => {
  const rig = await FlowRig.open()
  const id = await rig.create(
    scheduled(HELLO, { scheduleType: 'interval', intervalValue: 1, intervalUnit: 'minutes' }),
  )
  await Promise.all([
    rig.desk.settled(rig.desk.service.identity.apiKeys.rotate(USER)),
    rig.ask('POST', `/workflows/${id}/activate`),
  ])
  await rig.pass(61_000)
  expect((await rig.ran(id, 1))[0]).toMatchObject({ status: 'completed' })
})

test('with a key that is not valid runs fail and say why, until the workflow is activated again', async () => {
  const rig = await FlowRig.open()
  const id = await rig.arm(
    scheduled(HELLO, { scheduleType: 'interval', intervalValue: 1, intervalUnit: 'minutes' }),
  )
  const { databases, flows } = rig.desk.service
  await flows.rekey('0'.repeat(64), (write) => databases.svc.write(write))
  await rig.pass(61_000)
  expect((await rig.ran(id, 1))[0]).toMatchObject({
    status: 'failed',
    trigger: 'schedule',
    error: 'Invalid svc apikey: activate the workflow again',
  })
  expect((await rig.list('/workflows'))[0]).toMatchObject({ last_execution_status: 'failed' })
  await rig.ask('POST', `/workflows/${id}/deactivate`)
  await rig.ask('POST', `/workflows/${id}/activate`)
  await rig.pass(61_000)
  expect((await rig.ran(id, 2))[0]).toMatchObject({ status: 'completed' })
  expect((await rig.execute(id)).status).toBe(200)
})

test('an order that waits for approval is a success, and nodes that need its id do not run', async () => {
  const rig = await FlowRig.open()
  await rig.desk.service.identity.apiKeys.setOrderMode(USER, 'semi_auto')
  const graph = graphOf(
    {
      buy: ['placeOrder', { ...SBIN, action: 'BUY', quantity: 1, outputVariable: 'x' }],
      told: note('{{x.mode}} {{x.status}}'),
      cancel: ['cancelOrder', { orderId: '{{x.orderid}}' }],
    },
    't -> buy',
    'buy -> told',
    'told -> cancel',
  )
  const { status, body } = await rig.execute(await rig.create(graph))
  expect([status, body.errors]).toEqual([
    502,
    [
      {
        node: 'cancel',
        type: 'cancelOrder',
        message:
          "cancelOrder has unresolved variable(s) in orderId='{{x.orderid}}'. Refusing to send it with substituted values.",
      },
    ],
  ])
  expect(rig.lines(body)).toContain('[LOG] semi_auto success')
  expect(await rig.desk.ledger()).toEqual([])
})

test('while the kill switch is on no order of a workflow is sent', async () => {
  const rig = await FlowRig.open()
  await rig.desk.service.risk.setKillSwitch(true, 'news', USER)
  const { status, body } = await rig.execute(await rig.create(BUY))
  expect([status, body.message]).toEqual([502, '1 node(s) failed: placeOrder: The kill switch is on: news'])
  expect(rig.lines(body)).not.toContainEqual(expect.stringMatching(/bought/))
  expect(await rig.desk.ledger()).toEqual([])
})

test('a run that the stop of the service meets ends on record, and nothing after it is sent', async () => {
  const first = await FlowRig.open()
  const id = await first.create(SLOW)
  const reply = first.http.request('POST', `/flow/api/workflows/${id}/execute`, {
    headers: bearer(first.token),
  })
  await first.begun(id)
  const second = await first.restart()
  expect((await reply).body.message).toBe('The service is stopping')
  expect(await second.runs(id)).toMatchObject([
    { status: 'failed', error: 'The service is stopping', completed_at: expect.any(String) },
  ])
})

test('a run that a crash left running is ended when the service comes back', async () => {
  const first = await FlowRig.open()
  const id = await first.create(HELLO)
  await first.execute(id)
  const { svc } = first.desk.service.databases
  await svc.write(async (tx) => {
    await tx.exec("update flow_workflow_executions set status = 'running', completed_at = null", [])
  })
  const second = await first.restart()
  expect(await second.runs(id)).toMatchObject([
    { status: 'failed', error: 'Interrupted by restart', completed_at: expect.any(String) },
  ])
  const { started_at } = (await second.runs(id))[0] ?? {}
  expect((await second.list('/workflows'))[0]).toMatchObject({
    last_execution_status: 'failed',
    last_execution_at: started_at,
  })
})

test.each<[string, Record<string, string>, number, number]>([
  [
    'the newest five of each',
    { FLOW_EXECUTION_RETENTION_COUNT: '5', FLOW_EXECUTION_RETENTION_DAYS: '0' },
    5,
    1,
  ],
  ['those of two days', { FLOW_EXECUTION_RETENTION_COUNT: '0', FLOW_EXECUTION_RETENTION_DAYS: '2' }, 4, 0],
  ['all', { FLOW_EXECUTION_RETENTION_COUNT: '0', FLOW_EXECUTION_RETENTION_DAYS: '0' }, 9, 1],
])('of old runs are kept: %s', async (_, env, kept, keptOfOther) => {
  const rig = await FlowRig.open({ env })
  const [id, other] = [await rig.create(HELLO), await rig.create(HELLO, 'Other')]
  await rig.execute(other)
  for (let count = 0; count < 5; count++) await rig.execute(id)
  await asleep(rig.clock, 3 * 86_400_000)
  for (let count = 0; count < 4; count++) await rig.execute(id)
  await rig.pass(2000)
  await eventually(async () => (await rig.runs(id)).length === kept)
  expect((await rig.runs(id))[0]?.id).toBe(10)
  expect(await rig.runs(other)).toHaveLength(keptOfOther)
})
