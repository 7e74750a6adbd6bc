import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { orderOf, Rig, USER } from './harness.js'

const INFY = { symbol: 'INFY', exchange: 'NSE' } as const
const CALL = { symbol: 'NIFTY30MAR2624500CE', exchange: 'NFO' } as const

let rig: Rig
beforeEach(async () => {
  rig = await Rig.open()
  rig.price(250)
  rig.price(1620, INFY)
  rig.price(40, CALL)
})
afterEach(() => rig.close())

const marks = async (job: string) =>
  (await rig.db.queryRaw('select slot from sandbox_jobs where job = ? order by due_at', [job])).map(
    ({ slot }) => slot,
  )

describe('after downtime', () => {
  it('a square-off missed earlier today counts for today, at the current price', async () => {
    await rig.accepted({ quantity: 10 })
    await rig.down('2026-03-12T17:00:00+05:30')
    rig.price(999)
    expect(await rig.position()).toMatchObject({ quantity: 0, today_realized_pnl: 0 })
    const [trade] = await rig.sandbox.books.tradebook(USER)
    expect(trade).toMatchObject({ timestamp: '2026-03-12 17:00:00', price: 250 })
  })

  it('a square-off missed on an earlier day does not change the figures of today', async () => {
    await rig.accepted({ quantity: 10 })
    rig.price(260)
    await rig.down('2026-03-13T10:00:00+05:30')
    expect(await rig.funds()).toMatchObject({
      total_realized_pnl: 100,
      m2mrealized: 0,
      utiliseddebits: 0,
      availablecash: 10_000_100,
    })
    expect((await rig.sandbox.books.positions(USER)).positions).toEqual([])
    expect(await rig.sandbox.books.tradebook(USER)).toEqual([])
    const [row] = await rig.db.queryRaw(
      "select traded_at from sandbox_trades where strategy = 'AUTO_SQUARE_OFF'",
    )
    expect(row).toEqual({ traded_at: Date.parse('2026-03-12T15:15:00+05:30') })
  })

  it('without a market it uses the last known price, otherwise the cost', async () => {
    await rig.trade('BUY', 10, 250)
    await rig.pass('2026-03-12T11:00:00+05:30')
    rig.market.forget({ symbol: 'SBIN', exchange: 'NSE' })
    await rig.down('2026-03-13T08:00:00+05:30')
    expect(await rig.funds()).toMatchObject({ total_realized_pnl: 0, utiliseddebits: 0 })
  })

  it('after several days, all missed jobs run in order, before any price is read', async () => {
    await rig.accepted({ quantity: 10 })
    await rig.accepted({ ...INFY, quantity: 30, product: 'CNC' })
    await rig.accepted({ ...CALL, action: 'SELL', quantity: 75, product: 'NRML' })
    const stale = await rig.accepted({ product: 'CNC', priceType: 'LIMIT', price: 200 })
    await rig.sandbox.changeSetting('mtm_update_interval', '7')
    rig.price(190)
    rig.price(12.4, CALL)
    await rig.down('2026-04-02T10:00:00+05:30')
    // The order lapsed on its own day: the price it waited for came too late.
    expect(await rig.status(stale)).toBe('cancelled')
    expect((await rig.sandbox.books.holdings(USER)).holdings).toMatchObject([{ quantity: 30 }])
    expect((await rig.sandbox.books.positions(USER)).positions).toEqual([])
    expect(await rig.funds()).toMatchObject({
      total_realized_pnl: 2_070 - 600,
      utiliseddebits: 0,
      m2mrealized: 0,
    })
    expect(await marks('square_off.NSE')).toEqual(['2026-03-11', '2026-04-01'])
    expect(await marks('t1')).toEqual(['2026-03-12', '2026-04-02'])
    const { daily_pnl: days } = await rig.sandbox.reports.overview(USER)
    expect(days.map(({ date }) => date)).toEqual(['2026-04-01'])
  })

  it('a missed weekly reset runs once', async () => {
    await rig.sandbox.changeSetting('reset_day', 'Sunday')
    await rig.accepted({ ...INFY, quantity: 30, product: 'CNC' })
    await rig.down('2026-04-02T10:00:00+05:30')
    expect(await rig.funds()).toMatchObject({ reset_count: 1, availablecash: 10_000_000 })
    await rig.reboot()
    expect(await rig.funds()).toMatchObject({ reset_count: 1 })
  })

  it('Live mode counts as downtime', async () => {
    await rig.accepted({ quantity: 10 })
    await rig.sandbox.stop()
    await rig.pass('2026-03-12T18:00:00+05:30')
    expect(rig.clock.pending).toBe(0)
    expect((await rig.position()).quantity).toBe(10)
    await rig.sandbox.start()
    expect((await rig.position()).quantity).toBe(0)
  })
})

