import { expect } from 'vitest'
import { type Rig, USER } from './harness.js'

export const SBIN = { symbol: 'SBIN', exchange: 'NSE' } as const
export const INFY = { symbol: 'INFY', exchange: 'NSE' } as const
export const CALL = { symbol: 'NIFTY30MAR2624500CE', exchange: 'NFO' } as const

/**
 * Monday 23 March 2026 to Wednesday 1 April: a holiday on Thursday, a weekend, an expiry, another holiday.
 */
export const MONDAY = '2026-03-23T09:00:00+05:30'

const march = (day: number, time: string) => `2026-03-${day}T${time}+05:30`

/** Returns the jobs that ran, as `03-23 15:15 square_off.NSE`, without the hourly sweep. */
export async function jobsDone(rig: Rig): Promise<string[]> {
  const rows = await rig.db.queryRaw('select job, slot, due_at from sandbox_jobs order by due_at, rowid')
  return rows
    .filter(({ job }) => job !== 'gtt_sweep')
    .map(({ job, due_at }) => {
      const ist = new Date(Number(due_at) + 5.5 * 3_600_000).toISOString()
      return `${ist.slice(5, 10)} ${ist.slice(11, 16)} ${job}`
    })
}

/** A whole week of one account, with the daemon down from Wednesday afternoon until Friday morning. */
export async function week(rig: Rig): Promise<void> {
  rig.price(50)
  rig.price(1620, INFY)
  rig.price(40, CALL)

  // Monday: an intraday trade, a delivery trade, and two orders that no price reaches.
  await rig.pass(march(23, '09:30:00'))
  await rig.accepted({ quantity: 100 })
  await rig.accepted({ ...INFY, quantity: 30, product: 'CNC' })
  const intraday = await rig.accepted({ quantity: 5, priceType: 'LIMIT', price: 10 })
  const delivery = await rig.accepted({ quantity: 5, product: 'CNC', priceType: 'LIMIT', price: 10 })
  await rig.tick(52)
  await rig.pass(march(23, '15:14:59'))
  expect((await rig.position()).quantity).toBe(100)
  await rig.pass(march(23, '15:16:00'))
  expect((await rig.position()).quantity).toBe(0)
  expect(await rig.status(intraday)).toBe('cancelled')
  expect(await rig.status(delivery)).toBe('open')
  await rig.pass(march(23, '15:31:00'))
  expect(await rig.status(delivery)).toBe('cancelled')
  expect(await rig.funds()).toMatchObject({
    utiliseddebits: 48_600,
    availablecash: 9_951_600,
    m2mrealized: 200,
  })

  // Tuesday: the shares have arrived; ten of them are sold.
  await rig.pass(march(24, '09:30:00'))
  expect(await rig.funds()).toMatchObject({ utiliseddebits: 0, availablecash: 9_951_600 })
  expect((await rig.sandbox.books.holdings(USER)).holdings).toMatchObject([
    { quantity: 30, average_price: 1620 },
  ])
  await rig.trade('SELL', 10, 1700, { ...INFY, product: 'CNC' })
  expect(await rig.position('INFY')).toMatchObject({ quantity: -10 })

  // Wednesday: the money for the shares arrives. Then the daemon is down over the square-off and the holiday.
  await rig.pass(march(25, '10:00:00'))
  expect((await rig.sandbox.books.holdings(USER)).holdings).toMatchObject([
    { quantity: 20, average_price: 1620 },
  ])
  expect(await rig.funds()).toMatchObject({ availablecash: 9_968_600, total_realized_pnl: 1_000 })
  await rig.trade('SELL', 75, 40, { ...CALL, product: 'NRML' })
  await rig.trade('BUY', 10, 52)
  await rig.tick(52.5)
  await rig.down(march(27, '10:00:00'))

  // Friday: Wednesday's position is closed, and its profit does not count for today.
  await expect(rig.position()).rejects.toThrow('no position in SBIN')
  expect(await rig.funds()).toMatchObject({ total_realized_pnl: 1_005, m2mrealized: 0 })
  await rig.sandbox.changeSetting('reset_day', 'Tuesday')
  await rig.sandbox.changeSetting('reset_time', '08:00')
  await rig.trade('SELL', 20, 53)
  await rig.tick(54)
  await rig.pass(march(27, '15:16:00'))
  expect(await rig.funds()).toMatchObject({ total_realized_pnl: 985, m2mrealized: -20 })

  // Monday: the option expires.
  await rig.pass(march(30, '10:00:00'))
  await rig.tick(12.4, CALL)
  await rig.pass(march(30, '15:39:59'))
  expect(await rig.position(CALL.symbol)).toMatchObject({ quantity: -75 })
  await rig.pass(march(30, '15:41:00'))
  expect(await rig.position(CALL.symbol)).toMatchObject({ quantity: 0, today_realized_pnl: 2_070 })
  expect(await rig.funds()).toMatchObject({ total_realized_pnl: 985 + 2_070, utiliseddebits: 0 })

  // Tuesday is a holiday; the weekly reset runs anyway.
  await rig.pass('2026-04-01T10:00:00+05:30')
  expect(await rig.funds()).toMatchObject({
    availablecash: 10_000_000,
    total_realized_pnl: 0,
    reset_count: 1,
    last_reset: '2026-03-31 08:00:00',
  })
  expect((await rig.sandbox.books.holdings(USER)).holdings).toEqual([])
}
