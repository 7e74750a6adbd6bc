import { expect, test } from 'vitest'
import type { ActiveRun } from '../../../../../src/core/strategies/runs/active-run.js'
import { SessionWatch } from '../../../../../src/core/strategies/runs/rounds/session-watch.js'
import { definition } from '../../engine/rig.js'

/** A live run with one order in doubt, and a broker without a session. */
function open() {
  const broker = {
    brokerId: 'simulated',
    hasSession: false,
    requireReady() {
      if (!this.hasSession) throw new Error('no session')
    },
  }
  let performed = 0
  const run = {
    broker: 'simulated',
    definition: definition({ mode: 'live' }),
    ordersInDoubt: ['a'],
    perform: () => {
      performed += 1
    },
  }
  const looked: Pick<ActiveRun, 'broker' | 'definition' | 'ordersInDoubt' | 'perform'> = run
  const watch = new SessionWatch(broker)
  const look = () => watch.look([looked as ActiveRun])
  return { broker, run, look, performed: () => performed }
}

test('a session tells of orders that were in doubt without one', () => {
  const { broker, look, performed, run } = open()
  look()
  broker.hasSession = true
  look()
  expect(performed()).toBe(0)
  run.ordersInDoubt = []
  look()
  look()
  expect(performed()).toBe(1)
})

test('orders that a person settled while another broker was active are forgotten, and not told later', () => {
  const { broker, look, performed, run } = open()
  look()
  Object.assign(broker, { brokerId: 'zerodha', hasSession: true })
  run.ordersInDoubt = []
  look()
  broker.brokerId = 'simulated'
  look()
  expect(performed()).toBe(0)
})
