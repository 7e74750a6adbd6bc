import { expect, test } from 'vitest'
import { istInstant } from '../../../../src/core/time/index.js'
import { PAIR, RunRig } from './run-rig.js'

/** One thousand shares in delivery, carried over the night. */
const CARRIED = {
  ...PAIR,
  strategy_type: 'positional',
  entry_time: null,
  exit_time: null,
  product: 'CNC',
  legs: [{ segment: 'cash', position: 'B', lots: 1_000 }],
}

test('the day in which a carried run ends counts only its profit since 03:00', async () => {
  const rig = await RunRig.open('live')
  const id = await rig.create({ ...CARRIED, daily_loss_limit_inr: 500_000 })
  const order = { mode: 'sandbox', trigger: 'manual' } as const
  await rig.settled(rig.runs.start(id, order))
  await rig.settled(rig.runs.settled())
  await rig.clock.advance(6_000)
  await rig.settled(rig.runs.settled())
  // The process is gone over the night.
  await rig.rig.desk.close()
  const morning = istInstant('2026-11-23', '09:20')
  await rig.clock.advanceTo(morning)
  const next = await rig.reopen()
  await next.settled(next.runs.settled())
  const [evening] = await next.query(
    `select pnl_total from strategy_checkpoints where ts < ${morning} order by id desc limit 1`,
  )
  await next.settled(next.runs.stop(id, 'manual'))
  await next.ended()
  const ended = await next.run()
  expect(Number(evening?.pnl_total)).not.toBe(0)
  expect(Number(ended?.pnl_session)).toBe(Number(ended?.pnl_realized) - Number(evening?.pnl_total))
  await next.settled(next.runs.start(id, order))
  expect(next.runs.active(id)?.definition.earlierRealized).toBe(Number(ended?.pnl_session) / 10_000)
})
