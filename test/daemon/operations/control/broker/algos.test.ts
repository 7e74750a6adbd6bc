import { expect, test, vi } from 'vitest'
import { StrategyAlgos } from '../../../../../src/core/brokers/algos/algos.js'
import type { OrderRequest } from '../../../../../src/core/orders/schema.js'
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
