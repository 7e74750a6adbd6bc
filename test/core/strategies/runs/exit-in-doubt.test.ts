import { expect, test } from 'vitest'
import type { FaultRule } from '../../../../src/core/brokers/simulated/index.js'
import type { Signal } from '../../../../src/core/strategies/config/vocabulary.js'
import { eventually } from '../../../support/eventually.js'
import { RunRig, SIGNALS } from './run-rig.js'

/* Until the end of an exit is known, no order makes a leg exceed its quantity. */

const POSITIONAL = {
  name: 'carried',
  strategy_kind: 'signal',
  strategy_type: 'positional',
  product: 'NRML',
  underlying: 'NIFTY',
  underlying_exchange: 'NSE_INDEX',
  legs: SIGNALS.legs,
}
/** The broker takes orders, their answers are lost, and its book cannot be read. */
const SILENT: FaultRule[] = [
  { on: ['place'], kind: 'lose_answer' },
  { on: ['orders', 'findByTag', 'orderFeed'], kind: 'fail', httpStatus: 500, message: 'away' },
]
/** The same broker refuses what comes next, and tells so. */
const REFUSING: FaultRule[] = [{ on: ['place'], kind: 'fail', httpStatus: 422, message: 'no' }]
const EARLIER_WORKS = /^An earlier order of this leg has been sent and its end is not known yet/

function signal(rig: RunRig, id: number, name: Signal) {
  return rig.settled(rig.runs.signal(id, { legId: 1, signal: name }))
}

/** A live run that is long, whose exit got no answer. */
async function withExitInDoubt(config: object = SIGNALS): Promise<{ rig: RunRig; id: number }> {
  const rig = await RunRig.open('live')
  const id = await rig.create(config, true)
  await signal(rig, id, 'long_entry')
  await rig.settled(rig.runs.settled())
  const { brokers } = rig.rig.desk.service
  brokers.plugins.faults().dropConnections('orders')
  brokers.plugins.faults().set(SILENT)
  await signal(rig, id, 'long_exit')
  return { rig, id }
}

/** Lets the broker answer again until each of so many orders has ended. */
async function known(rig: RunRig, orders: number): Promise<void> {
  rig.rig.desk.service.brokers.plugins.faults().set([])
  await eventually(async () => {
    await rig.clock.advance(15_000)
    await rig.settled(rig.rig.desk.service.openOrders.compareIfDue())
    await rig.runs.settled()
    const rows = await rig.orders()
    return rows.length === orders && !rows.some((order) => / (open|pending) /.test(order))
  }, 'the end of every order is known')
}

test('an entry on the same side is refused while the exit is in doubt, also after a restart', async () => {
  const { rig: first, id } = await withExitInDoubt()
  expect(await signal(first, id, 'long_entry')).toMatchObject({
    refused: expect.stringMatching(EARLIER_WORKS),
  })
  expect(await signal(first, id, 'long_exit')).toMatchObject({ note: 'no_matching_position', refused: null })

  const { desk } = first.rig
  const env = { SIM_FAULTS: JSON.stringify(SILENT) }
  const rig = await RunRig.open('live', { home: desk.home, clock: desk.clock, env })
  expect(await signal(rig, id, 'long_entry')).toMatchObject({ refused: expect.anything() })
  await known(rig, 2)
  expect(await rig.orders()).toEqual(['1 entry BUY complete 10', '1 exit_signal SELL complete 10'])
  expect(await rig.brokerNet()).toBe(0)

  expect(await signal(rig, id, 'long_entry')).toMatchObject({ refused: null })
  await rig.settled(rig.runs.settled())
  expect(await rig.brokerNet()).toBe(10)
})

test('a flip opens the other side behind an exit in doubt, and is not turned back before its end is known', async () => {
  const { rig, id } = await withExitInDoubt()
  const { brokers } = rig.rig.desk.service
  brokers.plugins.faults().set(SILENT.slice(1))
  expect(await signal(rig, id, 'short_entry')).toMatchObject({ refused: null, note: null })
  expect(await rig.brokerNet()).toBe(10)
  expect(await signal(rig, id, 'long_entry')).toMatchObject({ refused: expect.anything() })
  await known(rig, 3)
  const [claim] = rig.runs.active(id)?.claims ?? []
  expect(claim?.quantity).toBe(-10)
  expect(await rig.brokerNet()).toBe(10)
})

test('a leg whose exit the broker refused after the entry behind it was sent holds no more than its quantity', async () => {
  const rig = await RunRig.open('live')
  const id = await rig.create(SIGNALS, true)
  await signal(rig, id, 'long_entry')
  await rig.settled(rig.runs.settled())
  rig.rig.desk.service.brokers.plugins.faults().set(REFUSING.map((rule) => ({ ...rule, times: 1 })))
  await signal(rig, id, 'short_entry')
  await rig.settled(rig.runs.settled())
  expect(await signal(rig, id, 'long_entry')).toMatchObject({ note: 'flip_pending' })
  await known(rig, 4)
  expect(rig.runs.active(id)?.claims.map(({ quantity }) => quantity)).toEqual([-10])
  expect(await rig.brokerNet()).toBe(10)
})

test('a signal of the next day opens no run while the exit of the day before is in doubt', async () => {
  const { rig, id } = await withExitInDoubt(POSITIONAL)
  rig.clock.suspend(24 * 3_600_000 * 3)
  await expect(signal(rig, id, 'long_entry')).rejects.toThrow(/still closing its positions/)
  expect((await rig.orders()).filter((order) => order.includes('entry'))).toHaveLength(1)
})
