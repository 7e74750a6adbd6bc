import { expect, test } from 'vitest'
import { SMART_ORDER } from '../../../../src/core/orders/multi/smart.js'
import { payloadOf, TestDesk, USER } from '../../../support/desk/desk.js'
import { KiteDesk } from '../../../support/desk/kite-desk.js'
import { eventually } from '../../../support/eventually.js'

const CONTEXT = { userId: USER, source: 'api' as const }
const buy = (desk: TestDesk, symbol: string) =>
  desk.settled(desk.place({ symbol, exchange: 'NSE', product: 'MIS', quantity: 10 }))

test('a position on an exchange that is not known here does not keep the others from being closed', async () => {
  const kite = await KiteDesk.start()
  const desk = await kite.desk()
  await buy(desk, 'INFY')
  await buy(desk, 'SBIN')
  const [foreign] = kite.fake.book.trades.filter(({ tradingsymbol }) => tradingsymbol === 'SBIN')
  Object.assign(foreign ?? {}, { exchange: 'NSEIX', tradingsymbol: 'NIFTY26NOVFUT' })

  const answer = await desk.settled(desk.orders.changes.close({ strategy: 't' }, CONTEXT))
  expect(answer).toMatchObject({ status: 409, body: { closed_positions: 1, failed_closures: 1 } })
  expect(JSON.stringify(answer.body)).toContain(
    'Close it at the broker: the exchange NSEIX is not known here',
  )
  const sold = kite.fake.ledger.entries.filter(({ event }) => event === 'placed').slice(2)
  expect(
    sold.map(({ fields }) => `${fields.transaction_type} ${fields.quantity} ${fields.tradingsymbol}`),
  ).toEqual(['SELL 10 INFY'])

  const alone = await desk.settled(desk.orders.changes.close({ strategy: 't' }, CONTEXT))
  expect(alone.body).toMatchObject({ closed_positions: 0, failed_closures: 1 })
})

test('a close of all reads the positions after a pause again, all at once, and closes those that are still open', async () => {
  const desk = await TestDesk.open()
  const contracts = ['FUT', '23000CE', '26000CE', '26000PE', '28000CE'].map((of) => `NIFTY24NOV26${of}`)
  const wanted = [
    ...(['NRML', 'MIS'] as const).flatMap((product) =>
      contracts.map((symbol) => ({ symbol, exchange: 'NFO', product, quantity: 65 }) as const),
    ),
    ...['SBIN', 'INFY'].map((symbol) => ({ symbol }) as const),
  ]
  for (const order of wanted) await desk.settled(desk.place(order))
  const { orders, portfolio } = desk.service.brokers.client()
  await desk.settled(eventually(async () => (await portfolio.positions()).length === wanted.length))
  const place = orders.place.bind(orders)
  const positions = portfolio.positions.bind(portfolio)
  const closed = new Set<string>()
  let readings = 0
  portfolio.positions = () => {
    readings += 1
    return positions()
  }
  orders.place = async (order, tag) => {
    const placed = await place(order, tag)
    closed.add(`${order.symbol} ${order.product}`)
    if (closed.size !== 10) return placed
    const other = (await positions()).find(({ symbol, product }) => !closed.has(`${symbol} ${product}`))
    if (other?.product === 'MIS' || other?.product === 'NRML') {
      const { symbol, exchange, product, quantity } = other
      await place(
        { ...order, symbol, exchange: 'NFO', product, quantity, ...(exchange === 'NSE' && { exchange }) },
        'ANOTHERTERMINAL',
      )
    }
    readings = 0
    return placed
  }
  const answer = await desk.settled(desk.orders.changes.close({ strategy: 't' }, CONTEXT))
  expect(answer.body).toMatchObject({ status: 'error', closed_positions: 11, failed_closures: 1 })
  expect(JSON.stringify(answer.body)).toContain('Not sent: the position has changed')
  expect(readings).toBe(1)
  await desk.settled(eventually(async () => (await positions()).every(({ quantity }) => quantity === 0)))
})

