import { expect, test } from 'vitest'
import { PAIR, RunRig } from './run-rig.js'

/** The hedge is the first leg, so that the order of the legs does not hide the order of the exits. */
const HEDGED = { ...PAIR, legs: [...PAIR.legs].reverse() }

/** Opens a live run and stops it at a broker that answers orders after some time. @returns when each exit was sent, from the first */
async function sentAfter(latencyMs: number, legs: object[]): Promise<Record<string, number>> {
  const rig = await RunRig.open('live')
  const id = await rig.create({ ...HEDGED, legs }, true)
  await rig.settled(rig.runs.start(id, { mode: 'live', trigger: 'manual' }))
  await rig.settled(rig.runs.settled())
  rig.rig.desk.service.brokers.plugins.faults().set([{ on: ['place'], kind: 'delay', latencyMs }])
  await rig.settled(rig.runs.stop(id, 'manual'))
  await rig.ended()
  const rows = await rig.query(
    `select e.at, o.action, o.leg_id from strategy_orders o join order_events e on e.order_ref = o.order_ref
      where o.kind <> 'entry' and e.to_state = 'claimed'`,
  )
  const first = Math.min(...rows.map(({ at }) => Number(at)))
  return Object.fromEntries(rows.map(({ action, at, leg_id }) => [`${action} ${leg_id}`, Number(at) - first]))
}

test('a stop sells the hedge after the broker has the order that buys the short back', async () => {
  const sent = await sentAfter(700, HEDGED.legs)
  expect(sent['BUY 2']).toBe(0)
  expect(sent['SELL 1']).toBeGreaterThanOrEqual(700)
  expect(sent['SELL 1']).toBeLessThan(1_500)
})

test('a stop does not hang on a slow answer', async () => {
  const sent = await sentAfter(20_000, HEDGED.legs)
  expect(sent['SELL 1']).toBeGreaterThanOrEqual(1_500)
  expect(sent['SELL 1']).toBeLessThan(3_000)
})

test('exits of one side wait for nothing', async () => {
  const [hedge] = HEDGED.legs
  const sent = await sentAfter(700, [hedge ?? {}, { ...hedge, lots: 3 }])
  expect(Math.max(...Object.values(sent))).toBeLessThan(300)
  expect(Object.keys(sent).sort()).toEqual(['SELL 1', 'SELL 2'])
})
