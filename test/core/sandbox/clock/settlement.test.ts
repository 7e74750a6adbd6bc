import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Rig, USER } from '../harness.js'

const INFY = { symbol: 'INFY', exchange: 'NSE' } as const
const CALL = { symbol: 'NIFTY30MAR2624500CE', exchange: 'NFO' } as const
const FUTURE = { symbol: 'NIFTY30MAR26FUT', exchange: 'NFO' } as const

let rig: Rig
afterEach(() => rig.close())

const holdings = async () => (await rig.sandbox.books.holdings(USER)).holdings

describe('delivery', () => {
  beforeEach(async () => {
    rig = await Rig.open()
    rig.price(1620, INFY)
  })

  it('T1: bought shares become holdings, sold ones money', async () => {
    await rig.accepted({ ...INFY, quantity: 30, product: 'CNC' })
    expect(await rig.funds()).toMatchObject({ utiliseddebits: 48_600 })
    await rig.pass('2026-03-12T23:59:59+05:30')
    expect(await rig.funds()).toMatchObject({ utiliseddebits: 48_600, availablecash: 9_951_400 })
    await rig.pass('2026-03-13T00:00:00+05:30')
    expect(await rig.funds()).toMatchObject({ utiliseddebits: 0, availablecash: 9_951_400 })
    expect(await holdings()).toMatchObject([
      { symbol: 'INFY', quantity: 30, average_price: 1620, settlement_date: '2026-03-13' },
    ])
    await rig.pass('2026-03-13T10:00:00+05:30')
    expect((await rig.sandbox.books.positions(USER)).positions).toEqual([])
    await rig.trade('SELL', 10, 1700, { ...INFY, product: 'CNC' })
    expect(await rig.position('INFY')).toMatchObject({ quantity: -10 })
    expect(await rig.funds()).toMatchObject({ availablecash: 9_951_400 })
    // Over the weekend nothing settles.
    await rig.pass('2026-03-15T12:00:00+05:30')
    expect(await rig.funds()).toMatchObject({ availablecash: 9_951_400 })
    await rig.pass('2026-03-16T00:00:00+05:30')
    expect(await rig.funds()).toMatchObject({
      availablecash: 9_968_400,
      utiliseddebits: 0,
      total_realized_pnl: 800,
    })
    expect(await holdings()).toMatchObject([{ quantity: 20, average_price: 1620 }])
  })

  it('averages with the existing holding, and removes an empty one', async () => {
    await rig.hold('INFY', 10, 1500)
    await rig.accepted({ ...INFY, quantity: 30, product: 'CNC' })
    await rig.pass('2026-03-13T10:00:00+05:30')
    expect(await holdings()).toMatchObject([{ quantity: 40, average_price: 1590 }])
    await rig.accepted({ ...INFY, quantity: 40, product: 'CNC', action: 'SELL' })
    await rig.pass('2026-03-16T10:00:00+05:30')
    expect(await holdings()).toEqual([])
    expect(await rig.db.queryRaw('select * from sandbox_holdings')).toEqual([])
    expect(rig.market.watched).toEqual([])
  })

  it('pays the whole price, whatever margin was blocked', async () => {
    await rig.sandbox.changeSetting('equity_cnc_leverage', '4')
    await rig.accepted({ ...INFY, quantity: 30, product: 'CNC', priceType: 'LIMIT', price: 1640 })
    expect(await rig.funds()).toMatchObject({ utiliseddebits: 12_300 })
    await rig.pass('2026-03-13T10:00:00+05:30')
    expect(await rig.funds()).toMatchObject({ utiliseddebits: 0, availablecash: 9_951_400 })
  })

  it('leverage lends: the account owes the rest until it sells shares, and opens nothing more', async () => {
    await rig.sandbox.changeSetting('equity_cnc_leverage', '5')
    await rig.trade('BUY', 400_000, 100, { ...INFY, product: 'CNC' })
    expect(await rig.funds()).toMatchObject({ utiliseddebits: 8_000_000, availablecash: 2_000_000 })
    await rig.pass('2026-03-13T10:00:00+05:30')
    expect(await rig.funds()).toMatchObject({ utiliseddebits: 0, availablecash: -30_000_000 })
    expect(await holdings()).toMatchObject([{ quantity: 400_000, average_price: 100 }])
    expect(await rig.place({ ...INFY, quantity: 1, product: 'CNC' })).toMatchObject({
      ok: false,
      message: 'Insufficient funds. Required: ₹20.00, Available: ₹-30000000.00, Shortage: ₹30000020.00',
    })
    await rig.trade('SELL', 400_000, 100, { ...INFY, product: 'CNC' })
    await rig.pass('2026-03-16T10:00:00+05:30')
    expect(await rig.funds()).toMatchObject({ utiliseddebits: 0, availablecash: 10_000_000 })
    expect(await rig.place({ ...INFY, quantity: 1, product: 'CNC' })).toMatchObject({ ok: true })
  })

  it('nets purchases and sales of one day, and removes flat rows', async () => {
    await rig.accepted({ ...INFY, quantity: 30, product: 'CNC' })
    await rig.trade('SELL', 30, 1650, { ...INFY, product: 'CNC' })
    await rig.pass('2026-03-13T10:00:00+05:30')
    expect(await holdings()).toEqual([])
    expect(await rig.db.queryRaw('select * from sandbox_positions')).toEqual([])
    expect(await rig.funds()).toMatchObject({ availablecash: 10_000_900, total_realized_pnl: 900 })
    expect(rig.events.filter(({ topic }) => topic === 'sandbox.t1_settlement')).toEqual([])
  })

  it('settles every night in a market that never closes', async () => {
    rig.market.roundTheClock = true
    await rig.pass('2026-03-14T10:00:00+05:30')
    await rig.accepted({ ...INFY, quantity: 30, product: 'CNC' })
    await rig.pass('2026-03-15T00:00:00+05:30')
    expect(await holdings()).toMatchObject([{ quantity: 30 }])
  })
})

