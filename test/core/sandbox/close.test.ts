import { afterEach, beforeEach, expect, it } from 'vitest'
import { Rig, USER } from './harness.js'

/** A last price outside its own range: MARKET orders wait for a sound one. */
const UNSOUND = { low: 300, high: 310 }

let rig: Rig
beforeEach(async () => {
  rig = await Rig.open()
  await rig.trade('BUY', 100, 250)
})
afterEach(() => rig.close())

const sellWaiting = (quantity: number) => rig.accepted({ action: 'SELL', quantity })
const book = async () =>
  (await rig.sandbox.books.orderbook(USER)).orders.filter(({ action }) => action === 'SELL')
const quantity = async () => (await rig.position()).quantity

it('closes what a smaller order that waits leaves open', async () => {
  rig.price(250, undefined, UNSOUND)
  const waiting = await sellWaiting(30)
  expect(await rig.closeAll()).toMatchObject({ closed: 1, failures: [] })
  expect(await book()).toMatchObject([
    { quantity: 70, order_status: 'open' },
    { orderid: waiting, quantity: 30, order_status: 'open' },
  ])
  await rig.tick(251)
  expect(await quantity()).toBe(0)
})

it('sends nothing more where waiting orders close the whole position', async () => {
  rig.price(250, undefined, UNSOUND)
  await sellWaiting(30)
  await sellWaiting(70)
  expect(await rig.closeAll()).toMatchObject({ closed: 1, failures: [] })
  await rig.closeAll()
  expect(await book()).toHaveLength(2)
  await rig.tick(251)
  expect(await quantity()).toBe(0)
})

it('buys no delivery shares back that were sold after it had found them', async () => {
  await rig.hold('SBIN', 10, 240)
  await rig.trade('SELL', 10, 250, { product: 'CNC' })
  const sold = { symbol: 'SBIN', exchange: 'NSE', product: 'CNC' } as const
  expect(await rig.sandbox.openPosition(USER, sold)).toBe(-10)
  expect(await rig.sandbox.closeEach(USER, [sold])).toEqual([])
  expect(await rig.sandbox.openPosition(USER, sold)).toBe(-10)
})
