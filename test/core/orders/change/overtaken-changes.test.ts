import { describe, expect, test, vi } from 'vitest'
import { modifyGttPayload, type PlaceContext, placeGttPayload } from '../../../../src/core/orders/index.js'
import { Idempotency } from '../../../../src/core/orders/journal/idempotency.js'
import { parseWith } from '../../../../src/core/validation/index.js'
import type { OrderAnswer } from '../../../../src/daemon/orders/answer.js'
import { payloadOf, TestDesk, USER } from '../../../support/desk/desk.js'

const CONTEXT: PlaceContext = { userId: USER, source: 'api' }
const ALL = { strategy: 't' }
const GTT = {
  strategy: 't',
  trigger_type: 'SINGLE',
  exchange: 'NSE',
  symbol: 'SBIN',
  action: 'BUY',
  product: 'CNC',
  quantity: 5,
  price: 690,
  triggerprice_sl: 700,
}

/** Changes of what a user has at the broker: an open order, an active trigger and a position. */
interface Held {
  orderid: string
  trigger_id: string
}

const CHANGES: Record<string, (desk: TestDesk, held: Held) => Promise<OrderAnswer>> = {
  modifyorder: ({ orders }, { orderid }) => {
    const { underlying_ltp: _, ...line } = payloadOf({ pricetype: 'LIMIT', price: 701 })
    return orders.changes.modify({ ...line, orderid }, CONTEXT)
  },
  cancelorder: ({ orders }, { orderid }) => orders.changes.cancel({ ...ALL, orderid }, CONTEXT),
  cancelallorder: ({ orders }) => orders.changes.cancelAll(ALL, CONTEXT),
  closeposition: ({ orders }) => orders.changes.close(ALL, CONTEXT),
  modifygttorder: ({ orders }, { trigger_id }) => {
    const changed = parseWith(modifyGttPayload, { ...GTT, trigger_id, price: 691 })
    return orders.gtts.modify(changed, CONTEXT)
  },
  cancelgttorder: ({ orders }, { trigger_id }) => orders.gtts.cancel({ ...ALL, trigger_id }, CONTEXT),
}

const SWITCHES: Record<string, (desk: TestDesk) => Promise<unknown>> = {
  'the service goes to Analyzer mode': ({ service }) => service.settings.setAnalyzeMode(true),
  'orders wait for approval from now on': ({ service }) =>
    service.identity.apiKeys.setOrderMode(USER, 'semi_auto'),
  'another broker is taken': ({ service }) => service.brokers.use('zerodha'),
  'somebody signs in to another account': async ({ service: { brokers } }) => {
    const { session } = brokers
    if (!session) throw new Error('nobody is signed in')
    vi.spyOn(brokers, 'session', 'get').mockReturnValue({ ...session, userId: 'OTHER' })
  },
}

async function held(desk: TestDesk): Promise<Held> {
  await desk.place({ symbol: 'INFY' })
  const order = await desk.place({ pricetype: 'LIMIT', price: 700 })
  const gtt = await desk.orders.gtts.place(parseWith(placeGttPayload, GTT), CONTEXT)
  return { orderid: String(order.body.orderid), trigger_id: String(gtt.body.trigger_id) }
}

/** Counts the calls that change something at the broker. */
function callsAt({ service }: TestDesk) {
  const { gtts, orders } = service.brokers.client()
  if (!gtts) throw new Error('the simulated broker has GTTs')
  const { modify, cancel, place } = orders
  const spies = [
    vi.spyOn(orders, 'modify').mockImplementation((...args) => modify.apply(orders, args)),
    vi.spyOn(orders, 'cancel').mockImplementation((...args) => cancel.apply(orders, args)),
    vi.spyOn(orders, 'place').mockImplementation((...args) => place.apply(orders, args)),
    vi.spyOn(gtts, 'modify'),
    vi.spyOn(gtts, 'cancel'),
  ]
  return () => spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0)
}

