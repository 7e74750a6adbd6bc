import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { VirtualClock } from '../../../../src/core/time/index.js'
import { startRig } from './rig.js'

let rig: Awaited<ReturnType<typeof startRig>>
beforeEach(async () => {
  rig = await startRig(new VirtualClock('2026-11-27T10:00:00+05:30'))
})
afterEach(() => rig.close())

const INFY = { symbol: 'INFY', exchange: 'NSE' }
const OPTION = { symbol: 'NIFTY29JAN3024000CE', exchange: 'NFO' }
const asked = (name: string) => rig.fake.requests.filter((line) => line.endsWith(name)).length

describe('quotes', () => {
  it('of instruments with the same token on two exchanges are told apart', async () => {
    const refs = [
      { symbol: 'SBIN', exchange: 'NSE' },
      { symbol: 'SENSEX31JAN3080000CE', exchange: 'BFO' },
    ]
    expect(await rig.client.market.quotes(refs)).toMatchObject([{ ltp: 800 }, { ltp: 900 }])
    expect(asked('/quote')).toBe(1)
  })

  it('have the time of the last trade, in India', async () => {
    expect(await rig.client.market.quotes([INFY])).toMatchObject([
      { timestamp: Date.parse('2026-11-27T10:00:00+05:30'), bid: 1499.95, ask: 1500.05, bidSize: 100 },
    ])
  })

  it('tell the price band, and an index has none', async () => {
    const index = { symbol: 'NIFTY', exchange: 'NSE_INDEX' }
    expect(rig.client.priceBand?.(INFY)).toBeUndefined()
    await rig.client.market.quotes([INFY, index])
    expect(rig.client.priceBand?.(INFY)).toEqual({ lower: 1350, upper: 1650 })
    expect(rig.client.priceBand?.(index)).toBeNull()
  })
})

describe('history', () => {
  it('of many days is asked for in spans that Angel takes', async () => {
    const bars = await rig.client.market.history({
      ...INFY,
      interval: '1m',
      from: '2026-08-31',
      to: '2026-10-29',
    })
    expect(asked('/getCandleData')).toBe(2)
    expect(asked('/getOIData')).toBe(0)
    expect(bars[0]?.timestamp).toBe(Date.parse('2026-08-31T09:15:00+05:30') / 1000)
    expect(bars.at(-1)?.timestamp).toBe(Date.parse('2026-10-29T15:29:00+05:30') / 1000)
  })

  it('of a contract has the open interest of each bar', async () => {
    const bars = await rig.client.market.history({
      ...OPTION,
      interval: 'D',
      from: '2026-11-23',
      to: '2026-11-24',
    })
    expect(bars.map(({ oi }) => oi)).toEqual([30, 31])
  })

  it('without bars is empty', async () => {
    const weekend = { from: '2026-11-28', to: '2026-11-29' }
    expect(await rig.client.market.history({ ...INFY, interval: '1h', ...weekend })).toEqual([])
  })
})

describe('the account', () => {
  it('has the amounts of the broker', async () => {
    expect(await rig.client.portfolio.funds()).toEqual({
      availableCash: '1000000.50',
      collateral: '50000.00',
      unrealized: '-12.50',
      realized: '3.00',
      utilized: '25000.25',
    })
  })

  it('has its shares in our spelling', async () => {
    expect(await rig.client.portfolio.holdings()).toEqual([
      {
        symbol: 'SBIN',
        exchange: 'NSE',
        product: 'CNC',
        quantity: 10,
        openingQuantity: 10,
        averagePrice: 700,
        ltp: 800,
        pnl: 1000,
      },
    ])
  })

  it('without orders, trades or positions has empty books, for which Angel sends null', async () => {
    const { orders, portfolio } = rig.client
    expect([await orders.list(), await orders.trades(), await portfolio.positions()]).toEqual([[], [], []])
  })
})
