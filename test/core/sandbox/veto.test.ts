import { afterEach, beforeEach, expect, test } from 'vitest'
import type { GttRequest } from '../../../src/core/sandbox/index.js'
import { orderOf, Rig, USER } from './harness.js'

let rig: Rig
beforeEach(async () => {
  rig = await Rig.open()
  rig.price(250)
})
afterEach(() => rig.close())

const STOPPED = { code: 'kill_switch', message: 'The kill switch is on: too fast' } as const
const REFUSED = { ok: false, httpStatus: 403, ...STOPPED }

/** Lets `stop` happen while the market is being asked, when every check before has passed. */
function whileTheMarketIsAsked(stop: () => void): void {
  const { quote } = rig.market
  rig.market.quote = async (ref) => {
    stop()
    return quote.call(rig.market, ref)
  }
}

test('a veto that comes while the market is asked leaves nothing behind', async () => {
  let stopped = false
  const veto = () => (stopped ? STOPPED : undefined)
  expect(await rig.sandbox.place(USER, orderOf({}), { veto })).toMatchObject({ ok: true })
  const waiting = await rig.accepted({ priceType: 'LIMIT', price: 200 })
  await rig.funds()
  const before = await rig.dump()

  whileTheMarketIsAsked(() => {
    stopped = true
  })
  expect(await rig.sandbox.place(USER, orderOf({}), { veto })).toEqual(REFUSED)
  const marketable = { quantity: 10, price: 260, triggerPrice: 0 }
  expect(await rig.sandbox.modify(USER, waiting, marketable, { veto })).toEqual(REFUSED)
  const gtt: GttRequest = {
    strategy: 'dip',
    type: 'SINGLE',
    symbol: 'SBIN',
    exchange: 'NSE',
    action: 'BUY',
    quantity: 10,
    product: 'CNC',
    priceType: 'LIMIT',
    legs: [{ kind: 'stop', triggerPrice: 240, price: 239 }],
    expiresAt: undefined,
  }
  expect(await rig.sandbox.gtt.place(USER, gtt, { veto })).toEqual(REFUSED)
  expect(await rig.dump()).toEqual(before)
  expect(await rig.sandbox.cancel(USER, waiting)).toMatchObject({ ok: true })
})

test('a veto does not change the answer to an order that was taken before', async () => {
  const orderId = rig.sandbox.newOrderId()
  await rig.sandbox.place(USER, orderOf({}), { orderId })
  const again = await rig.sandbox.place(USER, orderOf({}), { orderId, veto: () => STOPPED })
  expect(again).toEqual({ ok: true, orderId })
})
