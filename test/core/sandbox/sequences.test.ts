import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Rig } from './harness.js'

let rig: Rig
beforeEach(async () => {
  rig = await Rig.open()
})
afterEach(() => rig.close())

async function ledger() {
  const [funds, position, margin] = [await rig.funds(), await rig.position(), await rig.positionMargin()]
  return {
    quantity: position.quantity,
    average: position.average_price,
    margin,
    today: position.today_realized_pnl,
    available: funds.availablecash,
    used: funds.utiliseddebits,
  }
}

async function sequenceN1(): Promise<void> {
  await rig.trade('BUY', 100, 50)
  await rig.trade('BUY', 50, 56)
  await rig.trade('SELL', 60, 55)
  await rig.trade('SELL', 90, 49)
}

describe('position netting', () => {
  it('N1 averages, exits in parts and ends flat', async () => {
    await rig.trade('BUY', 100, 50)
    expect(await ledger()).toEqual({
      quantity: 100,
      average: 50,
      margin: 1_000,
      today: 0,
      available: 9_999_000,
      used: 1_000,
    })
    await rig.trade('BUY', 50, 56)
    expect(await ledger()).toEqual({
      quantity: 150,
      average: 52,
      margin: 1_560,
      today: 0,
      available: 9_998_440,
      used: 1_560,
    })
    await rig.trade('SELL', 60, 55)
    expect(await ledger()).toEqual({
      quantity: 90,
      average: 52,
      margin: 936,
      today: 180,
      available: 9_999_244,
      used: 936,
    })
    await rig.tick(53.5)
    expect(await rig.position()).toMatchObject({ ltp: 53.5, unrealized_pnl: 135, pnl: 315, pnlpercent: 6.73 })
    expect(await rig.funds()).toMatchObject({ m2munrealized: 135, totalpnl: 315, availablecash: 9_999_244 })
    await rig.trade('SELL', 90, 49)
    expect(await ledger()).toEqual({
      quantity: 0,
      average: 0,
      margin: 0,
      today: -90,
      available: 9_999_910,
      used: 0,
    })
    expect(await rig.position()).toMatchObject({ pnl: -90, pnlpercent: 0, unrealized_pnl: 0 })
  })

  it('N2 a reversal closes, opens the rest and blocks its whole margin', async () => {
    await rig.trade('BUY', 40, 200)
    expect(await ledger()).toMatchObject({ quantity: 40, margin: 1_600, available: 9_998_400, used: 1_600 })
    await rig.trade('SELL', 100, 210)
    expect(await ledger()).toEqual({
      quantity: -60,
      average: 210,
      margin: 2_520,
      today: 400,
      available: 9_997_880,
      used: 2_520,
    })
    await rig.tick(205)
    expect(await rig.position()).toMatchObject({ unrealized_pnl: 300 })
    await rig.trade('BUY', 60, 204)
    expect(await ledger()).toEqual({
      quantity: 0,
      average: 0,
      margin: 0,
      today: 760,
      available: 10_000_760,
      used: 0,
    })
  })

  it('N3 a short is covered in part', async () => {
    await rig.trade('SELL', 200, 450.5)
    expect(await ledger()).toMatchObject({ quantity: -200, margin: 18_020, available: 9_981_980 })
    await rig.trade('BUY', 80, 441)
    expect(await ledger()).toEqual({
      quantity: -120,
      average: 450.5,
      margin: 10_812,
      today: 760,
      available: 9_989_948,
      used: 10_812,
    })
  })

  it('N4 a future', async () => {
    const future = { symbol: 'NIFTY30MAR26FUT', exchange: 'NFO', product: 'NRML' } as const
    await rig.trade('BUY', 75, 24_500, future)
    expect(await rig.funds()).toMatchObject({ utiliseddebits: 183_750, availablecash: 9_816_250 })
    await rig.trade('SELL', 75, 24_620, future)
    expect(await rig.funds()).toMatchObject({
      utiliseddebits: 0,
      availablecash: 10_009_000,
      m2mrealized: 9_000,
    })
  })

  it('N5 a flat position reopens and keeps the profit realised today', async () => {
    await sequenceN1()
    await rig.trade('BUY', 10, 40)
    expect(await ledger()).toMatchObject({ quantity: 10, average: 40, margin: 80, today: -90 })
    await rig.tick(41)
    expect(await rig.position()).toMatchObject({ pnl: -80, unrealized_pnl: 10 })
  })

  it('books profit also when the position blocks no margin', async () => {
    await rig.hold('SBIN', 20, 90)
    await rig.trade('SELL', 10, 107.5, { product: 'CNC' })
    expect(await ledger()).toMatchObject({ quantity: -10, margin: 0, available: 10_000_000, used: 0 })
    await rig.trade('BUY', 10, 100, { product: 'CNC' })
    expect(await ledger()).toMatchObject({ quantity: 0, today: 75, available: 10_000_075, used: 0 })
  })

  it('keeps averages exact when their decimals do not end', async () => {
    await rig.trade('BUY', 1, 100)
    await rig.trade('BUY', 2, 100.05)
    await rig.trade('SELL', 1, 100)
    await rig.trade('SELL', 1, 100)
    await rig.trade('SELL', 1, 100)
    expect(await rig.funds()).toMatchObject({
      availablecash: 9_999_999.9,
      utiliseddebits: 0,
      total_realized_pnl: -0.1,
    })
  })

  it('multiplies profit by the contract value', async () => {
    const perpetual = { symbol: 'BTCUSDFUT', exchange: 'CRYPTO', product: 'NRML' } as const
    await rig.trade('BUY', 1.5, 60_000, perpetual)
    await rig.tick(61_000, perpetual)
    expect(await rig.position('BTCUSDFUT')).toMatchObject({
      quantity: 1.5,
      unrealized_pnl: 1.5,
      lot_size: 0.5,
    })
    await rig.trade('SELL', 1, 62_000, perpetual)
    expect(await rig.funds()).toMatchObject({
      total_realized_pnl: 2,
      utiliseddebits: 3_000,
      availablecash: 9_997_002,
    })
  })

  it('shows an order that waits or fills in a later session than its own, and in the next one no more', async () => {
    rig.market.roundTheClock = true
    rig.price(250)
    const done = await rig.accepted({ product: 'CNC', quantity: 1 })
    const [first, second] = [
      await rig.accepted({ product: 'CNC', priceType: 'LIMIT', price: 240 }),
      await rig.accepted({ product: 'CNC', priceType: 'SL', triggerPrice: 260, price: 261 }),
    ]
    const shown = async () =>
      (await rig.sandbox.books.orderbook('asha')).orders.map(({ order_status, orderid }) => [
        orderid,
        order_status,
      ])
    await rig.pass('2026-03-13T10:00:00+05:30')
    const today = await rig.accepted({ product: 'CNC', priceType: 'LIMIT', price: 230 })
    expect(await shown()).toEqual([
      [today, 'open'],
      [second, 'trigger pending'],
      [first, 'open'],
    ])
    await rig.tick(239)
    await rig.sandbox.cancel('asha', today)
    expect(await shown()).toEqual([
      [today, 'cancelled'],
      [second, 'trigger pending'],
      [first, 'complete'],
    ])
    await rig.pass('2026-03-14T10:00:00+05:30')
    expect(await shown()).toEqual([[second, 'trigger pending']])
    expect(await rig.status(done)).toBe('complete 250.00')
  })

  it("resets the figures of today at 03:00 and hides yesterday's flat rows", async () => {
    await sequenceN1()
    await rig.trade('BUY', 75, 40, { symbol: 'NIFTY30MAR26FUT', exchange: 'NFO', product: 'NRML' })
    await rig.clock.advanceTo('2026-03-13T02:59:00+05:30')
    expect(await rig.funds()).toMatchObject({ m2mrealized: -90 })
    await rig.clock.advanceTo('2026-03-13T09:30:00+05:30')
    expect(await rig.funds()).toMatchObject({
      m2mrealized: 0,
      today_realized_pnl: 0,
      total_realized_pnl: -90,
    })
    expect((await rig.sandbox.books.positions('asha')).positions.map(({ symbol }) => symbol)).toEqual([
      'NIFTY30MAR26FUT',
    ])
    expect((await rig.sandbox.books.orderbook('asha')).orders).toEqual([])
    expect(await rig.sandbox.books.tradebook('asha')).toEqual([])
  })
})
