import { expect, test } from 'vitest'
import { eventually } from '../../../support/eventually.js'
import { PAIR, RunRig } from './run-rig.js'

/** The rig starts on a Friday at 11:00. */
const SCHEDULE = {
  ...{ enabled: true, days: ['FRI'], start_time: '11:02', auto_stop_time: '11:30' },
  default_mode: 'sandbox',
}

/** Moves the clock on, second by second, until a condition holds. */
const until = (rig: RunRig, holds: () => Promise<boolean>, what: string) =>
  eventually(
    async () => {
      await rig.clock.advance(1_000)
      await rig.runs.settled()
      return holds()
    },
    30_000,
    what,
  )

test('a schedule starts a run on its day and stops it at its time', async () => {
  const rig = await RunRig.open('analyze')
  const id = await rig.create({ ...PAIR, scheduler: SCHEDULE })
  await rig.create({ ...PAIR, name: 'monday', scheduler: { ...SCHEDULE, days: ['MON'] } })
  await until(rig, async () => (await rig.run()) !== undefined, 'the run has started')
  expect(await rig.run()).toMatchObject({ strategy_id: id, trigger_source: 'scheduler' })
  await rig.clock.advance(Math.max(0, Date.parse('2026-11-20T11:29:55+05:30') - rig.clock.now()))
  await until(rig, async () => (await rig.run())?.stopped_at !== null, 'the run has stopped')
  expect(await rig.run()).toMatchObject({ strategy_id: id, stop_reason: 'scheduler' })
  expect(await rig.query('select count(*) as n from strategy_runs')).toEqual([{ n: 1 }])
})

test('a live start without the live gate is refused with an event', async () => {
  const rig = await RunRig.open('live')
  const id = await rig.create({ ...PAIR, scheduler: { ...SCHEDULE, default_mode: 'live' } })
  const refused = `select * from strategy_events where kind = 'live_disabled' and strategy_id = ${id}`
  await until(rig, async () => (await rig.query(refused)).length > 0, 'the start is refused')
  expect(await rig.run()).toBeUndefined()
  expect(
    await rig.query(
      `select severity, message from strategy_events where kind = 'live_disabled' and strategy_id = ${id}`,
    ),
  ).toEqual([
    {
      severity: 'warn',
      message: 'Scheduled live start refused: live trading is not enabled for this strategy',
    },
  ])
})
