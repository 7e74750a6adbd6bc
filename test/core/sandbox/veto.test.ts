import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { GttRequest } from '../../../src/core/sandbox/index.js'
import { orderOf, Rig, USER } from './harness.js'

let rig: Rig
beforeEach(async () => {
  rig = await Rig.open()
  rig.price(250)
})
afterEach(() => rig.close())

const STOPPED = { code: 'kill_switch', message: 'The kill switch is on: too fast' } as const
const REFUSED = { ok: false, ...STOPPED }

/** Buys ten shares once the price has fallen to `triggerPrice`. */
function gttAt(triggerPrice: number): GttRequest {
  return {
    strategy: 'dip',
    type: 'SINGLE',
    symbol: 'SBIN',
    exchange: 'NSE',
    action: 'BUY',
    quantity: 10,
    product: 'CNC',
    priceType: 'MARKET',
    legs: [{ kind: 'stop', triggerPrice, price: 0 }],
    expiresAt: undefined,
  }
}

/** Calls `stop` during the price request, after every earlier check has passed. */
function whileTheMarketIsAsked(stop: () => void): void {
  const { quote } = rig.market
  rig.market.quote = async (ref) => {
    stop()
    return quote.call(rig.market, ref)
  }
}

test('a veto during the price request leaves nothing behind', async () => {
  let stopped = false
  const veto = () => (stopped ? STOPPED : undefined)
  expect(await rig.sandbox.place(USER, orderOf({}), { veto })).toMatchObject({ ok: true })
  const waiting = await rig.accepted({ priceType: 'LIMIT', price: 200 })
  const gtt = await rig.sandbox.gtt.place(USER, gttAt(230))
  const triggerId = gtt.ok ? gtt.triggerId : ''
  await rig.funds()
  const before = await rig.dump()

  whileTheMarketIsAsked(() => {
    stopped = true
  })
  expect(await rig.sandbox.place(USER, orderOf({}), { veto })).toEqual(REFUSED)
  const marketable = { quantity: 10, price: 260, triggerPrice: 0 }
  expect(await rig.sandbox.modify(USER, waiting, marketable, { veto })).toEqual(REFUSED)
  expect(await rig.sandbox.gtt.place(USER, gttAt(240), { veto })).toEqual(REFUSED)
  expect(await rig.sandbox.gtt.modify(USER, triggerId, gttAt(245), { veto })).toEqual(REFUSED)
  expect(await rig.dump()).toEqual(before)
  expect(await rig.sandbox.cancel(USER, waiting)).toMatchObject({ ok: true })
  expect(await rig.sandbox.gtt.cancel(USER, triggerId)).toMatchObject({ ok: true })
})

test('a veto does not change the answer to an order that was accepted before', async () => {
  const orderId = rig.sandbox.newOrderId()
  await rig.sandbox.place(USER, orderOf({}), { orderId })
  const again = await rig.sandbox.place(USER, orderOf({}), { orderId, veto: () => STOPPED })
  expect(again).toEqual({ ok: true, orderId })
})

describe('a GTT whose trigger is reached while trading is stopped', () => {
  const TRIGGERS = [249, 248, 247, 246, 245, 244]
  const orders = async () => (await rig.sandbox.books.orderbook(USER)).orders
  const stop = () => {
    rig.stopped = () => STOPPED
  }
  const resume = () => {
    rig.stopped = () => undefined
  }

  beforeEach(async () => {
    for (const trigger of TRIGGERS) {
      expect(await rig.sandbox.gtt.place(USER, gttAt(trigger))).toMatchObject({ ok: true })
    }
    rig.events.length = 0
  })

  test('sends nothing and stays unchanged, across a restart', async () => {
    const before = await rig.dump()
    stop()
    await rig.tick(240)
    await rig.reboot()
    await rig.tick(239)
    expect(await rig.dump()).toEqual(before)
    expect(rig.events).toEqual([])
  })

  test('fires at the first price after the stop that still reaches its trigger', async () => {
    stop()
    await rig.tick(240)
    resume()
    expect(await orders()).toEqual([])
    await rig.tick(245.5)
    expect(await orders()).toMatchObject(Array(4).fill({ order_status: 'complete', average_price: 245.5 }))
    expect(await rig.sandbox.gtt.list(USER)).toHaveLength(2)
  })

  test('waits until the price comes back, when it has moved away', async () => {
    stop()
    await rig.tick(240)
    await rig.tick(251)
    resume()
    await rig.tick(250)
    expect(await orders()).toEqual([])
    await rig.tick(249)
    expect(await orders()).toMatchObject([{ order_status: 'complete', average_price: 249 }])
  })
})

test('square-off and closing a position work while trading is stopped', async () => {
  await rig.trade('BUY', 10, 250)
  await rig.trade('BUY', 10, 1500, { symbol: 'INFY' })
  rig.stopped = () => STOPPED
  const ref = { symbol: 'INFY', exchange: 'NSE', product: 'MIS' } as const
  expect(await rig.sandbox.closePosition(USER, ref)).toMatchObject({ pieces: [{ outcome: { ok: true } }] })
  await rig.pass('2026-03-12T15:15:00+05:30')
  expect(await rig.position('INFY')).toMatchObject({ quantity: 0 })
  expect(await rig.position('SBIN')).toMatchObject({ quantity: 0 })
})
