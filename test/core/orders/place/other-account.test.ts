import { expect, onTestFinished, test, vi } from 'vitest'
import type { PlaceContext } from '../../../../src/core/orders/index.js'
import { placeGttPayload } from '../../../../src/core/orders/index.js'
import { BASKET_ORDER } from '../../../../src/core/orders/multi/basket.js'
import { SMART_ORDER } from '../../../../src/core/orders/multi/smart.js'
import { parseWith } from '../../../../src/core/validation/index.js'
import type { OrderAnswer } from '../../../../src/daemon/orders/answer.js'
import { payloadOf, TestDesk, USER } from '../../../support/desk/desk.js'

/* Somebody signs in to another account of the broker while an order of the first account waits to be sent. */

const CONTEXT: PlaceContext = { userId: USER, source: 'api' }

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

const { underlying_ltp: _ltp, strategy: _strategy, ...LINE } = payloadOf()

function smartPayload() {
  return { ...payloadOf({ symbol: 'INFY', quantity: 1 }), position_size: 30 }
}

const ORDERS: Record<string, (desk: TestDesk) => Promise<OrderAnswer>> = {
  placeorder: (desk) => desk.place(),
  placesmartorder: ({ orders }) => orders.multi.submit(SMART_ORDER, smartPayload(), CONTEXT),
  closeposition: ({ orders }) => orders.changes.close({ strategy: 't' }, CONTEXT),
  placegttorder: ({ orders }) => orders.gtts.place(parseWith(placeGttPayload, GTT), CONTEXT),
}

/** Signs in to another account as soon as an order has its slot at the broker. */
function switchesAtTheSlot({ service: { brokers } }: TestDesk): void {
  const { orderSlot, session } = brokers
  if (!session) throw new Error('nobody is signed in')
  onTestFinished(() => {
    vi.restoreAllMocks()
  })
  vi.spyOn(brokers, 'orderSlot').mockImplementation(async (rank) => {
    await orderSlot.call(brokers, rank)
    vi.spyOn(brokers, 'session', 'get').mockReturnValue({ ...session, userId: 'OTHER' })
  })
}

test.each(Object.keys(ORDERS))(
  'a %s does not leave for an account that is signed in while it waits for its slot',
  async (operation) => {
    const desk = await TestDesk.open()
    await desk.place({ symbol: 'INFY', quantity: 10 })
    const before = await desk.ledger()
    switchesAtTheSlot(desk)
    const answer = await ORDERS[operation]?.(desk)
    expect(await desk.ledger()).toEqual(before)
    expect(await desk.service.brokers.client().gtts?.list()).toEqual([])
    expect(answer?.body.status).toBe('error')
    expect(JSON.stringify(answer?.body)).toContain('account at the broker was changed')
  },
)

test('a close that is under way sends no order to an account that is signed in meanwhile', async () => {
  const desk = await TestDesk.open()
  for (const symbol of ['INFY', 'SBIN']) await desk.place({ symbol, quantity: 10 })
  const before = (await desk.ledger()).length
  const { brokers } = desk.service
  const { session } = brokers
  if (!session) throw new Error('nobody is signed in')
  const { orders } = brokers.client()
  const { place } = orders
  onTestFinished(() => {
    vi.restoreAllMocks()
  })
  vi.spyOn(orders, 'place').mockImplementation(async (...args) => {
    const placed = await place.apply(orders, args)
    vi.spyOn(brokers, 'session', 'get').mockReturnValue({ ...session, userId: 'OTHER' })
    return placed
  })
  const answer = await desk.settled(desk.orders.changes.close({ strategy: 't' }, CONTEXT))
  expect((await desk.ledger()).length - before).toBe(1)
  expect(answer.body).toMatchObject({ closed_positions: 1, failed_closures: 1 })
})

const QUEUED: Record<string, (desk: TestDesk) => Promise<OrderAnswer>> = {
  placeorder: (desk) => desk.place(),
  placegttorder: ({ orders }) => orders.gtts.place(parseWith(placeGttPayload, GTT), CONTEXT),
  basketorder: ({ orders }) => orders.multi.submit(BASKET_ORDER, { strategy: 't', orders: [LINE] }, CONTEXT),
  placesmartorder: ({ orders }) =>
    orders.multi.submit(SMART_ORDER, { ...LINE, strategy: 't', position_size: 30 }, CONTEXT),
}

test.each(Object.keys(QUEUED))(
  'an approved %s does not leave for an account that is signed in once it is claimed',
  async (operation) => {
    const desk = await TestDesk.open()
    const { approvals, brokers, databases, identity } = desk.service
    await identity.apiKeys.setOrderMode(USER, 'semi_auto')
    const queued = await QUEUED[operation]?.(desk)
    const { session } = brokers
    if (!session) throw new Error('nobody is signed in')
    onTestFinished(() => {
      vi.restoreAllMocks()
    })
    const { svc } = databases
    const { write } = svc
    // The first write of an approval is its claim.
    vi.spyOn(svc, 'write').mockImplementation(async (work) => {
      const written = await write.call(svc, work)
      vi.spyOn(brokers, 'session', 'get').mockReturnValue({ ...session, userId: 'OTHER' })
      return written
    })
    const outcome = await approvals.approve(USER, Number(queued?.body.pending_order_id), USER)
    expect(JSON.stringify(outcome)).toContain('account at the broker was changed')
    expect(await desk.ledger()).toEqual([])
    expect(await brokers.client().gtts?.list()).toEqual([])
  },
)
