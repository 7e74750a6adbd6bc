import { describe, expect, test } from 'vitest'
import type { PlaceOrderPayload } from '../../src/core/orders/index.js'
import { USER } from '../support/desk/desk.js'
import { KiteDesk } from '../support/desk/kite-desk.js'

const REFUSED = "The day's loss of ₹1,500.00 has reached the limit of ₹1,000.00"
const UNKNOWN = "The day's P&L is unknown"

/** An account at the fake Kite with 100 shares of INFY, bought at 1500, and a loss limit of ₹1,000 a day. */
async function holdShares() {
  const kite = await KiteDesk.start()
  const desk = await kite.desk()
  const send = async (fields: Partial<PlaceOrderPayload>) => {
    const { body } = await desk.settled(desk.place({ product: 'CNC', pricetype: 'MARKET', ...fields }))
    return { status: body.status, message: body.message }
  }
  const place = (quantity: number) => send({ symbol: 'INFY', quantity })
  const sell = (symbol: string, quantity: number) => send({ symbol, quantity, action: 'SELL' })
  await desk.service.risk.change({ max_day_loss: 1000 }, USER)
  expect(await place(100)).toMatchObject({ status: 'success' })
  return { fake: kite.fake, place, sell }
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

describe('where Kite does not tell the profit of the day', () => {
  test('the profit of what was opened today counts', async () => {
    const { fake, place } = await holdShares()
    fake.portfolio.omitDayPnl = true
    expect(await place(1)).toMatchObject({ status: 'success' })
    fake.setPrice('NSE:INFY', 1485)
    expect(await place(1)).toEqual({
      status: 'error',
      message: expect.stringContaining('has reached the limit'),
    })
  })

  test('new orders are refused while a position of an earlier day is open: its profit would count for this day', async () => {
    const { fake, place } = await holdShares()
    fake.portfolio.omitDayPnl = true
    fake.setPrice('NSE:INFY', 1600)
    fake.nextDay()
    fake.setPrice('NSE:INFY', 1580)
    expect(await place(1)).toEqual({ status: 'error', message: expect.stringContaining(UNKNOWN) })
  })
})

test('shares of the holdings that were sold are no open short: neither a fall nor a rise after the sale counts', async () => {
  const { fake, sell, place } = await holdShares()
  const before = await place(1)
  expect(before).toMatchObject({ status: 'success' })
  expect(await sell('TCS', 10)).toMatchObject({ status: 'success' })
  // A loss of 1,500 with the shares of today, which a fall of the sold shares would hide.
  fake.setPrice('NSE:TCS', 3300)
  fake.setPrice('NSE:INFY', 1485)
  expect(await place(1)).toMatchObject({ status: 'error' })
  fake.setPrice('NSE:INFY', 1500)
  fake.setPrice('NSE:TCS', 3700)
  expect(await place(1)).toMatchObject({ status: 'success' })
})
