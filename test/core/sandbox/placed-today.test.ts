import { afterEach, beforeEach, expect, it } from 'vitest'
import { Rig, USER } from './harness.js'

let rig: Rig
beforeEach(async () => {
  rig = await Rig.open()
  rig.price(250)
})
afterEach(() => rig.close())

const placedToday = () => rig.sandbox.books.placedToday(USER)

it('counts the placed orders in the book, rejected and cancelled ones included', async () => {
  expect(await placedToday()).toBe(0)
  await rig.trade('BUY', 10, 250)
  await rig.sandbox.cancel(USER, await rig.accepted({ priceType: 'LIMIT', price: 200 }))
  expect(await rig.place({ action: 'SELL', product: 'CNC' })).toMatchObject({
    ok: false,
    orderId: expect.any(String),
  })
  expect(await rig.place({ symbol: 'NOSUCH' })).toMatchObject({ ok: false })
  expect(await placedToday()).toBe(3)
  expect(await rig.sandbox.books.placedToday('ravi')).toBe(0)
})

it('counts no order that closes a position', async () => {
  await rig.trade('BUY', 10, 250)
  await rig.closeAll()
  expect((await rig.sandbox.books.orderbook(USER)).orders).toHaveLength(2)
  expect(await placedToday()).toBe(1)
})

it('counts no settlement of a contract that expires', async () => {
  await rig.clock.advanceTo('2026-03-30T10:00:00+05:30')
  const option = { symbol: 'NIFTY30MAR2624500CE', exchange: 'NFO' } as const
  await rig.trade('BUY', 75, 40, { ...option, product: 'NRML' })
  await rig.pass('2026-03-30T15:45:00+05:30')
  expect((await rig.sandbox.books.orderbook(USER)).orders).toHaveLength(2)
  expect(await placedToday()).toBe(1)
})

it('counts a GTT when it is placed, and not the order it sends', async () => {
  const outcome = await rig.sandbox.gtt.place(USER, {
    strategy: 'dip',
    type: 'SINGLE',
    symbol: 'SBIN',
    exchange: 'NSE',
    action: 'BUY',
    quantity: 10,
    product: 'CNC',
    priceType: 'LIMIT',
    expiresAt: undefined,
    legs: [{ kind: 'stop', triggerPrice: 240, price: 239 }],
  })
  expect(outcome).toMatchObject({ ok: true })
  expect(await placedToday()).toBe(1)
  await rig.tick(238)
  expect((await rig.sandbox.books.orderbook(USER)).orders).toHaveLength(1)
  expect(await placedToday()).toBe(1)
})

it('restarts with each session', async () => {
  await rig.accepted({ priceType: 'LIMIT', price: 200 })
  await rig.clock.advance(24 * 3_600_000)
  expect(await placedToday()).toBe(0)
})
