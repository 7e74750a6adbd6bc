import { expect, test } from 'vitest'
import { TestDesk, USER } from '../../../support/desk/desk.js'
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