test('a close that market protection leaves resting is not taken for filled, and not sent again', async () => {
  const kite = await KiteDesk.start()
  const desk = await kite.desk()
  await buy(desk, 'INFY')
  // The bids are further away than the protection allows.
  Object.assign(kite.fake.book.progress, { awayPercent: 3 })
  const close = () => desk.settled(desk.orders.changes.close({ strategy: 't', symbol: 'INFY' }, CONTEXT))
  const first = await close()
  expect(first).toMatchObject({ status: 200 })
  expect(kite.fake.book.orders.at(-1)).toMatchObject({
    order_type: 'LIMIT',
    status: 'OPEN',
    pending_quantity: 10,
  })
  const [ref] = (await desk.service.journal.list(USER, 1)).map(({ orderRef }) => orderRef)
  expect((await desk.service.journal.find(ref ?? ''))?.state).toBe('accepted')

  const second = await close()
  expect(JSON.stringify(second.body)).toContain('wait at the broker already (10 pending)')
  expect(kite.fake.ledger.placed).toHaveLength(2)
  // A smart order to zero counts what is on its way.
  const flat = payloadOf({ symbol: 'INFY', action: 'SELL', quantity: 0 })
  const target = await desk.settled(
    desk.orders.multi.submit(SMART_ORDER, { ...flat, position_size: 0 }, CONTEXT),
  )
  expect(target.status).toBe(200)
  expect(kite.fake.ledger.placed).toHaveLength(2)

  Object.assign(kite.fake.book.progress, { awayPercent: 0 })
  kite.fake.setPrice('NSE:INFY', 1499)
  await desk.settled(desk.clock.sleep(3000))
  expect((await desk.service.journal.find(ref ?? ''))?.state).toBe('filled')
})

test('a close above the freeze quantity leaves in our own pieces: Kite takes none that is larger', async () => {
  const kite = await KiteDesk.start()
  const desk = await kite.desk()
  kite.fake.book.hold('NFO:NIFTY30JAN24000CE', 'NRML', 3675)
  const answer = await desk.settled(desk.orders.changes.close({ strategy: 't' }, CONTEXT))
  expect(answer).toMatchObject({ status: 200, body: { closed_positions: 1 } })
  const sent = kite.fake.ledger.placed.map(({ fields }) => fields)
  expect(sent.map(({ quantity }) => quantity)).toEqual(['1800', '1800', '75'])
  for (const fields of sent) expect(fields).not.toHaveProperty('autoslice')
})

test('no close and no exit of Analyzer mode succeeds while an AMO of the position waits', async () => {
  const desk = await TestDesk.open({ env: { SIM_SESSIONS: 'market' } })
  await desk.service.settings.setAnalyzeMode(true)
  const held = { symbol: 'SBIN', exchange: 'NSE', product: 'CNC' } as const
  await desk.settled(desk.place({ ...held, quantity: 10 }))
  const later = payloadOf({ ...held, action: 'SELL', quantity: 10, amo: true })
  await desk.settled(desk.place(later))
  const close = (payload: object, context = {}) =>
    desk.settled(desk.orders.changes.close({ strategy: 't', ...payload }, { ...CONTEXT, ...context }))

  const keyed = { idempotencyKey: 'k' }
  for (const answer of [await close({}), await close(held), await close({}, keyed), await close({}, keyed)]) {
    expect(answer).toMatchObject({ status: 409, body: { status: 'error', failed_closures: 1 } })
    expect(JSON.stringify(answer.body)).toContain('MARKET orders that close it wait already (10 pending)')
  }
  const exit = (amo: boolean) =>
    desk.settled(
      desk.orders.multi.submit(SMART_ORDER, { ...later, amo, quantity: 0, position_size: 0 }, CONTEXT),
    )
  expect(await exit(false)).toMatchObject({
    status: 409,
    body: { status: 'error', message: expect.stringContaining('SELL 10 wait for the next opening') },
  })
  expect(await exit(true)).toMatchObject({ status: 200, body: { status: 'success' } })
  expect(await desk.service.account.openPosition(USER, held)).toMatchObject({ quantity: 10 })
})
