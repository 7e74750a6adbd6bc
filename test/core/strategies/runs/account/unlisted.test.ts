import { expect, test } from 'vitest'
import { USER } from '../../../../support/desk/desk.js'
import { INSTRUMENTS } from '../../../brokers/simulated/support.js'
import type { RunRig } from '../run-rig.js'
import { messages, seconds, started } from './account-rig.js'

/* Without the instruments of the broker its rows have names of its own: a position that it shows looks closed. */

const OWN_NAME = 'SBIN-EQ'

/** Loads instruments for a broker. */
function load(rig: RunRig, broker: string, rows = INSTRUMENTS) {
  return rig.settled(rig.rig.desk.service.instruments.replace(broker, 'broker', [[...rows]]))
}

/** The broker names SBIN in its own way, until the returned function is called. */
function rename(rig: RunRig): () => void {
  const { orders, portfolio } = rig.rig.desk.service.brokers.client()
  const { list } = orders
  const { positions } = portfolio
  const renamed = <Row extends { symbol: string }>(row: Row) => ({ ...row, symbol: OWN_NAME })
  portfolio.positions = async () => (await positions.call(portfolio)).map(renamed)
  orders.list = async () => (await list.call(orders)).map(renamed)
  return () => {
    portfolio.positions = positions
    orders.list = list
  }
}

/** Asserts that the run still owns its position, and closes it. */
async function expectKept(rig: RunRig, id: number): Promise<void> {
  await seconds(rig, 45)
  expect(rig.runs.active(id)?.claims).toMatchObject([{ quantity: 10 }])
  expect(await messages(rig)).toEqual([])
  await rig.settled(rig.runs.stop(id, 'manual'))
  await rig.ended()
  expect(await rig.brokerNet()).toBe(0)
}

test('a run gives nothing up while the instruments of another broker are loaded', async () => {
  const { id, rig } = await started('live')
  await load(rig, 'zerodha')
  const nameBack = rename(rig)
  await seconds(rig, 60)
  expect(rig.runs.active(id)?.claims).toMatchObject([{ quantity: 10 }])
  expect(await messages(rig)).toEqual([])
  await load(rig, 'simulated')
  nameBack()
  await expectKept(rig, id)
})

test('a run gives no position up whose contract the instruments do not list, and says so once', async () => {
  const { id, rig } = await started('live')
  await load(
    rig,
    'simulated',
    INSTRUMENTS.filter(({ symbol }) => symbol !== 'SBIN'),
  )
  const nameBack = rename(rig)
  await seconds(rig, 90)
  expect(rig.runs.active(id)?.claims).toMatchObject([{ quantity: 10 }])
  const told = await rig.query(
    `select severity, message from strategy_events where kind = 'leg_close_manual' order by id`,
  )
  expect(told).toEqual([
    {
      severity: 'warn',
      message: expect.stringMatching(/^The instruments of the broker do not list NSE:SBIN/),
    },
  ])
  await load(rig, 'simulated')
  nameBack()
  await expectKept(rig, id)
})

test('a reserved run is not released while the instruments of another broker are loaded', async () => {
  const { id, rig } = await started('live')
  const { svc } = rig.rig.desk.service.databases
  await svc.write((tx) => tx.exec('update strategy_orders set quantity = 0'))
  const again = await rig.reopen()
  await load(again, 'zerodha')
  const nameBack = rename(again)
  const release = { by: USER, reason: 'closed', positionsChecked: false }
  const released = () => again.settled(again.runs.release(id, 1, release))
  await expect(released()).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('The loaded instruments belong to zerodha'),
  })
  nameBack()
})
