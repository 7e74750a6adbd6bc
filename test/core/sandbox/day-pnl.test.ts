import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toRupees } from '../../../src/core/money/index.js'
import { quoteOf, Rig, USER } from './harness.js'

const FUTURE = { symbol: 'NIFTY30MAR26FUT', exchange: 'NFO' } as const
const CARRIED = { ...FUTURE, product: 'NRML' } as const
const NEXT_DAY = '2026-03-13T10:00:00+05:30'

let rig: Rig
beforeEach(async () => {
  rig = await Rig.open()
})
afterEach(() => rig.close())

const dayPnl = async () => {
  const pnl = await rig.sandbox.books.dayPnl(USER)
  return pnl === undefined ? undefined : toRupees(pnl)
}

/** Buys on Thursday at 24,000; the market closes at 23,900, and Friday begins. */
async function carryOverNight(): Promise<void> {
  await rig.trade('BUY', 75, 24_000, CARRIED)
  rig.price(23_900, FUTURE)
  expect(await dayPnl()).toBe(-7_500)
  await rig.pass(NEXT_DAY)
}

const friday = (ltp: number, prevClose = 23_900) => rig.market.set({ ...quoteOf(FUTURE, ltp), prevClose })

it('counts a carried position from the previous close, not from its own cost', async () => {
  await carryOverNight()
  friday(23_950)
  expect(await dayPnl()).toBe(3_750)
  expect(await rig.position(FUTURE.symbol)).toMatchObject({ unrealized_pnl: -3_750 })
})

it('counts the closed part of a carried position from the previous close, also after a restart', async () => {
  await carryOverNight()
  friday(23_960)
  await rig.accepted({ ...CARRIED, action: 'SELL', quantity: 75 })
  expect(await dayPnl()).toBe(4_500)
  friday(23_800)
  await rig.accepted({ ...CARRIED, action: 'SELL', quantity: 150 })
  friday(23_700)
  expect(await dayPnl()).toBe(4_500 + 15_000)
  await rig.reboot()
  expect(await dayPnl()).toBe(4_500 + 15_000)
})

it('starts at zero in each session', async () => {
  await carryOverNight()
  friday(23_960)
  await rig.accepted({ ...CARRIED, action: 'SELL', quantity: 75 })
  await rig.pass('2026-03-16T10:00:00+05:30')
  expect(await dayPnl()).toBe(0)
})

it('is unknown while the previous close of a carried position is unknown', async () => {
  await carryOverNight()
  friday(23_950, 0)
  expect(await dayPnl()).toBeUndefined()
  await rig.trade('BUY', 10, 250)
  friday(23_950)
  rig.price(249)
  expect(await dayPnl()).toBe(3_750 - 10)
})

describe('shares of the holdings that were sold', () => {
  const sharesAt = (ltp: number, prevClose = 1490) =>
    rig.market.set({ ...quoteOf({ symbol: 'INFY', exchange: 'NSE' }, ltp), prevClose })

  /** Buys on Thursday; on Friday they are holdings, and are sold at 1,500 after a close of 1,490. */
  async function sellHoldings(prevClose?: number): Promise<void> {
    const shares = { symbol: 'INFY', product: 'CNC', quantity: 100 } as const
    sharesAt(1480)
    await rig.accepted({ ...shares, action: 'BUY' })
    await rig.pass(NEXT_DAY)
    sharesAt(1500, prevClose)
    await rig.accepted({ ...shares, action: 'SELL' })
  }

  it('count from the previous close to the sale, whatever the price does later', async () => {
    await sellHoldings()
    for (const ltp of [1450, 1530]) {
      sharesAt(ltp)
      expect(await dayPnl()).toBe(1_000)
    }
  })

  it('make the profit of the day unknown while the previous close is unknown', async () => {
    await sellHoldings(0)
    sharesAt(1450, 0)
    expect(await dayPnl()).toBeUndefined()
  })
})
