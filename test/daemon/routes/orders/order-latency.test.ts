import { expect, test } from 'vitest'
import { API_ROUTES } from '../../../support/desk/api-routes.js'
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
  rig.desk.service.simulated.setFaults([
    {
      on: ['place', 'modify', 'cancel', 'placeGtt', 'modifyGtt', 'cancelGtt'],
      kind: 'delay',
      latencyMs: LATENCY_MS,
    },
  ])
  return rig
}

async function newest({ desk }: ApiRig) {
  const [row] = await desk.service.latency.list(1)
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
  // Two calls at once: the shared waiting time counts once.
  ['basketorder', { strategy: 't', orders: [LEG, LEG] }, nothing, LATENCY_MS],
  // Three calls one after another.
  ['splitorder', { ...ORDER, quantity: 15, splitsize: 5 }, nothing, 3 * LATENCY_MS],
  ['modifyorder', { ...bodyOf('modifyorder'), quantity: 12, price: 701 }, resting, LATENCY_MS],
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
})

test('an order that the broker refused has its latency too', async () => {
  const rig = await ApiRig.open('live')
  rig.desk.service.simulated.setFaults([
    { on: ['place'], kind: 'fail', httpStatus: 400, latencyMs: LATENCY_MS },
  ])
  expect((await rig.post('placeorder', ORDER)).status).toBe(400)
  const { rttMs, status } = await newest(rig)
  expect(status).toBe('FAILED')
  expectAbout(rttMs, LATENCY_MS)
})

test('without a broker call, the execution stage is the round trip', async () => {
  const rig = await ApiRig.open('analyze')
  await rig.post('placeorder', ORDER)
  const { rttMs, validationLatencyMs, totalLatencyMs, broker } = await newest(rig)
  expect(broker).toBe('sandbox')
  expect(rttMs + (validationLatencyMs ?? 0)).toBe(totalLatencyMs)
})

test('an answer given again from its key is not timed as one of the broker', async () => {
  const rig = await slow()
  const send = () => rig.post('placeorder', ORDER, { 'idempotency-key': 'k' })
  const first = await send()
  expect(await send()).toEqual(first)
  expect((await newest(rig)).rttMs).toBeLessThan(LATENCY_MS)
})
