import { expect, test } from 'vitest'
import type { PriceType } from '../../../../src/core/orders/index.js'
import { TypeStore } from '../../../../src/core/orders/journal/type-store.js'
import { payloadOf, type TestDesk, USER } from '../../../support/desk/desk.js'
import { KiteDesk } from '../../../support/desk/kite-desk.js'

const CONTEXT = { userId: USER, source: 'api' as const }
const LIMIT = { symbol: 'INFY', exchange: 'NSE', product: 'MIS', pricetype: 'LIMIT', price: 1400 } as const

/** A desk with a limit order that rests. */
async function withResting() {
  const kite = await KiteDesk.start()
  const desk = await kite.desk()
  const { body, orderRef: ref = '' } = await desk.settled(desk.place(LIMIT))
  return { kite, desk, ref, orderid: String(body.orderid) }
}

function change(desk: TestDesk, orderid: string, pricetype: PriceType, price: number, trigger_price = 0) {
  const { underlying_ltp: _, ...line } = payloadOf({ ...LIMIT, pricetype, price, trigger_price })
  return desk.settled(desk.orders.changes.modify({ ...line, orderid }, CONTEXT))
}

const typesOf = async ({ service }: TestDesk, ref: string) =>
  (await new TypeStore(service.databases.svc).of([ref])).get(ref)

test('a change that the broker made is known after a restart', async () => {
  const { desk, kite, orderid, ref } = await withResting()
  expect(await typesOf(desk, ref)).toEqual(['LIMIT'])
  expect(await change(desk, orderid, 'SL', 1560, 1550)).toMatchObject({ code: 'ok' })
  await desk.close()
  const again = await kite.desk({ home: desk.home, clock: desk.clock })
  expect(await typesOf(again, ref)).toEqual(['SL'])
  expect(await change(again, orderid, 'LIMIT', 1400)).toMatchObject({ code: 'ok' })
  expect(await typesOf(again, ref)).toEqual(['LIMIT'])
})

test('a change that the broker refused leaves the type', async () => {
  const { desk, kite, orderid, ref } = await withResting()
  kite.fake.script.set({ route: 'modify', actions: ['reject:InputException:No'] })
  expect((await change(desk, orderid, 'SL', 1560, 1550)).code).toBe('broker_rejected')
  expect(await typesOf(desk, ref)).toEqual(['LIMIT'])
})

test.each(['drop_before', 'drop_after'])(
  'a change in doubt (%s) leaves both types, also after a restart',
  async (action) => {
    const { desk, kite, orderid, ref } = await withResting()
    kite.fake.script.set({ route: 'modify', actions: [action] })
    expect((await change(desk, orderid, 'SL', 1560, 1550)).code).toBe('outcome_unknown')
    await desk.close()
    const again = await kite.desk({ home: desk.home, clock: desk.clock })
    expect((await typesOf(again, ref))?.toSorted()).toEqual(['LIMIT', 'SL'])
    // The next change that is answered settles it.
    expect(await change(again, orderid, 'LIMIT', 1401)).toMatchObject({ code: 'ok' })
    expect(await typesOf(again, ref)).toEqual(['LIMIT'])
  },
)

test('of two changes on their way, none hides what the other may have made', async () => {
  const { desk, ref } = await withResting()
  const types = new TypeStore(desk.service.databases.svc)
  const first = await types.begin(ref, 'MARKET')
  const second = await types.begin(ref, 'SL')
  await first?.made()
  expect((await typesOf(desk, ref))?.toSorted()).toEqual(['LIMIT', 'MARKET', 'SL'])
  await second?.notMade()
  expect((await typesOf(desk, ref))?.toSorted()).toEqual(['LIMIT', 'MARKET'])
  expect(await types.begin('unknown', 'SL')).toBeUndefined()
})
