import { expect, test } from 'vitest'
import { signInToBroker } from '../../src/daemon/broker/instrument-loading.js'
import { FAKE_ACCOUNT } from '../fixtures/fake-kite/server.js'
import { FRIDAY_11, TestDesk } from '../support/desk/desk.js'
import { deskClock } from '../support/desk/desk-clock.js'
import { KiteDesk } from '../support/desk/kite-desk.js'
import { tempDir } from '../support/files/temp.js'

/* The life of one share at Zerodha: bought on Friday, kept over the end of the session and a restart, sold on Monday. */

const SHARE = { symbol: 'INFY', exchange: 'NSE', product: 'CNC', quantity: 1, pricetype: 'MARKET' } as const
const SATURDAY_6 = Date.parse('2026-11-21T06:00:00+05:30')
const MONDAY_10 = Date.parse('2026-11-23T10:00:00+05:30')

test('one share is bought, kept over night and a restart, and sold on the next trading day', async () => {
  const clock = deskClock(FRIDAY_11)
  const kite = await KiteDesk.start({ clock })
  const { fake } = kite
  const { apiKey: api_key, apiSecret: api_secret } = FAKE_ACCOUNT
  const signIn = (at: TestDesk) => {
    const fields = { api_key, api_secret, request_token: fake.issueRequestToken() }
    return at.settled(signInToBroker(at.service, fields))
  }
  const home = tempDir()
  const { api, ticker } = fake.endpoints
  const env = { BROKER_ENDPOINTS: `zerodha.api=${api},zerodha.ticker=${ticker}` }

  const friday = await kite.desk({ home, clock })
  await signIn(friday)
  expect(friday.service.brokers.sessionStatus()).toMatchObject({ state: 'signed_in', until: SATURDAY_6 })
  const bought = await friday.settled(friday.place({ ...SHARE, action: 'BUY' }))
  expect(bought).toMatchObject({ code: 'ok' })
  await friday.settled(
    friday.service.brokers
      .client()
      .portfolio.positions()
      .then((rows) => {
        expect(rows).toMatchObject([{ symbol: 'INFY', product: 'CNC', quantity: 1 }])
      }),
  )

  // At six the session has ended on both sides, in the running service.
  fake.deliverDay()
  await clock.advanceTo(SATURDAY_6)
  expect(friday.service.brokers.sessionStatus()).toMatchObject({
    state: 'expired',
    nextStep: 'svc broker login',
  })
  const requests = fake.requests.length
  await expect(friday.settled(friday.place({ ...SHARE, action: 'SELL' }))).rejects.toMatchObject({
    code: 'forbidden',
  })
  expect(fake.requests.length).toBe(requests)
  await friday.close()

  // A restart does not bring the session back; a person signs in.
  await clock.advanceTo(MONDAY_10)
  const monday = await TestDesk.open({ home, clock, env, startWaits: true })
  expect(monday.service.brokers.connected()).toBe(false)
  await signIn(monday)
  monday.service.openOrders.start()
  await clock.advance(5_000)
  const { portfolio } = monday.service.brokers.client()
  const held = async () => {
    const rows = await monday.settled(portfolio.holdings())
    return rows.filter(({ symbol }) => symbol === 'INFY').map(({ quantity }) => quantity)
  }
  expect(await held()).toEqual([1])
  expect(await monday.settled(portfolio.positions())).toEqual([])
  const sold = await monday.settled(monday.place({ ...SHARE, action: 'SELL' }))
  expect(sold).toMatchObject({ code: 'ok' })
  expect(await held()).toEqual([0])

  const sent = fake.ledger.placed.map(({ fields }) => [
    fields.transaction_type,
    fields.quantity,
    fields.product,
  ])
  expect(sent).toEqual([
    ['BUY', '1', 'CNC'],
    ['SELL', '1', 'CNC'],
  ])
  const client = monday.service.brokers.client()
  await monday.settled(monday.service.drift.compare(client))
  expect(await monday.service.drift.state()).toMatchObject({ orders: [], positions: [] })
})
