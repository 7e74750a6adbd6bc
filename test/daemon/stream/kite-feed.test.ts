import { expect, test } from 'vitest'
import type { Tick } from '../../../src/core/market/index.js'
import { KiteDesk } from '../../support/desk/kite-desk.js'
import { pause } from '../../support/eventually.js'

const INFY = { symbol: 'INFY', exchange: 'NSE' }

/** A Zerodha desk that is subscribed to INFY, with a watched price feed. */
async function follow() {
  const kite = await KiteDesk.start()
  const { ticker } = kite.fake
  ticker.delivery.heartbeatMs = 5
  const desk = await kite.desk()
  const { clock, service } = desk
  service.feedWatch.start()
  const ticks: Tick[] = []
  service.hub.subscribe([INFY], 2, (tick) => ticks.push(tick))
  return {
    desk,
    kite,
    ticker,
    ticks,
    state: () => service.feedWatch.state(),
    /** Advances the time, slowly enough for the broker's heartbeats to arrive in between. */
    async pass(seconds: number) {
      for (let half = 0; half < 2 * seconds; half++) {
        await pause(15)
        await clock.advance(500)
      }
    },
  }
}

test('a Kite feed that stays open and says nothing is lost within five seconds, dialled again, and back', async () => {
  const { kite, pass, state, ticker, ticks } = await follow()
  await pass(3)
  expect([ticker.dials, state().state]).toEqual([1, 'live'])

  ticker.delivery.mute = true
  await pass(5)
  expect(state()).toMatchObject({ state: 'lost', losses: 1 })
  await pass(5)
  expect(ticker.dials).toBeGreaterThan(1)

  ticker.delivery.mute = false
  await pass(25)
  expect(state()).toMatchObject({ state: 'live', losses: 1 })
  ticks.length = 0
  kite.fake.setPrice('NSE:INFY', 1511)
  await pass(1)
  expect(ticks.map(({ ltp }) => ltp)).toEqual([1511])
})

test('a symbol that nobody trades makes no Kite feed lost', async () => {
  const { pass, state, ticker } = await follow()
  await pass(29)
  expect(state()).toMatchObject({ state: 'live', losses: 0, attempts: 0 })
  expect(ticker.dials).toBe(1)
})

test('a refused token is not dialled again, until the next sign-in brings the feed back', async () => {
  const { desk, kite, pass, state, ticker, ticks } = await follow()
  await pass(2)
  ticker.refuseNext(403)
  ticker.disconnectAll()
  await pass(20)
  expect([ticker.refused, state().state]).toEqual([1, 'lost'])
  for (let minute = 0; minute < 5; minute++) await desk.clock.advance(60_000)
  expect([ticker.refused, ticker.dials]).toEqual([1, 1])

  await kite.signIn(desk)
  await pass(15)
  expect([ticker.refused, ticker.dials, state().state]).toEqual([1, 2, 'live'])
  ticks.length = 0
  kite.fake.setPrice('NSE:INFY', 1512)
  await pass(1)
  expect(ticks.map(({ ltp }) => ltp)).toEqual([1512])
})
