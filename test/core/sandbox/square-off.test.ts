import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TradingHours } from '../../../src/core/sandbox/clock/trading-hours.js'
import { SandboxSettings } from '../../../src/core/sandbox/settings.js'
import { istInstant } from '../../../src/core/time/index.js'
import { almanac, Rig, USER } from './harness.js'

const SBIN = { symbol: 'SBIN', exchange: 'NSE' } as const

let rig: Rig
beforeEach(async () => {
  rig = await Rig.open()
  rig.price(250)
})
afterEach(() => rig.close())

const told = (topic: string) => rig.events.filter((event) => event.topic === topic).map(({ data }) => data)
const quantityOf = async (symbol: string) => (await rig.position(symbol)).quantity

describe('square-off', () => {
  it.each([
    ['NSE', 'SBIN', 10, '15:15'],
    ['BSE', 'TCS', 10, '15:15'],
    ['NFO', 'NIFTY30MAR26FUT', 75, '15:15'],
    ['CDS', 'USDINR30MAR26FUT', 10, '16:45'],
    ['MCX', 'CRUDEOIL19MAR26FUT', 10, '23:15'],
  ] as const)('of %s comes at its time, by an order of its own', async (exchange, symbol, quantity, time) => {
    rig.price('80/79.5/80.5', { symbol, exchange })
    await rig.accepted({ exchange, symbol, quantity })
    await rig.accepted({ exchange, symbol, quantity, priceType: 'LIMIT', price: 20 })
    const due = istInstant('2026-03-12', time)
    await rig.clock.advanceTo(due - 1)
    expect(await quantityOf(symbol)).toBe(quantity)
    await rig.clock.advanceTo(due)
    expect(await rig.position(symbol)).toMatchObject({ quantity: 0, today_realized_pnl: -quantity })
    const { orders } = await rig.sandbox.books.orderbook(USER)
    expect(orders.map(({ order_status, strategy }) => [order_status, strategy])).toEqual([
      ['complete', 'AUTO_SQUARE_OFF'],
      ['cancelled', 'test'],
      ['complete', 'test'],
    ])
    expect(told('sandbox.auto_squareoff')).toEqual([{ cancelled_orders: 1, closed_positions: 1 }])
    expect((await rig.funds()).utiliseddebits).toBe(0)
  })

  it('of a position above the freeze quantity comes in several orders', async () => {
    const contract = { symbol: 'NIFTY30MAR26FUT', exchange: 'NFO' } as const
    rig.price(80, contract)
    await rig.accepted({ ...contract, quantity: 375 })
    rig.freezeQuantity = 160
    await rig.clock.advanceTo(istInstant('2026-03-12', '15:15'))
    expect(await rig.position(contract.symbol)).toMatchObject({ quantity: 0 })
    const { orders } = await rig.sandbox.books.orderbook(USER)
    expect(orders.map(({ action, quantity }) => `${action} ${quantity}`)).toEqual([
      ...['SELL 75', 'SELL 150', 'SELL 150'],
      'BUY 375',
    ])
    expect((await rig.funds()).utiliseddebits).toBe(0)
  })

  it('of a position that would need thousands of orders comes in one', async () => {
    const contract = { symbol: 'NIFTY30MAR26FUT', exchange: 'NFO' } as const
    rig.price(80, contract)
    await rig.accepted({ ...contract, quantity: 501 * 75 })
    rig.freezeQuantity = 1
    await rig.clock.advanceTo(istInstant('2026-03-12', '15:15'))
    const { orders } = await rig.sandbox.books.orderbook(USER)
    expect(orders.map(({ action, quantity }) => `${action} ${quantity}`)).toEqual(['SELL 37575', 'BUY 37575'])
  })

  it('does not touch other products and other exchanges', async () => {
    rig.price(80, { symbol: 'NIFTY30MAR26FUT', exchange: 'NFO' })
    rig.price(80, { symbol: 'CRUDEOIL19MAR26FUT', exchange: 'MCX' })
    await rig.accepted({ product: 'CNC' })
    await rig.accepted({ symbol: 'NIFTY30MAR26FUT', exchange: 'NFO', product: 'NRML', quantity: 75 })
    await rig.accepted({ symbol: 'CRUDEOIL19MAR26FUT', exchange: 'MCX' })
    await rig.pass('2026-03-12T16:00:00+05:30')
    expect(await Promise.all(['SBIN', 'NIFTY30MAR26FUT', 'CRUDEOIL19MAR26FUT'].map(quantityOf))).toEqual([
      10, 75, 10,
    ])
    expect(told('sandbox.auto_squareoff')).toEqual([])
  })

  it('follows a time that is changed, and does not come twice', async () => {
    await rig.accepted({})
    await rig.sandbox.changeSetting('nse_bse_square_off_time', '14:00')
    await rig.pass('2026-03-12T14:00:00+05:30')
    expect(await quantityOf('SBIN')).toBe(0)
    await rig.sandbox.changeSetting('nse_bse_square_off_time', '15:00')
    await rig.accepted({ quantity: 4 })
    await rig.pass('2026-03-12T14:59:59+05:30')
    expect(await quantityOf('SBIN')).toBe(4)
    await rig.pass('2026-03-12T15:30:00+05:30')
    expect(await quantityOf('SBIN')).toBe(0)
    expect(told('sandbox.auto_squareoff')).toHaveLength(2)
  })

  it('runs at once when its time is set to one that has passed', async () => {
    await rig.accepted({})
    await rig.sandbox.changeSetting('nse_bse_square_off_time', '09:30')
    await rig.clock.advance(1)
    expect(await quantityOf('SBIN')).toBe(0)
  })

  it('comes again when its time is set later, and back after a position has opened', async () => {
    await rig.pass('2026-03-12T15:16:00+05:30')
    await rig.sandbox.changeSetting('nse_bse_square_off_time', '15:25')
    await rig.accepted({})
    await rig.sandbox.changeSetting('nse_bse_square_off_time', '15:15')
    await rig.pass('2026-03-12T15:31:00+05:30')
    expect(await quantityOf('SBIN')).toBe(0)
  })

  it('retries every minute for a price, and at the close uses the last known one', async () => {
    await rig.accepted({})
    rig.market.forget(SBIN)
    await rig.pass('2026-03-12T15:20:30+05:30')
    expect(await quantityOf('SBIN')).toBe(10)
    rig.price(260)
    await rig.pass('2026-03-12T15:21:00+05:30')
    expect(await rig.position()).toMatchObject({ quantity: 0, today_realized_pnl: 100 })
    expect(rig.logged).toEqual([])

    await rig.pass('2026-03-13T10:00:00+05:30')
    await rig.accepted({})
    rig.market.forget(SBIN)
    await rig.pass('2026-03-13T15:29:59+05:30')
    expect(await quantityOf('SBIN')).toBe(10)
    await rig.pass('2026-03-13T15:31:00+05:30')
    expect(await rig.position()).toMatchObject({ quantity: 0, today_realized_pnl: 0 })
  })

  it('ignores a quote that contradicts itself', async () => {
    await rig.accepted({})
    rig.price(900, SBIN, { low: 240, high: 260 })
    await rig.pass('2026-03-12T15:16:00+05:30')
    expect(await quantityOf('SBIN')).toBe(10)
    rig.price(255, SBIN, { low: 240, high: 260 })
    await rig.pass('2026-03-12T15:17:30+05:30')
    expect(await rig.position()).toMatchObject({ quantity: 0, today_realized_pnl: 50 })
  })

  it('is off in a market that never closes, and so is the close', async () => {
    rig.market.roundTheClock = true
    await rig.accepted({})
    const waiting = await rig.accepted({ priceType: 'LIMIT', price: 200 })
    await rig.pass('2026-03-15T10:00:00+05:30')
    expect(await quantityOf('SBIN')).toBe(10)
    expect(await rig.status(waiting)).toBe('open')
    const { jobs } = await rig.sandbox.schedule()
    const timed = jobs.filter(({ name }) => /^(square_off|close)/.test(name))
    expect(timed.every(({ nextAt }) => nextAt === undefined)).toBe(true)
  })

  it('runs a quarter of an hour before the end of a special session that does not contain its time', async () => {
    await rig.close()
    rig = await Rig.open('2026-11-08T17:50:00+05:30')
    rig.price(250)
    rig.price(80, { symbol: 'CRUDEOIL19MAR26FUT', exchange: 'MCX' })
    await rig.accepted({})
    await rig.accepted({ symbol: 'CRUDEOIL19MAR26FUT', exchange: 'MCX' })
    await rig.pass('2026-11-08T18:59:59+05:30')
    expect(await quantityOf('SBIN')).toBe(10)
    await rig.pass('2026-11-08T19:00:00+05:30')
    expect(await quantityOf('SBIN')).toBe(0)
    await rig.pass('2026-11-08T23:30:00+05:30')
    expect(await quantityOf('CRUDEOIL19MAR26FUT')).toBe(0)
  })

  it.each([
    ['a day without an evening session', '2026-01-01', '16:45', '17:00'],
    ['New York’s winter', '2026-03-06', '23:30', '23:55'],
    ['New York’s summer', '2026-03-09', '23:15', '23:30'],
    ['the end of New York’s summer', '2026-10-30', '23:15', '23:30'],
    ['New York’s winter again', '2026-11-02', '23:30', '23:55'],
  ])('of commodities comes before the close on %s', async (_when, date, squareOff, close) => {
    const settings = new SandboxSettings(new Map())
    const hours = new TradingHours(almanac(), settings, false)
    expect(hours.squareOff('MCX', date)).toBe(istInstant(date, squareOff))
    expect(hours.close('MCX', date)).toBe(istInstant(date, close))
    expect(hours.expiry('MCX', date)).toBe(istInstant(date, close))
    expect(hours.expiry('NCO', date)).toBe(istInstant(date, close))
  })

  it('skips holidays and weekends', async () => {
    await rig.pass('2026-03-16T10:00:00+05:30')
    const rows = await rig.db.queryRaw(
      "select slot from sandbox_jobs where job = 'square_off.NSE' order by slot",
    )
    expect(rows.map(({ slot }) => slot)).toEqual(['2026-03-11', '2026-03-12', '2026-03-13'])
  })

  it('learns of a holiday that is entered while it runs', async () => {
    const closed = { exchange: 'NSE', isOpen: false, start: undefined, end: undefined }
    await rig.accepted({})
    rig.calendar = almanac({
      date: '2026-03-12',
      description: 'Elections',
      type: 'TRADING_HOLIDAY',
      exchanges: [closed],
    })
    rig.sandbox.reschedule()
    await rig.pass('2026-03-12T16:00:00+05:30')
    expect(await quantityOf('SBIN')).toBe(10)
  })
})

