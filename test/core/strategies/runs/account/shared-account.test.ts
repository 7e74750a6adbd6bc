import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../../support/eventually.js'
import { RunRig } from '../run-rig.js'
import { LONG, messages, net, seconds } from './account-rig.js'

/*
 * Two runs on both sides of one contract. Their account shows only the difference, so a comparison that does not know all
 * of both runs would take a position away from its owner.
 */
const SHORT = { ...LONG, legs: [{ segment: 'cash', position: 'S', lots: 10 }] }

/** Starts a sandbox run of ten shares, and waits for its fill. */
async function start(rig: RunRig, name: string, config: object): Promise<number> {
  const id = await rig.create({ ...config, name })
  await rig.settled(rig.runs.start(id, { mode: 'sandbox', trigger: 'manual' }))
  await rig.settled(rig.runs.settled())
  return id
}

const claimed = (rig: RunRig, id: number) => rig.runs.active(id)?.claims.map(({ quantity }) => quantity)

test('an exit that a restart sends waits until all runs are restored', async () => {
  const rig = await RunRig.open('analyze')
  const short = await start(rig, 'short', SHORT)
  const long = await start(rig, 'long', LONG)
  await seconds(rig, 3)
  expect(await net(rig, 'sandbox')).toBe(0)
  // Its stop was stored, and the service died before the exit.
  await rig.runs.close()
  await rig.rig.desk.service.databases.svc.write((tx) =>
    tx.exec(
      `update strategy_runs set stop_requested_at = started_at, stop_requested_reason = 'manual' where strategy_id = ${short}`,
    ),
  )
  const again = await rig.reopen('analyze')
  await eventually(async () => {
    await seconds(again, 1)
    return (await again.status(short)) === 'stopped'
  }, 'the short run has ended')
  await seconds(again, 3)
  expect(await again.orders()).toEqual([
    '1 entry SELL complete 10',
    '1 entry BUY complete 10',
    '1 exit_close_all BUY complete 10',
  ])
  expect(claimed(again, long)).toEqual([10])
  await again.settled(again.runs.stop(long, 'manual'))
  await again.ended()
  expect(await messages(again)).toEqual([])
  expect(await net(again, 'sandbox')).toBe(0)
})

test('a run keeps its position beside a reserved run on the other side', async () => {
  const rig = await RunRig.open('analyze')
  const long = await start(rig, 'long', LONG)
  const short = await start(rig, 'short', SHORT)
  await seconds(rig, 3)
  await rig.runs.close()
  await rig.rig.desk.service.databases.svc.write((tx) =>
    tx.exec(`update strategy_runs set definition = 'x' where strategy_id = ${long}`),
  )
  const again = await rig.reopen('analyze')
  again.rig.desk.service.orders.strategyOrders.changes.noteOthers()
  await seconds(again, 6)
  expect(again.runs.reserved()).toMatchObject([{ strategyId: long }])
  expect(await messages(again)).toEqual([])
  expect(claimed(again, short)).toEqual([-10])
})

/** Keeps the runs from hearing of their orders, until the returned function is called. The account has them. */
function deafen(rig: RunRig): () => void {
  const { strategyOrders } = rig.rig.desk.service.orders
  const { place, statesOf } = strategyOrders
  let hear: () => void = () => undefined
  const heard = new Promise<void>((resolve) => {
    hear = resolve
  })
  onTestFinished(() => hear())
  strategyOrders.statesOf = async (refs) => heard.then(() => statesOf.call(strategyOrders, refs))
  strategyOrders.place = async (order) => {
    const end = await place.call(strategyOrders, order)
    await heard
    return end
  }
  return hear
}

/** Lets time pass in which comparisons run, without waiting for the runs. */
async function compared(rig: RunRig): Promise<void> {
  const { changes } = rig.rig.desk.service.orders.strategyOrders
  for (let second = 0; second < 3; second++) {
    changes.noteOthers()
    await rig.clock.advance(1_000)
    await rig.settled(rig.rig.desk.service.sandbox.quantities('nobody'))
  }
}

test('an entry that is filled and not yet known to its run takes no position from another one', async () => {
  const rig = await RunRig.open('analyze')
  const short = await start(rig, 'short', SHORT)
  await seconds(rig, 3)
  const long = await rig.create({ ...LONG, name: 'long' })
  const hear = deafen(rig)
  const started = rig.runs.start(long, { mode: 'sandbox', trigger: 'manual' })
  await eventually(async () => (await net(rig, 'sandbox')) === 0, 'the account has the entry')
  await compared(rig)
  expect(claimed(rig, short)).toEqual([-10])
  hear()
  await rig.settled(started)
  await seconds(rig, 3)
  expect([short, long].map((id) => claimed(rig, id))).toEqual([[-10], [10]])
  expect(await messages(rig)).toEqual([])
})

test('an exit that is placed while an account is read takes nothing from another run', async () => {
  const rig = await RunRig.open('analyze')
  const first = await start(rig, 'first', LONG)
  const second = await start(rig, 'second', LONG)
  await seconds(rig, 3)
  const { changes, positions } = rig.rig.desk.service.orders.strategyOrders
  const read = positions.read.bind(positions)
  let go: () => void = () => undefined
  const gone = new Promise<void>((resolve) => {
    go = resolve
  })
  onTestFinished(() => go())
  positions.read = async (...question) => gone.then(() => read(...question))
  changes.noteOthers()
  const hear = deafen(rig)
  const stopped = rig.runs.stop(second, 'manual')
  // The exit waits for the comparison at most a second.
  await eventually(async () => {
    await rig.clock.advance(500)
    return (await net(rig, 'sandbox')) === 10
  })
  go()
  await compared(rig)
  expect(claimed(rig, first)).toEqual([10])
  hear()
  await rig.settled(stopped)
  await rig.ended()
  await seconds(rig, 3)
  expect(claimed(rig, first)).toEqual([10])
  expect(await messages(rig)).toEqual([])
})
