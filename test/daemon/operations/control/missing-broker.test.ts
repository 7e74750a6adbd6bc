import { expect, test } from 'vitest'
import { bearer, HttpDesk } from '../../../support/desk/http-desk.js'
import { ApiRig, ORDER, RESTING } from '../api-rig.js'

const TEXT = 'Broker-specific module not found'
const { strategy: _, ...LEG } = ORDER
const ORDERS = [
  ['placeorder', ORDER, 'order.failed'],
  ['placesmartorder', { ...ORDER, position_size: 5 }, 'order.failed'],
  ['basketorder', { strategy: 't', orders: [LEG] }, 'order.failed'],
  ['splitorder', { ...ORDER, splitsize: 5 }, 'order.failed'],
  ['cancelallorder', { strategy: 't' }, 'order.failed'],
  ['closeposition', { strategy: 't' }, 'order.failed'],
  ['cancelorder', { strategy: 't', orderid: '1' }, 'order.cancel_failed'],
  [
    'modifyorder',
    { ...RESTING, orderid: '1', product: 'MIS', trigger_price: 0, disclosed_quantity: 0 },
    'order.modify_failed',
  ],
  ['cancelgttorder', { strategy: 't', trigger_id: '1' }, 'gtt.cancel_failed'],
] as const

/** A home whose active broker has no plugin in this installation. */
async function homeOfAnother(): Promise<{ home: string; clock: HttpDesk['desk']['clock'] }> {
  const { desk } = await HttpDesk.open()
  const { brokers, databases } = desk.service
  await brokers.logout()
  await databases.svc.write((tx) => tx.exec('update broker_accounts set active = 0'))
  await databases.svc.write((tx) =>
    tx.exec("insert into broker_accounts (broker, active, updated_at) values ('elsewhere', 1, 0)"),
  )
  await desk.close()
  return { home: desk.home, clock: desk.clock }
}

test('the service starts without the plugin of its broker, says so, and another one can be chosen', async () => {
  const http = await HttpDesk.open(await homeOfAnother())
  const headers = bearer(await http.signIn())
  const get = async (path: string) => (await http.request('GET', path, { headers })).body.data
  expect(await get('/status')).toMatchObject({
    broker: 'elsewhere',
    broker_available: false,
    broker_connected: false,
  })
  expect(await get('/broker/status')).toMatchObject({
    broker: 'elsewhere',
    available: false,
    connected: false,
  })
  expect(await get('/broker/list')).toContainEqual(
    expect.objectContaining({ id: 'elsewhere', active: true, available: false, capabilities: null }),
  )
  const again = await http.request('POST', '/broker/use', { headers, body: { broker: 'elsewhere' } })
  expect(again).toMatchObject({ status: 404, code: 'not_found' })
  expect(again.body.message).toMatch(/^Broker elsewhere not found\. Brokers: .*simulated/)

  const used = await http.request('POST', '/broker/use', { headers, body: { broker: 'simulated' } })
  expect(used).toMatchObject({ status: 200, body: { data: { broker: 'simulated', connected: true } } })
  expect(await get('/broker/list')).not.toContainEqual(expect.objectContaining({ id: 'elsewhere' }))
  const order = http.request('POST', '/api/v1/placeorder', { body: { apikey: http.apikey, ...ORDER } })
  expect(await http.desk.settled(order)).toMatchObject({ status: 200, body: { status: 'success' } })
})

test.each(ORDERS)('live, %s is answered 404 and published as failed', async (path, body, topic) => {
  const rig = await ApiRig.open('live', await homeOfAnother())
  expect(await rig.post(path, body)).toMatchObject({
    status: 404,
    code: 'broker_missing',
    body: { status: 'error', message: TEXT },
  })
  expect(await rig.topics()).toEqual([topic])
  expect((await rig.logs()).orders).toHaveLength(1)
  expect(await rig.journal()).toEqual([])
})

test('Analyzer mode works without the plugin', async () => {
  const rig = await ApiRig.open('analyze', await homeOfAnother())
  expect(await rig.post('placeorder', RESTING)).toMatchObject({
    status: 200,
    body: { status: 'success', mode: 'analyze' },
  })
  expect(await rig.post('cancelallorder', { strategy: 't' })).toMatchObject({ status: 200 })
})
