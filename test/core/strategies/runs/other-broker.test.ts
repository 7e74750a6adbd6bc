import { expect, onTestFinished, test, vi } from 'vitest'
import { istInstant } from '../../../../src/core/time/index.js'
import { seconds } from './account/account-rig.js'
import { PAIR, RunRig } from './run-rig.js'

/* Another broker is active than the one that holds the position of a live run. */

/** Makes another broker the active one, as far as the runs know, until the returned function is called. */
function useAnother(rig: RunRig): () => void {
  const { brokers } = rig.rig.desk.service
  const spy = vi.spyOn(brokers, 'brokerId', 'get').mockReturnValue('zerodha')
  onTestFinished(() => spy.mockRestore())
  return () => spy.mockRestore()
}

/** A price of SBIN from the feed of the active broker. */
function price(rig: RunRig, ltp: number): void {
  const { hub } = rig.rig.desk.service
  const last = hub.last({ symbol: 'SBIN', exchange: 'NSE' })
  if (!last) throw new Error('no price of SBIN')
  hub.publish({ ...last, ltp, timestamp: rig.clock.now() })
}

async function holding(more: object) {
  const rig = await RunRig.open('live')
  const config = { ...PAIR, strategy_type: 'positional', entry_time: null, exit_time: null }
  const leg = { segment: 'cash', position: 'B', lots: 10, ...more }
  const id = await rig.create({ ...config, legs: [leg] }, true)
  await rig.settled(rig.runs.start(id, { mode: 'live', trigger: 'manual' }))
  await seconds(rig, 3)
  expect(await rig.orders()).toEqual(['1 entry BUY complete 10'])
  return { id, rig }
}

test('a price of another broker fires no stop, neither then nor after the way back', async () => {
  const { id, rig } = await holding({ sl_pts: 300 })
  const useOwn = useAnother(rig)
  price(rig, 1)
  await seconds(rig, 10)
  expect(await rig.orders()).toEqual(['1 entry BUY complete 10'])
  useOwn()
  await seconds(rig, 10)
  expect(await rig.orders()).toEqual(['1 entry BUY complete 10'])
  expect(rig.runs.active(id)?.claims).toMatchObject([{ quantity: 10 }])
  const told = await rig.query(`select kind from strategy_events where kind like 'tick_source%' order by id`)
  expect(told.map(({ kind }) => kind)).toEqual(['tick_source_stale', 'tick_source_switched_to_ws'])
  price(rig, 1)
  await rig.ended()
  expect(await rig.orders()).toEqual(['1 entry BUY complete 10', '1 exit_sl SELL complete 10'])
})

test('a run keeps the hours of its own broker while another one is active', async () => {
  const { id, rig } = await holding({})
  // The simulated exchange never closes, and squares nothing off.
  const useOwn = useAnother(rig)
  rig.clock.suspend(istInstant('2026-11-20', '15:20') - rig.clock.now())
  await seconds(rig, 10)
  useOwn()
  await seconds(rig, 10)
  expect(await rig.orders()).toEqual(['1 entry BUY complete 10'])
  expect(rig.runs.active(id)?.claims).toMatchObject([{ quantity: 10 }])
})
