import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type ApiRoute, ORDER_ROUTES } from '../../../support/desk/api-routes.js'
import { USER } from '../../../support/desk/desk.js'
import { eventually } from '../../../support/eventually.js'
import { ApiRig, RESTING } from '../api-rig.js'

/*
 * Promise 10 within one process: once trading is stopped, nothing new is sent, for every route, in every
 * mode, and at every stage of a request. test/crash/kill-switch.test.ts checks the same across kills.
 */
const MODES = ['live', 'analyze'] as const
const SBIN = { symbol: 'SBIN', exchange: 'NSE' }
const GTT = { ...RESTING, product: 'CNC', trigger_type: 'single', price: 690, triggerprice_sl: 700 }

/** A rig with a waiting order and a waiting GTT, and the route's own request about them. */
async function prepared(mode: (typeof MODES)[number], { path, body, optional }: ApiRoute) {
  const rig = await ApiRig.open(mode)
  const order = await rig.post('placeorder', RESTING)
  const trigger = await rig.post('placegttorder', GTT)
  const named: Record<string, unknown> = { ...body }
  if (path.startsWith('options')) named.expiry_date = optional?.expiry_date
  if ('orderid' in body)
    Object.assign(named, RESTING, { price: 701, product: 'MIS' }, { orderid: order.body.orderid })
  if ('trigger_id' in body) Object.assign(named, GTT, { price: 691, trigger_id: trigger.body.trigger_id })
  return { rig, send: () => rig.post(path, named) }
}

/** Returns every order that was ever sent, as the account shows it. */
async function sentIn(rig: ApiRig): Promise<unknown> {
  const orders = (await rig.post('orderbook')).body.data
  const gtts = (await rig.post('gttorderbook')).body.data
  return JSON.parse(JSON.stringify({ orders, gtts }), (key, value) =>
    key === 'last_price' ? undefined : value,
  )
}

const stop = ({ desk }: ApiRig) => desk.service.risk.setKillSwitch(true, 'news', USER)
const resume = ({ desk }: ApiRig) => desk.service.risk.setKillSwitch(false, '', USER)

/** The latest possible moment: the risk gate has already admitted the order. */
function stopAfterTheGate(rig: ApiRig, question: 'admit' | 'examine'): void {
  const { risk } = rig.desk.service
  const ask = risk[question]
  risk[question] = async (...args) => {
    const refusal = await ask.apply(risk, args)
    await stop(rig)
    return refusal
  }
}

describe.each(MODES)('in %s mode', (mode) => {
  describe.each(ORDER_ROUTES.map((route) => [route.path, route] as const))('%s', (_path, route) => {
    test('is refused while trading is stopped, and goes through afterwards', async () => {
      const { rig, send } = await prepared(mode, route)
      const before = await sentIn(rig)
      await stop(rig)
      expect(await send()).toMatchObject({
        status: 403,
        code: 'kill_switch',
        body: { status: 'error', message: 'The kill switch is on: news' },
      })
      expect(await sentIn(rig)).toEqual(before)
      await resume(rig)
      expect(await send()).toMatchObject({ status: 200, body: { status: 'success' } })
      expect(await sentIn(rig)).not.toEqual(before)
    })

    test('sends nothing when trading is stopped right after the gate has let it pass', async () => {
      const { rig, send } = await prepared(mode, route)
      const before = await sentIn(rig)
      stopAfterTheGate(rig, route.path.startsWith('modify') ? 'examine' : 'admit')
      const { body } = await send()
      // A simulated GTT may still be changed then: it fires nothing while trading is stopped.
      if (mode === 'analyze' && route.path === 'modifygttorder') return
      expect(JSON.stringify(body)).toContain('The kill switch is on: news')
      expect(await sentIn(rig)).toEqual(before)
    })
  })
})

test('a simulated GTT does not fire while trading is stopped, and does afterwards', async () => {
  const rig = await ApiRig.open('analyze')
  const { data } = (await rig.post('quotes', SBIN)).body
  const { ltp } = z.object({ ltp: z.number() }).parse(data)
  const orders = async () => (await rig.desk.service.sandbox.books.orderbook(USER)).orders.length
  // The current price already meets the trigger: the GTT fires at the next tick.
  await rig.post('placegttorder', { ...GTT, price: ltp + 50, triggerprice_sl: ltp + 50 })
  await stop(rig)
  await rig.desk.clock.advance(60_000)
  expect(await orders()).toBe(0)
  await resume(rig)
  await eventually(async () => {
    await rig.desk.clock.advance(1000)
    return (await orders()) === 1
  })
})
