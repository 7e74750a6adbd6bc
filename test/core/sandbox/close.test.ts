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

it('sends nothing more where waiting orders close the whole position, and says that it is still open', async () => {
  rig.price(250, undefined, UNSOUND)
  await sellWaiting(30)
  await sellWaiting(70)
  const stillOpen = {
    closed: 0,
    failures: [
      {
        symbol: 'SBIN',
        message:
          'MARKET orders that close it wait already (100 pending). If they stay open, cancel them first',
      },
    ],
  }
  expect(await rig.closeAll()).toMatchObject(stillOpen)
  expect(await rig.closeAll()).toMatchObject(stillOpen)
  expect(await book()).toHaveLength(2)
  await rig.tick(251)
  expect(await quantity()).toBe(0)
})

it.each([
  ['at the edge of its protection', { marketProtection: 1 }],
  ['for the next opening', { amo: true }],
] as const)('calls no position closed whose MARKET order rests %s', async (_, instructions) => {
  rig.price('250/242/250')
  const resting = await rig.accepted({ action: 'SELL', quantity: 100, instructions })
  expect(await rig.status(resting)).toBe('open')
  expect(await rig.closeAll()).toMatchObject({ closed: 0, failures: [{ symbol: 'SBIN' }] })
  await rig.sandbox.cancel(USER, resting)
  expect(await rig.closeAll()).toMatchObject({ closed: 1, failures: [] })
  expect(await quantity()).toBe(0)
})

it.each([
  ['buys', 'BUY', 40],
  ['turns it round', 'SELL', 250],
] as const)('plans what it sends beside a MARKET order that %s', async (_, action, size) => {
  rig.price(250, undefined, UNSOUND)
  await rig.accepted({ action, quantity: size })
  const ref = { symbol: 'SBIN', exchange: 'NSE', product: 'MIS' } as const
  const planned = await rig.sandbox.openPart(USER, ref)
  const { pieces } = await rig.sandbox.closePosition(USER, ref)
  const sent = pieces.reduce((sum, { quantity }) => sum + quantity, 0)
  expect(planned.quantity).toBe(sent)
  expect(sent).toBe(action === 'BUY' ? 100 : 0)
})

it('buys no delivery shares back that were sold after it had found them', async () => {
  await rig.hold('SBIN', 10, 240)
  await rig.trade('SELL', 10, 250, { product: 'CNC' })
  const sold = { symbol: 'SBIN', exchange: 'NSE', product: 'CNC' } as const
  expect(await rig.sandbox.openPosition(USER, sold)).toBe(-10)
  expect(await rig.sandbox.closeEach(USER, [sold])).toEqual([])
  expect(await rig.sandbox.openPosition(USER, sold)).toBe(-10)
})
