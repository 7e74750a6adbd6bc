import { expect, test } from 'vitest'
import { type TestDesk, USER } from '../../../support/desk/desk.js'
import { KiteDesk } from '../../../support/desk/kite-desk.js'

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