describe('the close', () => {
  it('ends every order of the day, stops included, on its exchange', async () => {
    const orders = await Promise.all([
      rig.accepted({ product: 'CNC', priceType: 'LIMIT', price: 200 }),
      rig.accepted({ product: 'CNC', priceType: 'SL', price: 290, triggerPrice: 280 }),
    ])
    rig.price(80, { symbol: 'NIFTY30MAR26FUT', exchange: 'NFO' })
    const future = await rig.accepted({
      symbol: 'NIFTY30MAR26FUT',
      exchange: 'NFO',
      product: 'NRML',
      quantity: 75,
      priceType: 'LIMIT',
      price: 50,
    })
    await rig.pass('2026-03-12T15:29:59+05:30')
    expect(await rig.status(orders[0])).toBe('open')
    await rig.pass('2026-03-12T15:30:00+05:30')
    expect(await Promise.all(orders.map((id) => rig.status(id)))).toEqual(['cancelled', 'cancelled'])
    expect(await rig.status(future)).toBe('open')
    await rig.pass('2026-03-12T15:40:00+05:30')
    expect(await rig.status(future)).toBe('cancelled')
    expect(await rig.funds()).toMatchObject({ utiliseddebits: 0, availablecash: 10_000_000 })
  })

  it('does not touch an order that was placed after it', async () => {
    await rig.pass('2026-03-12T18:00:00+05:30')
    const order = await rig.accepted({ product: 'CNC', priceType: 'LIMIT', price: 200 })
    await rig.pass('2026-03-13T09:20:00+05:30')
    expect(await rig.status(order)).toBe('open')
    await rig.pass('2026-03-13T15:30:00+05:30')
    expect(await rig.status(order)).toBe('cancelled')
  })
})
