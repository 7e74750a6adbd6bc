import { expect, test } from 'vitest'
import { USER } from '../support/desk/desk.js'
import { KiteDesk } from '../support/desk/kite-desk.js'

const REFUSED = "The day's loss of ₹1500.00 has reached the limit of ₹1000.00"

/** An account at the fake Kite with 100 shares of INFY, bought at 1500, and a loss limit of ₹1,000 a day. */
async function holdShares() {
  const kite = await KiteDesk.start()
  const desk = await kite.desk()
  const place = async (quantity: number) => {
    const { body } = await desk.settled(
      desk.place({ symbol: 'INFY', quantity, product: 'CNC', pricetype: 'MARKET' }),
    )
    return { status: body.status, message: body.message }
  }
  await desk.service.risk.change({ max_day_loss: 1000 }, USER)
  expect(await place(100)).toMatchObject({ status: 'success' })
  return { fake: kite.fake, place }
}

test('max_day_loss counts the loss of this day, and not what an earlier day has lost', async () => {
  const { fake, place } = await holdShares()
  fake.setPrice('NSE:INFY', 1485)
  expect(await place(1)).toEqual({ status: 'error', message: expect.stringContaining(REFUSED) })
  fake.nextDay()
  expect(await place(1)).toMatchObject({ status: 'success' })
  fake.setPrice('NSE:INFY', 1475.2)
  expect(await place(1), 'a loss of 989.80').toMatchObject({ status: 'success' })
  fake.setPrice('NSE:INFY', 1470)
  expect(await place(1), 'a loss of 1520.20').toMatchObject({ status: 'error' })
})

test('where Kite does not tell the profit of the day, its whole profit counts', async () => {
  const { fake, place } = await holdShares()
  fake.portfolio.omitDayPnl = true
  fake.setPrice('NSE:INFY', 1485)
  fake.nextDay()
  expect(await place(1)).toEqual({ status: 'error', message: expect.stringContaining(REFUSED) })
})
