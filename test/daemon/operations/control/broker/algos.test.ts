import { expect, test, vi } from 'vitest'
import { StrategyAlgos } from '../../../../../src/core/brokers/algos/algos.js'
import { journalView } from '../../../../../src/core/orders/index.js'
import type { OrderRequest } from '../../../../../src/core/orders/schema.js'
import { USER } from '../../../../support/desk/desk.js'
import { ApiRig, ORDER } from '../../api-rig.js'

/** A live rig whose strategy `t` has an algorithm, and the orders that reach its broker. */
async function mapped() {
  const rig = await ApiRig.open('live')
  const { brokers } = rig.desk.service
  await brokers.algos.set(brokers.brokerId, 't', 'ALGO1')
  const { orders } = brokers.client()
  const sent: OrderRequest[] = []
  const place = orders.place.bind(orders)
  vi.spyOn(orders, 'place').mockImplementation((order, tag) => {
    sent.push(order)
    return place(order, tag)
  })
  return { rig, brokers, sent }
}

test('a live order is sent under the algorithm of its strategy, unless it names its own', async () => {
  const { rig, sent } = await mapped()
  await rig.post('placeorder', ORDER)
  await rig.post('placeorder', { ...ORDER, algo_id: 'OWN1' })
  await rig.post('placeorder', { ...ORDER, strategy: 'other' })
  expect(sent.map(({ instructions }) => instructions)).toEqual([
    { algoId: 'ALGO1' },
    { algoId: 'OWN1' },
    undefined,
  ])
})

test('a broker that takes no algorithm gets the order without the one of its strategy', async () => {
  const { rig, brokers, sent } = await mapped()
  vi.spyOn(brokers, 'manifest').mockReturnValue({ ...brokers.manifest(), instructions: [] })
  expect((await rig.post('placeorder', ORDER)).status).toBe(200)
  expect(sent.map(({ instructions }) => instructions)).toEqual([undefined])
})

test('an order shows the algorithm that it left with, also when its strategy has another one since', async () => {
  const { rig, brokers } = await mapped()
  const { body } = await rig.post('placeorder', ORDER)
  const orderid = String(body.orderid)
  await brokers.algos.set(brokers.brokerId, 't', 'ALGO2')
  const shown = await rig.post('orderstatus', { orderid, strategy: 't' })
  expect(shown.body.data).toMatchObject({ instructions: { algo_id: 'ALGO1' } })
  // Rows of one millisecond have no order.
  await rig.desk.clock.advance(1)
  await rig.post('placeorder', { ...ORDER, algo_id: 'OWN1', validity: 'IOC' })
  const rows = await rig.desk.service.journal.list(USER, 2)
  expect(rows.map(({ algoId }) => algoId)).toEqual([null, 'ALGO1'])
  expect(rows.map((row) => journalView(row).instructions)).toEqual([
    { algo_id: 'OWN1', validity: 'IOC' },
    { algo_id: 'ALGO1' },
  ])
})

test('algorithms are stored for each broker, and survive a restart', async () => {
  const { rig, brokers } = await mapped()
  const { clock, databases } = rig.desk.service
  await brokers.algos.set('zerodha', 't', 'KITE1')
  await brokers.algos.set('zerodha', 'a', 'KITE2')
  expect(await brokers.algos.remove('simulated', 't')).toBe(true)
  expect(await brokers.algos.remove('simulated', 't')).toBe(false)
  const again = await StrategyAlgos.open(databases.svc, clock)
  expect(again.at('simulated')).toEqual([])
  expect(again.at('zerodha')).toEqual([
    { strategy: 'a', algoId: 'KITE2' },
    { strategy: 't', algoId: 'KITE1' },
  ])
})