describe('the days of the history add up to all profit', () => {
  const days = async () => {
    const { daily_pnl, summary } = await rig.sandbox.reports.overview(USER)
    const sum = daily_pnl.reduce((all, { realized_pnl }) => all + realized_pnl, 0)
    expect(sum).toBe(summary.all_time_realized_pnl)
    return daily_pnl.map(({ date, realized_pnl }) => [date, realized_pnl])
  }
  const sale = async () => {
    rig = await Rig.open()
    await rig.hold('INFY', 10, 1500)
    await rig.trade('SELL', 10, 1700, { ...INFY, product: 'CNC' })
  }

  it('with that of a delivery sale, on the day of its settlement', async () => {
    await sale()
    await rig.pass('2026-03-14T02:00:00+05:30')
    expect(await days()).toEqual([
      ['2026-03-13', 2_000],
      ['2026-03-12', 0],
    ])
  })

  it('with that of a settlement that runs late', async () => {
    await sale()
    await rig.down('2026-03-13T11:00:00+05:30')
    expect(await rig.funds()).toMatchObject({ today_realized_pnl: 2_000 })
    await rig.pass('2026-03-14T02:00:00+05:30')
    expect(await days()).toEqual([
      ['2026-03-13', 2_000],
      ['2026-03-12', 0],
    ])
  })

  it('with that of trades between the settlement and the roll of the session', async () => {
    await sale()
    await rig.pass('2026-03-13T00:30:00+05:30')
    const coin = { symbol: 'BTCUSDFUT', exchange: 'CRYPTO', product: 'NRML' } as const
    await rig.trade('BUY', 1_000, 60_000, coin)
    await rig.trade('SELL', 1_000, 60_100, coin)
    await rig.pass('2026-03-14T02:00:00+05:30')
    expect(await days()).toEqual([
      ['2026-03-13', 2_100],
      ['2026-03-12', 0],
    ])
  })

  it('with that of contracts that settle on the day after their last', async () => {
    rig = await Rig.open('2026-03-30T10:00:00+05:30')
    await rig.sandbox.changeSetting('expiry_settlement_timing', 'next_day')
    await rig.trade('SELL', 75, 40, { ...CALL, product: 'NRML' })
    await rig.tick(12.4, CALL)
    await rig.pass('2026-04-01T10:00:00+05:30')
    expect(await days()).toContainEqual(['2026-03-30', 0])
    expect((await rig.sandbox.reports.overview(USER)).summary.all_time_realized_pnl).toBe(2_070)
  })
})

