import { expect, test } from 'vitest'
import { PAIR, RunRig } from './run-rig.js'

/** The rig starts on a Friday at 11:00. */
const SCHEDULE = {
  ...{ enabled: true, days: ['FRI'], start_time: '11:02', auto_stop_time: '11:05' },
  default_mode: 'sandbox',
}

const minutes = async (rig: RunRig, count: number) => {
  for (let second = 0; second < count * 60; second += 5) {
    await rig.clock.advance(5_000)
    await rig.runs.settled()
  }
}

test('a schedule starts a run on its day and stops it at its time', async () => {
  const rig = await RunRig.open('analyze')
  const id = await rig.create({ ...PAIR, scheduler: SCHEDULE })
  await rig.create({ ...PAIR, name: 'monday', scheduler: { ...SCHEDULE, days: ['MON'] } })
  await minutes(rig, 1)
  expect(await rig.run()).toBeUndefined()
  await minutes(rig, 2)
  expect(await rig.run()).toMatchObject({ strategy_id: id, trigger_source: 'scheduler', stopped_at: null })
  await minutes(rig, 3)
  expect(await rig.run()).toMatchObject({ strategy_id: id, stop_reason: 'scheduler' })
  expect(await rig.query('select count(*) as n from strategy_runs')).toEqual([{ n: 1 }])
})

test('a live start without the live gate is refused with an event', async () => {
  const rig = await RunRig.open('live')
  const id = await rig.create({ ...PAIR, scheduler: { ...SCHEDULE, default_mode: 'live' } })
  await minutes(rig, 3)
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
