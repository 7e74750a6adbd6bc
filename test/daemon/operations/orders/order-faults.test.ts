import { expect, test } from 'vitest'
import { API_ROUTES } from '../../../support/desk/api-routes.js'
import { ApiRig, type Mode, ORDER } from '../api-rig.js'

const FAULT = 'An unexpected error occurred'
const IN_ENDPOINT = `${FAULT} in the API endpoint`
/**
 * Every endpoint that changes something, with the message of its fault and the topic that reports it in live
 * mode.
 */
const ENDPOINTS = [
  ['placeorder', IN_ENDPOINT, 'order.failed'],
  ['placesmartorder', FAULT, 'order.failed'],
  ['basketorder', FAULT, 'order.failed'],
  ['splitorder', FAULT, 'order.failed'],
  ['optionsorder', IN_ENDPOINT, 'order.failed'],
  ['optionsmultiorder', IN_ENDPOINT, 'order.failed'],
  ['modifyorder', FAULT, 'order.modify_failed'],
  ['cancelorder', FAULT, 'order.cancel_failed'],
  ['cancelallorder', FAULT, 'order.failed'],
  ['closeposition', FAULT, 'order.failed'],
  ['placegttorder', FAULT, 'gtt.failed'],
  ['modifygttorder', FAULT, 'gtt.modify_failed'],
  ['cancelgttorder', FAULT, 'gtt.cancel_failed'],
] as const

/** A rig with one table dropped. */
async function without(table: string, mode: Mode): Promise<ApiRig> {
  const rig = await ApiRig.open(mode)
  await rig.topics()
  await rig.desk.service.databases.svc.write((tx) => tx.exec(`alter table ${table} rename to hidden`))
  return rig
}

function bodyOf(path: string): Record<string, unknown> {
  const route = API_ROUTES.find((one) => one.path === path)
  if (!route) throw new Error(`${path} is not in the table`)
  return { ...route.body }
}

test.each(ENDPOINTS)(
  'an exception in %s is answered in brief, told and logged',
  async (path, message, topic) => {
    for (const [mode, expected] of [
      ['live', topic],
      ['analyze', topic === 'order.failed' ? 'analyzer.error' : topic],
    ] as const) {
      const rig = await without('idempotency_keys', mode)
      const reply = await rig.post(path, bodyOf(path), { 'idempotency-key': 'k' })
      expect(reply).toMatchObject({ status: 500, code: 'internal' })
      expect(reply.body).toEqual({ status: 'error', message })
      expect(await rig.topics()).toEqual([expected])
      expect(await rig.ledger()).toEqual([])

      const { latency, orderLogs } = rig.desk.service
      expect(await orderLogs.list(mode === 'live' ? 'live' : 'analyze', { limit: 10 })).toMatchObject([
        { apiType: path, responseData: JSON.stringify({ status: 'error', message }) },
      ])
      // It reached no broker.
      expect(await latency.list({ limit: 10 })).toEqual([])
    }
  },
)

test.each(['placeorder', 'basketorder', 'placegttorder'])(
  'without a journal nothing is sent, and %s says that it failed',
  async (path) => {
    const rig = await without('order_journal', 'live')
    const reply = await rig.post(path, bodyOf(path))
    expect(reply).toMatchObject({ status: 500, code: 'internal' })
    expect(JSON.stringify(reply.body)).not.toMatch(/order_journal|SQLITE|no such/i)
    expect(await rig.topics()).toEqual([path.includes('gtt') ? 'gtt.failed' : 'order.failed'])
    expect((await rig.logs()).orders).toEqual([path])
    expect(await rig.ledger()).toEqual([])
  },
)

test('an order of several that fails by a fault of ours says no word of it', async () => {
  const rig = await ApiRig.open('analyze')
  await rig.desk.service.databases.sandbox.write((tx) =>
    tx.exec('alter table sandbox_orders rename to hidden'),
  )
  const { strategy: _, ...leg } = ORDER
  const { status, body } = await rig.post('basketorder', { strategy: 't', orders: [leg] })
  expect(status).toBe(200)
  expect(body.results).toMatchObject([{ status: 'error', message: FAULT }])
})

test('an invalid request is not published as a failed order', async () => {
  const rig = await ApiRig.open()
  await rig.post('placeorder', ORDER, { 'idempotency-key': 'k' })
  await rig.topics()
  const other = await rig.post('placeorder', { ...ORDER, quantity: 11 }, { 'idempotency-key': 'k' })
  expect(other).toMatchObject({ status: 409, code: 'conflict' })
  expect(await rig.topics()).toEqual([])
})