describe('expiry', () => {
  beforeEach(async () => {
    rig = await Rig.open('2026-03-30T10:00:00+05:30')
    rig.price(40, CALL)
    rig.price(24_500, FUTURE)
  })

  it.each([
    ['ltp', 2_070],
    ['zero', 3_000],
  ])('E1: a short option settles at %s with %i', async (setting, realized) => {
    await rig.sandbox.changeSetting('option_expiry_settlement', setting)
    await rig.accepted({ ...CALL, action: 'SELL', quantity: 75, product: 'NRML' })
    await rig.tick(12.4, CALL)
    await rig.pass('2026-03-30T15:39:59+05:30')
    expect(await rig.position(CALL.symbol)).toMatchObject({ quantity: -75 })
    await rig.pass('2026-03-30T15:40:00+05:30')
    expect(await rig.position(CALL.symbol)).toMatchObject({ quantity: 0, today_realized_pnl: realized })
    expect(await rig.funds()).toMatchObject({
      availablecash: 10_000_000 + realized,
      utiliseddebits: 0,
      total_realized_pnl: realized,
    })
    const [trade] = await rig.sandbox.books.tradebook(USER)
    expect(trade).toMatchObject({ action: 'BUY', quantity: 75, strategy: 'EXPIRY_SETTLEMENT' })
  })

  it('waits for the following day when configured', async () => {
    await rig.sandbox.changeSetting('expiry_settlement_timing', 'next_day')
    await rig.accepted({ ...CALL, action: 'SELL', quantity: 75, product: 'NRML' })
    await rig.pass('2026-03-30T23:59:59+05:30')
    expect(await rig.position(CALL.symbol)).toMatchObject({ quantity: -75 })
    await rig.pass('2026-03-31T00:00:00+05:30')
    expect(await rig.position(CALL.symbol)).toMatchObject({ quantity: 0 })
  })

  it('settles a future at its last price, also with options set to zero', async () => {
    await rig.sandbox.changeSetting('option_expiry_settlement', 'zero')
    await rig.accepted({ ...FUTURE, quantity: 75, product: 'NRML' })
    await rig.tick(24_620, FUTURE)
    await rig.pass('2026-03-30T15:40:00+05:30')
    expect(await rig.funds()).toMatchObject({ total_realized_pnl: 9_000, availablecash: 10_009_000 })
  })

  it('settles at the cost when no price is known', async () => {
    await rig.accepted({ ...FUTURE, quantity: 75, product: 'NRML' })
    rig.market.forget(FUTURE)
    await rig.pass('2026-03-30T15:40:00+05:30')
    expect(await rig.position(FUTURE.symbol)).toMatchObject({ quantity: 0, today_realized_pnl: 0 })
  })

  it('ends the orders and GTTs on the contract, and no others', async () => {
    const order = { quantity: 75, product: 'NRML', priceType: 'LIMIT', price: 10 } as const
    await rig.pass('2026-03-29T10:00:00+05:30')
    const waiting = await rig.accepted({ ...CALL, ...order })
    const legs = [{ kind: 'stop', triggerPrice: 20, price: 19 }] as const
    const gtt = { strategy: 's', type: 'SINGLE', ...CALL, action: 'BUY', quantity: 75, legs } as const
    await rig.sandbox.gtt.place(USER, { ...gtt, product: 'NRML', priceType: 'LIMIT', expiresAt: undefined })
    await rig.pass('2026-03-30T15:40:00+05:30')
    expect(await rig.status(waiting)).toBe('cancelled')
    expect(await rig.sandbox.gtt.list(USER)).toEqual([])
    expect(await rig.funds()).toMatchObject({ utiliseddebits: 0 })
    expect(rig.events.map(({ topic }) => topic)).toContain('gtt.expired')
  })
})
