import { expect, test } from 'vitest'
import { deskClock } from '../../../support/desk/desk-clock.js'
import { eventually } from '../../../support/eventually.js'
import { PAIR, RunRig } from './run-rig.js'

/* A run spares the orders that a broker takes in a day, and finds out about updates that were lost. */

const LONG = {
  ...PAIR,
  strategy_type: 'positional',
  entry_time: undefined,
  exit_time: undefined,
  product: 'NRML',
  legs: [{ segment: 'cash', position: 'B', lots: 10 }],
}

const HOUR_MS = 3_600_000

async function started(clock: string, env: Record<string, string> = {}) {
  const rig = await RunRig.open('live', { clock: deskClock(clock), env })
  const id = await rig.create(LONG, true)
  await rig.settled(rig.runs.start(id, { mode: 'live', trigger: 'manual' }))
  await rig.settled(rig.runs.settled())
  return { rig, id }
}

test('an exit that a closed exchange refused is tried again at its opening, not all night', async () => {
  const { rig, id } = await started('2026-11-19T15:28:00+05:30', { SIM_SESSIONS: 'market' })
  expect(await rig.orders()).toEqual(['1 entry BUY complete 10'])
  await rig.clock.advance(HOUR_MS)
  await rig.settled(rig.runs.stop(id, 'manual'))
  for (let hour = 0; hour < 16; hour += 1) {
    await rig.clock.advance(HOUR_MS)
    await rig.settled(rig.runs.settled())
  }
  expect(await rig.orders()).toEqual(['1 entry BUY complete 10', '1 exit_close_all SELL rejected 0'])
  await rig.clock.advance(HOUR_MS)
  await rig.ended()
  expect((await rig.orders()).slice(2)).toEqual(['1 exit_close_all SELL complete 10'])
})

test('a fill whose update was lost is found within seconds', async () => {
  const rig = await RunRig.open('live')
  const { openOrders, updates } = rig.rig.desk.service
  openOrders.start()
  const id = await rig.create(LONG, true)
  updates.apply = () => undefined
  await rig.settled(rig.runs.start(id, { mode: 'live', trigger: 'manual' }))
  expect(await rig.orders()).toEqual(['1 entry BUY open 0'])
  const from = rig.clock.now()
  await eventually(async () => {
    await rig.clock.advance(1_000)
    await rig.settled(rig.runs.settled())
    return (await rig.orders())[0] === '1 entry BUY complete 10'
  }, 'the fill is found')
  expect(rig.clock.now() - from).toBeLessThan(30_000)
})
