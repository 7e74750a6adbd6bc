import { afterEach, beforeEach, expect, it } from 'vitest'
import { quoteOf, Rig, USER } from './harness.js'

const SBIN = { symbol: 'SBIN', exchange: 'NSE' } as const
const CALL = { symbol: 'NIFTY30MAR2624500CE', exchange: 'NFO' } as const

/** Only ticks tell a price: the market answers no question. */
let rig: Rig
beforeEach(async () => {
  rig = await Rig.open('2026-03-30T10:00:00+05:30')
})
afterEach(() => rig.close())

async function lastTick(ref: { symbol: string; exchange: string }, price: number): Promise<void> {
  rig.market.tick(quoteOf(ref, price))
  rig.market.forget(ref)
  await rig.sandbox.books.orderbook(USER)
}

it('a contract settles at the last tick of its session', async () => {
  await rig.trade('SELL', 75, 40, { ...CALL, product: 'NRML' })
  await lastTick(CALL, 12.4)
  await rig.pass('2026-03-30T15:40:00+05:30')
  expect(await rig.position(CALL.symbol)).toMatchObject({ quantity: 0, today_realized_pnl: 2_070 })
})

it('the final square-off uses the last tick of the session', async () => {
  await rig.trade('BUY', 10, 250)
  await lastTick(SBIN, 260)
  await rig.pass('2026-03-30T15:29:00+05:30')
  expect(await rig.position()).toMatchObject({ quantity: 10 })
  await rig.pass('2026-03-30T15:31:00+05:30')
  expect(await rig.position()).toMatchObject({ quantity: 0, today_realized_pnl: 100 })
})

it('the line of the day values what is open at the last tick of the session', async () => {
  await rig.trade('BUY', 10, 250, { product: 'CNC' })
  await lastTick(SBIN, 260)
  await rig.pass('2026-03-30T23:59:00+05:30')
  const { daily_pnl } = await rig.sandbox.reports.overview(USER)
  expect(daily_pnl).toMatchObject([{ date: '2026-03-30', positions_unrealized_pnl: 100 }])
})

it('a tick of an earlier session does not count', async () => {
  await rig.trade('BUY', 10, 250, { product: 'CNC' })
  await lastTick(SBIN, 260)
  await rig.pass('2026-03-30T23:59:00+05:30')
  // A bad tick after the session of its day has ended, and before the next one.
  await rig.pass('2026-03-31T02:00:00+05:30')
  await lastTick(SBIN, 300)
  await rig.pass('2026-04-01T23:59:00+05:30')
  const { daily_pnl } = await rig.sandbox.reports.overview(USER)
  const [last] = daily_pnl
  expect(last).toMatchObject({ date: '2026-04-01' })
  expect(Number(last?.positions_unrealized_pnl) + Number(last?.holdings_unrealized_pnl)).toBe(100)
})

it('a tick of a market that was left sells nothing, however new it is', async () => {
  await rig.trade('BUY', 10, 250)
  rig.market.tick({ ...quoteOf(SBIN, 400), timestamp: 2 })
  rig.sandbox.forgetTicks()
  rig.market.set({ ...quoteOf(SBIN, 260), timestamp: 1 })
  expect(await rig.place({ action: 'SELL', quantity: 10 })).toMatchObject({ ok: true })
  expect(await rig.position()).toMatchObject({ quantity: 0, today_realized_pnl: 100 })
})

it('prices of ticks outlive a stop', async () => {
  await rig.trade('BUY', 10, 250)
  await rig.hold('INFY', 5, 1500)
  await lastTick(SBIN, 260)
  await lastTick({ symbol: 'INFY', exchange: 'NSE' }, 1600)
  await rig.reboot()
  expect(await rig.position()).toMatchObject({ ltp: 260 })
  expect((await rig.sandbox.books.holdings(USER)).holdings).toMatchObject([{ ltp: 1600 }])
})
