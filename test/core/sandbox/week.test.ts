import { afterEach, describe, expect, it } from 'vitest'
import { Rig, USER } from './harness.js'
import { jobsDone, MONDAY, week } from './week.js'

const rigs: Rig[] = []
const open = async () => {
  const rig = await Rig.open(MONDAY)
  rigs.push(rig)
  return rig
}
const hostZone = process.env.TZ
afterEach(async () => {
  if (hostZone === undefined) delete process.env.TZ
  else process.env.TZ = hostZone
  for (const rig of rigs.splice(0)) await rig.close()
})

describe('a week under the virtual clock', () => {
  it('runs every scheduled job once', async () => {
    const rig = await open()
    await week(rig)

    const done = await jobsDone(rig)
    expect(new Set(done).size).toBe(done.length)
    const of = (job: string) =>
      done.filter((line) => line.endsWith(` ${job}`)).map((line) => line.slice(0, 11))
    // The first of each was due before the account existed. Thursday and Tuesday are holidays. Wednesday runs
    // late.
    expect(of('square_off.NSE')).toEqual([
      '03-20 15:15',
      '03-23 15:15',
      '03-24 15:15',
      '03-25 15:15',
      '03-27 15:15',
      '03-30 15:15',
    ])
    expect(of('square_off.MCX')).toContain('03-31 23:15')
    expect(of('close.NFO').at(-1)).toBe('03-30 15:40')
    expect(of('t1')).toEqual([
      '03-23 00:00',
      '03-24 00:00',
      '03-25 00:00',
      '03-27 00:00',
      '03-30 00:00',
      '04-01 00:00',
    ])
    // MCX has evening sessions on both holidays; of the two missed evenings only the last is written.
    expect(of('snapshot')).toEqual([
      '03-20 23:59',
      '03-23 23:59',
      '03-24 23:59',
      '03-26 23:59',
      '03-27 23:59',
      '03-30 23:59',
      '03-31 23:59',
    ])
    expect(of('reset')).toEqual(['03-27 10:00', '03-31 08:00'])

    const told = rig.events.filter(({ topic }) => topic.startsWith('sandbox.') && !topic.endsWith('filled'))
    expect(told).toEqual([squaredOff(1, 1), settled(1), settled(1), squaredOff(0, 1), squaredOff(0, 1)])
    const { daily_pnl: days } = await rig.sandbox.reports.overview(USER)
    expect(days.map(({ date, total_mtm, portfolio_value }) => [date, total_mtm, portfolio_value])).toEqual([
      ['2026-03-31', 0, 10_000_000],
      ['2026-03-30', 3_670, 9_970_655],
      ['2026-03-27', 1_580, 9_968_585],
      ['2026-03-26', 1_600, 9_968_605],
      ['2026-03-24', 2_400, 9_951_600],
      ['2026-03-23', 200, 10_000_200],
    ])
    expect(await rig.db.queryRaw('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }])
  })

  it('gives the same result in any time zone of the host', async () => {
    const dumps: unknown[] = []
    const offsets = new Set<number>()
    for (const zone of ['UTC', 'America/New_York', 'Asia/Kolkata']) {
      process.env.TZ = zone
      offsets.add(new Date(2026, 2, 25).getTimezoneOffset())
      const rig = await open()
      await week(rig)
      dumps.push(await rig.dump())
    }
    expect(offsets.size).toBe(3)
    expect(dumps[1]).toEqual(dumps[0])
    expect(dumps[2]).toEqual(dumps[0])
  })
})

function squaredOff(cancelled: number, closed: number) {
  return {
    topic: 'sandbox.auto_squareoff',
    userId: USER,
    data: { cancelled_orders: cancelled, closed_positions: closed },
  }
}

function settled(positions: number) {
  return {
    topic: 'sandbox.t1_settlement',
    userId: undefined,
    data: { settled_users: 1, settled_positions: positions },
  }
}
