import { expect, test } from 'vitest'
import { API_ROUTES } from '../../../support/desk/api-routes.js'
import { USER } from '../../../support/desk/desk.js'
import { ApiRig, ORDER, RESTING } from '../api-rig.js'

const LATENCY_MS = 3000
/** The clock is virtual, but files are real: while a file is written the clock advances a few steps. */
function expectAbout(measured: number, expected: number): void {
  expect(measured).toBeGreaterThanOrEqual(expected)
  expect(measured).toBeLessThan(expected + LATENCY_MS / 2)
}
const { strategy: _, ...LEG } = ORDER

/** A live rig whose broker delays every call that changes something. */
async function slow(): Promise<ApiRig> {
  const rig = await ApiRig.open('live')
  // The first use of a key hashes it, which takes real time.
  await rig.desk.service.identity.apiKeys.verify(rig.apikey)
  rig.desk.service.brokers.plugins.faults().set([
    {
      on: ['place', 'modify', 'cancel', 'placeGtt', 'modifyGtt', 'cancelGtt'],
      kind: 'delay',
      latencyMs: LATENCY_MS,
    },
  ])
  return rig
}

async function newest({ desk }: ApiRig) {
  const [row] = await desk.service.latency.list({ limit: 1 })
  if (!row) throw new Error('nothing was timed')
  return row
}

async function resting(rig: ApiRig): Promise<Record<string, unknown>> {
  const { body } = await rig.post('placeorder', RESTING)
  return { orderid: String(body.orderid) }
}

async function trigger(rig: ApiRig): Promise<Record<string, unknown>> {
  const { body } = await rig.post('placegttorder', bodyOf('placegttorder'))
  return { trigger_id: String(body.trigger_id) }
}

function bodyOf(path: string): Record<string, unknown> {
  return { ...API_ROUTES.find((one) => one.path === path)?.body }
}

const nothing = async () => ({})
const CALLS = [
  ['placeorder', ORDER, nothing, LATENCY_MS],
  ['placesmartorder', { ...ORDER, position_size: 5 }, nothing, LATENCY_MS],
  // Two calls at once.
  ['basketorder', { strategy: 't', orders: [LEG, LEG] }, nothing, LATENCY_MS],
  // Three calls one after another: each order has the time of its own.
  ['splitorder', { ...ORDER, quantity: 15, splitsize: 5 }, nothing, LATENCY_MS],
  [
    'modifyorder',
    { ...bodyOf('modifyorder'), product: 'MIS', quantity: 12, price: 701 },
    resting,
    LATENCY_MS,
  ],
  ['cancelorder', { strategy: 't' }, resting, LATENCY_MS],
  ['cancelallorder', { strategy: 't' }, (rig: ApiRig) => resting(rig).then(nothing), LATENCY_MS],
  ['placegttorder', bodyOf('placegttorder'), nothing, LATENCY_MS],
  ['cancelgttorder', { strategy: 't' }, trigger, LATENCY_MS],
] as const

test.each(CALLS)('%s: the time at the broker is apart from our own', async (path, body, before, expected) => {
  const rig = await slow()
  const made = await before(rig)
  const reply = await rig.post(path, { ...body, ...made })
  expect(reply).toMatchObject({ status: 200, body: { status: 'success' } })
  const { rttMs, overheadMs, totalLatencyMs } = await newest(rig)
  expectAbout(rttMs, expected)
  expect(totalLatencyMs).toBeGreaterThanOrEqual(rttMs)
  expect(overheadMs).toBe(totalLatencyMs - rttMs)
  expect(overheadMs).toBeLessThan(LATENCY_MS / 2)
})

test('each order of a request has its row', async () => {
  const rig = await slow()
  await rig.post('basketorder', { strategy: 't', orders: [LEG, { ...LEG, symbol: 'INFY' }] })
  const rows = await rig.desk.service.latency.list({ limit: 10 })
  expect(rows.map(({ orderType, symbol, status }) => [orderType, symbol, status]).sort()).toEqual([
    ['BASKET', 'INFY', 'SUCCESS'],
    ['BASKET', 'SBIN', 'SUCCESS'],
  ])
  const ids = (await rig.journal()).map(({ orderId }) => orderId)
  expect(rows.map(({ orderId }) => orderId).sort()).toEqual(ids.sort())
})

test.each(['live', 'analyze'] as const)('%s: nothing that stayed here is timed', async (mode) => {
  const rig = await ApiRig.open(mode)
  const { latency, risk } = rig.desk.service
  const refused = [
    await rig.post('placeorder', { ...ORDER, quantity: 0 }),
    await rig.post('cancelorder', { strategy: 't', orderid: '' }),
  ]
  await rig.post('cancelallorder', { strategy: 't' })
  await rig.post('closeposition', { strategy: 't' })
  await risk.setKillSwitch(true, 'test', 'test')
  refused.push(await rig.post('placeorder', ORDER))
  expect(refused.filter(({ status }) => status === 200)).toEqual([])
  expect(await latency.list({ limit: 10 })).toEqual([])
})

test('a queued order is timed when it is executed, without the wait for its approval', async () => {
  const rig = await ApiRig.open('semi_auto')
  const { approvals, clock, latency } = rig.desk.service
  expect((await rig.post('placeorder', ORDER)).body).toMatchObject({ mode: 'semi_auto' })
  expect(await latency.list({ limit: 10 })).toEqual([])
  const waited = 60_000
  await rig.desk.clock.advance(waited)
  const {
    orders: [queued],
  } = await approvals.list(USER, { status: 'pending' })
  await rig.settled(approvals.approve(USER, queued?.id ?? 0, USER))
  const [row, ...others] = await latency.list({ limit: 10 })
  expect(row).toMatchObject({ orderType: 'PLACE', status: 'SUCCESS', source: 'approval', userId: USER })
  expect(row?.totalLatencyMs).toBeLessThan(waited)
  expect(others).toEqual([])
  expect(clock.now()).toBeGreaterThan(waited)
})

test('an order that the broker refused has its latency too', async () => {
  const rig = await ApiRig.open('live')
  rig.desk.service.brokers.plugins
    .faults()
    .set([{ on: ['place'], kind: 'fail', httpStatus: 400, latencyMs: LATENCY_MS }])
  expect((await rig.post('placeorder', ORDER)).status).toBe(400)
  const { rttMs, status } = await newest(rig)
  expect(status).toBe('FAILED')
  expectAbout(rttMs, LATENCY_MS)
})

test("the round trip of a simulated order is the sandbox's decision", async () => {
  const rig = await ApiRig.open('analyze')
  await rig.post('placeorder', ORDER)
  const { rttMs, validationLatencyMs, responseLatencyMs, totalLatencyMs, broker } = await newest(rig)
  expect(broker).toBe('sandbox')
  expect(validationLatencyMs + rttMs + responseLatencyMs).toBe(totalLatencyMs)
})

test('an answer given again from its key is not timed again', async () => {
  const rig = await slow()
  const send = () => rig.post('placeorder', ORDER, { 'idempotency-key': 'k' })
  const first = await send()
  expect(await send()).toEqual(first)
  expect(await rig.desk.service.latency.list({ limit: 10 })).toHaveLength(1)
})
