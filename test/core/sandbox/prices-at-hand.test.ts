import { afterEach, beforeEach, expect, it } from 'vitest'
import { orderOf, quoteOf, Rig, USER } from './harness.js'

const SBIN = { symbol: 'SBIN', exchange: 'NSE' } as const
const INFY = { symbol: 'INFY', exchange: 'NSE' } as const

let rig: Rig
beforeEach(async () => {
  rig = await Rig.open()
})
afterEach(() => rig.close())

it('an order fills at the price in memory, and the market is not asked', async () => {
  rig.price(260)
  rig.market.keep(quoteOf(SBIN, 250))

  expect(await rig.status(await rig.accepted({}))).toBe('complete 250.00')
  expect(rig.market.quotesAsked).toBe(0)
})

it('a newer tick wins over the price in memory', async () => {
  await rig.trade('BUY', 10, 240)
  rig.market.keep(quoteOf(SBIN, 250))
  rig.market.tick({ ...quoteOf(SBIN, 255), timestamp: 1 })

  expect(await rig.status(await rig.accepted({}))).toBe('complete 255.00')
})

it('the market is asked when the price in memory is no price', async () => {
  rig.price(260)
  rig.market.keep(quoteOf(SBIN, 0))

  expect(await rig.status(await rig.accepted({}))).toBe('complete 260.00')
})

it('the orders of one request fill in their order, with and without a price in memory', async () => {
  rig.market.keep(quoteOf(SBIN, 250))
  rig.price(1500, INFY)
  const wanted = [INFY, SBIN, INFY].map(({ exchange, symbol }) => ({
    orderId: rig.sandbox.newOrderId(),
    order: orderOf({ exchange, symbol }),
  }))

  const placed = await rig.sandbox.placeAll(USER, wanted)

  expect(placed).toEqual(wanted.map(({ orderId }) => ({ ok: true, orderId })))
  expect(await Promise.all(wanted.map(({ orderId }) => rig.status(orderId)))).toEqual([
    'complete 1500.00',
    'complete 250.00',
    'complete 1500.00',
  ])
})

it('an order id that is placed twice at the same moment is one order', async () => {
  rig.market.keep(quoteOf(SBIN, 250))
  const orderId = rig.sandbox.newOrderId()
  const order = orderOf({ quantity: 10 })

  const both = await Promise.all([1, 2].map(() => rig.sandbox.place(USER, order, { orderId })))

  expect(both).toEqual([
    { ok: true, orderId },
    { ok: true, orderId },
  ])
  expect((await rig.position()).quantity).toBe(10)
})