describe('the weekly reset', () => {
  it('resets every account at its time, and keeps earlier orders and trades in the books', async () => {
    await rig.sandbox.changeSetting('reset_day', 'Thursday')
    await rig.sandbox.changeSetting('reset_time', '12:00')
    const done = await rig.accepted({ quantity: 10 })
    const waiting = await rig.accepted({ priceType: 'LIMIT', price: 200 })
    await rig.sandbox.place('ravi', orderOf({}))
    await rig.pass('2026-03-12T12:00:00+05:30')
    for (const user of [USER, 'ravi']) {
      expect(await rig.sandbox.books.funds(user)).toMatchObject({
        availablecash: 10_000_000,
        utiliseddebits: 0,
        reset_count: 1,
        last_reset: '2026-03-12 12:00:00',
      })
      expect((await rig.sandbox.books.positions(user)).positions).toEqual([])
    }
    expect(await rig.status(waiting)).toBe('cancelled')
    expect(await rig.status(done)).toBe('complete 250.00')
    expect(rig.market.watched).toEqual([])
    await rig.reboot()
    expect(await rig.funds()).toMatchObject({ availablecash: 10_000_000, reset_count: 1 })
  })

  it('does not run for a moment that had passed when it was set', async () => {
    await rig.accepted({ quantity: 10 })
    for (const day of ['Wednesday', 'Thursday']) await rig.sandbox.changeSetting('reset_day', day)
    await rig.pass('2026-03-12T15:00:00+05:30')
    expect(await rig.funds()).toMatchObject({ reset_count: 0 })
    await rig.reboot()
    expect(await rig.funds()).toMatchObject({ reset_count: 0 })
  })
})

describe('a failing disk', () => {
  it('does not lose a job: it retries until the job is on disk, once', async () => {
    await rig.accepted({ quantity: 10 })
    await rig.db.write((tx) => tx.exec('alter table sandbox_jobs rename to lost'))
    // A caller that reads the books during the failed write gets the error.
    await rig.pass('2026-03-12T15:16:30+05:30').catch(() => undefined)
    expect(rig.logged).toContain('sandbox.flush_failed')
    expect((await rig.db.queryRaw('select * from sandbox_trades')).length).toBe(1)
    await rig.db.write((tx) => tx.exec('alter table lost rename to sandbox_jobs'))
    await rig.pass('2026-03-12T15:20:00+05:30')
    // The account is first read back from the disk, which takes time: stop() waits for work in progress.
    await rig.sandbox.stop()
    expect((await rig.position()).quantity).toBe(0)
    expect(await marks('square_off.NSE')).toEqual(['2026-03-11', '2026-03-12'])
    expect((await rig.db.queryRaw('select * from sandbox_trades')).length).toBe(2)
    expect(rig.events.filter(({ topic }) => topic === 'sandbox.auto_squareoff')).toHaveLength(1)
  })
})

describe.each([
  ['on', async () => undefined],
  ['on after a restart', () => rig.reboot()],
])('after the clock has run ahead by a day, the service goes %s', (_, goOn) => {
  beforeEach(async () => {
    rig.clock.step(24 * 3_600_000)
    await rig.clock.advance(120_000)
    await rig.funds()
    rig.clock.step(-24 * 3_600_000)
    await goOn()
    await rig.clock.advance(120_000)
  })

  it('and squares off what is opened on this day', async () => {
    await rig.trade('BUY', 10, 250)
    await rig.pass('2026-03-12T15:15:00+05:30')
    expect(await rig.position()).toMatchObject({ quantity: 0 })
    expect(await marks('square_off.NSE')).toEqual(['2026-03-11', '2026-03-12'])
  })

  it('and settles what is bought on this day', async () => {
    await rig.trade('BUY', 10, 1620, { ...INFY, product: 'CNC' })
    await rig.pass('2026-03-12T23:59:00+05:30')
    expect(await marks('t1')).toEqual(['2026-03-12'])
    await rig.pass('2026-03-13T00:00:00+05:30')
    expect((await rig.sandbox.books.holdings(USER)).holdings).toMatchObject([{ quantity: 10 }])
  })
})

it('a clock that was far behind for a while resets no account a second time', async () => {
  await rig.trade('BUY', 10, 1620, { ...INFY, product: 'CNC' })
  rig.clock.step(-9_000 * 24 * 3_600_000)
  await rig.reboot()
  await rig.clock.advance(60_000)
  rig.clock.step(9_000 * 24 * 3_600_000)
  await rig.clock.advance(60_000)
  expect(await rig.funds()).toMatchObject({ reset_count: 0 })
  expect((await rig.sandbox.books.positions(USER)).positions).toMatchObject([
    { symbol: 'INFY', quantity: 10 },
  ])
})
