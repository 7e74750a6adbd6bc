import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { orderOf, startRig } from './rig.js'

let rig: Awaited<ReturnType<typeof startRig>>
beforeEach(async () => {
  rig = await startRig()
})
afterEach(() => rig.close())

describe('positions', () => {
  test.each([
    ['of an account without quotes', () => (rig.fake.signIn.dataPlan = 'Deactive')],
    ['above the limit of quotes', () => rig.fake.script.set({ route: 'quote', actions: ['429'] })],
    ['in an outage of quotes', () => rig.fake.script.set({ route: 'quote', actions: ['5xx_before'] })],
  ])('%s are shown, with the price that their profit implies', async (_name, prepare) => {
    await rig.client.orders.place(orderOf({ quantity: 10 }), 'A1')
    rig.fake.setPrice('NSE_EQ:1594', 1507)
    prepare()
    expect(await rig.client.portfolio.positions()).toMatchObject([
      { symbol: 'INFY', quantity: 10, averagePrice: 1500, ltp: 1507, unrealized: 70, dayPnl: 70 },
    ])
  })

  test('of a contract whose count is not settled are shown with the reason', async () => {
    rig.fake.exchange.hold('MCX_COMM:430106', 'MARGIN', 2)
    const [row] = await rig.client.portfolio.positions()
    expect(row).toMatchObject({ symbol: 'GOLDM31JAN30FUT', exchange: 'MCX', quantity: 2, product: 'NRML' })
    expect(row?.unsettled).toContain('lots or units on MCX')
  })

  test('that have a multiplier where units are counted are shown with the reason, and not traded', async () => {
    const listed = rig.fake.exchange.price('NSE_FNO:53001')?.listed
    if (!listed) throw new Error('not listed')
    rig.fake.exchange.hold('NSE_FNO:53001', 'MARGIN', 75)
    listed.multiplier = 75
    const rows = await rig.client.portfolio.positions()
    listed.multiplier = 1
    expect(rows[0]?.unsettled).toContain('multiplier 75')
    const order = orderOf({ symbol: 'NIFTY29JAN3024000CE', exchange: 'NFO', quantity: 75, product: 'NRML' })
    const refused = { kind: 'unsupported', sent: 'never' }
    await expect(rig.client.orders.preparePlace?.(order)).rejects.toMatchObject(refused)
    await expect(rig.client.orders.place(order, 'A1')).rejects.toMatchObject(refused)
    await expect(rig.client.orders.modify('1', order)).rejects.toMatchObject(refused)
    expect(rig.fake.ledger.entries).toEqual([])
  })

  test('keep a product that nobody can open here', async () => {
    rig.fake.exchange.hold('NSE_EQ:3045', 'CO', 5)
    expect(await rig.client.portfolio.positions()).toMatchObject([{ symbol: 'SBIN', product: 'CO' }])
  })
})

describe('holdings', () => {
  test('at every exchange are those of the NSE', async () => {
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

  test('of an account without any are none, though Dhan answers with an error', async () => {
    rig.fake.world.held = 0
    expect(await rig.client.portfolio.holdings()).toEqual([])
  })
})

test('funds leave the pledged shares out of the cash', async () => {
  expect(await rig.client.portfolio.funds()).toMatchObject({
    availableCash: '1000000.50',
    collateral: '50000.00',
    utilized: '25000.25',
  })
})

describe('bars', () => {
  const history = (interval: string, from: string, to: string) =>
    rig.client.market.history({ symbol: 'INFY', exchange: 'NSE', interval, from, to })
  const calls = () => rig.fake.requests.filter((line) => line.includes('/charts/')).length

  test.each([
    ['1h', '2025-06-14', '2025-09-11', 1],
    ['1h', '2025-06-13', '2025-09-11', 2],
    ['D', '2021-01-01', '2025-09-11', 1],
  ])('of %s from %s to %s are %d calls', async (interval, from, to, count) => {
    const bars = await history(interval, from, to)
    expect(calls()).toBe(count)
    const times = bars.map(({ timestamp }) => timestamp)
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b))
  })

  test('end with the last day that was asked for', async () => {
    const bars = await history('D', '2025-09-08', '2025-09-10')
    expect(bars.map(({ timestamp }) => timestamp * 1000)).toEqual(
      ['2025-09-08', '2025-09-09', '2025-09-10'].map((day) => Date.parse(`${day}T00:00:00+05:30`)),
    )
  })

  test.each([
    ['INFY', 'NSE', 'EQUITY'],
    ['NIFTY', 'NSE_INDEX', 'INDEX'],
    ['NIFTY29JAN30FUT', 'NFO', 'FUTIDX'],
    ['NIFTY29JAN3024000CE', 'NFO', 'OPTIDX'],
    ['INFY29JAN301500PE', 'NFO', 'OPTSTK'],
    ['USDINR29JAN30FUT', 'CDS', 'FUTCUR'],
    ['GOLDM31JAN30FUT', 'MCX', 'FUTCOM'],
  ])('of %s name their kind', async (symbol, exchange) => {
    const query = { symbol, exchange, interval: 'D', from: '2025-09-08', to: '2025-09-09' }
    // The fake refuses another kind than its own.
    expect(await rig.client.market.history(query)).toHaveLength(2)
  })
})

test('quotes carry the band of the day and the time of the last trade', async () => {
  const ref = { symbol: 'INFY', exchange: 'NSE' }
  const [quote] = await rig.client.market.quotes([ref])
  expect(quote).toMatchObject({ ltp: 1500, timestamp: Math.floor(rig.clock.now() / 1000) * 1000 })
  expect(rig.client.priceBand?.(ref)).toEqual({ lower: 1350, upper: 1650 })
})