describe.each(Object.keys(SWITCHES))('when %s', (name) => {
  test.each(Object.keys(CHANGES))(
    'a %s that waits for its slot at the broker is not sent',
    async (operation) => {
      const desk = await TestDesk.open()
      const mine = await held(desk)
      const calls = callsAt(desk)
      desk.service.brokers.orderSlot = async () => {
        await SWITCHES[name]?.(desk)
      }
      const answer = await CHANGES[operation]?.(desk, mine)
      expect(calls()).toBe(0)
      if (operation === 'cancelallorder') expect(answer?.body).toMatchObject({ canceled_orders: [] })
      else expect([answer?.status, answer?.code]).toEqual([409, 'conflict'])
    },
  )
})

test('a change of a GTT that waits for its price is not sent after the switch to another mode', async () => {
  const desk = await TestDesk.open()
  const { trigger_id } = await held(desk)
  const calls = callsAt(desk)
  const { market } = desk.service.brokers.client()
  const { quotes } = market
  vi.spyOn(market, 'quotes').mockImplementation(async (refs) => {
    await desk.service.settings.setAnalyzeMode(true)
    return quotes.call(market, refs)
  })
  const changed = parseWith(modifyGttPayload, { ...GTT, trigger_id, price: 691 })
  expect(await desk.orders.gtts.modify(changed, CONTEXT)).toMatchObject({
    status: 409,
    code: 'conflict',
  })
  expect(calls()).toBe(0)
})

test('a close under a key goes where its mode said when it came, or nowhere', async () => {
  const desk = await TestDesk.open()
  await desk.place()
  const calls = callsAt(desk)
  const { run } = Idempotency.prototype
  const held = vi.spyOn(Idempotency.prototype, 'run').mockImplementation(async function (
    this: Idempotency,
    ...args
  ) {
    await desk.service.settings.setAnalyzeMode(true)
    return run.apply(this, args)
  })
  await desk.orders.changes.close(ALL, { ...CONTEXT, idempotencyKey: 'k' })
  held.mockRestore()
  expect(calls()).toBe(0)
  expect(await desk.service.sandbox.books.orderbook(USER)).toMatchObject({ orders: [] })
})

describe('after the switch to Live mode, the simulated account stays as it is:', () => {
  /** A simulated order that waits, and the switch in the next quote or the next decision that anybody asks for. */
  async function simulated() {
    const desk = await TestDesk.open()
    await desk.service.settings.setAnalyzeMode(true)
    const { orderid } = (await desk.place({ pricetype: 'LIMIT', price: 700 })).body
    const { settings, sandbox } = desk.service
    const open = async () =>
      (await sandbox.books.orderbook(USER)).orders.map((row) => [row.order_status, row.price])
    return { desk, orderid: String(orderid), open, toLive: () => settings.setAnalyzeMode(false) }
  }

  test('no page of a cancel of all orders is cancelled', async () => {
    const { desk, open, orderid, toLive } = await simulated()
    const { sandbox } = desk.service
    const { cancelAll } = sandbox
    vi.spyOn(sandbox, 'cancelAll').mockImplementation(async (...args) => {
      await toLive()
      return cancelAll.apply(sandbox, args)
    })
    expect((await desk.orders.changes.cancelAll(ALL, CONTEXT)).body).toMatchObject({
      canceled_orders: [],
      failed_cancellations: [{ orderid, message: expect.stringContaining('mode was changed') }],
    })
    expect(await open()).toEqual([['open', 700]])
  })

  test('a change that waits for its price changes nothing', async () => {
    const { desk, open, orderid, toLive } = await simulated()
    const { sandbox } = desk.service
    const { modify } = sandbox
    vi.spyOn(sandbox, 'modify').mockImplementation(async (...args) => {
      await toLive()
      return modify.apply(sandbox, args)
    })
    const { underlying_ltp: _, ...line } = payloadOf({ pricetype: 'LIMIT', price: 701 })
    expect(await desk.orders.changes.modify({ ...line, orderid }, CONTEXT)).toMatchObject({
      code: 'conflict',
    })
    expect(await open()).toEqual([['open', 700]])
  })
})
