import { expect, test } from 'vitest'
import { DAY_MS } from '../../../../src/core/time/index.js'
import { USER } from '../../../support/desk/desk.js'
import { eventually } from '../../../support/eventually.js'
import { PAIR, RunRig } from './run-rig.js'

/* Runs that a start cannot restore: they stay reserved until a person releases them, and nothing is sent for them. */

const ONE = { ...PAIR, legs: [{ segment: 'cash', position: 'B', lots: 10 }] }
const NO_QUANTITY = 'update strategy_orders set quantity = 0'
const RELEASE = { by: USER, reason: 'closed in the app', positionsChecked: false }

interface Begun {
  rig: RunRig
  id: number
}

/** A live run that holds ten shares. */
async function held(mode: 'live' | 'semi_auto' = 'live', config: object = ONE): Promise<Begun> {
  const rig = await RunRig.open(mode)
  const id = await rig.create(config, true)
  await rig.settled(rig.runs.start(id, { mode: 'live', trigger: 'manual' }))
  await rig.settled(rig.runs.settled())
  return { rig, id }
}

const exec = (rig: RunRig, sql: string) => rig.rig.desk.service.databases.svc.write((tx) => tx.exec(sql))

/** Damages the rows, and starts the service again. */
async function reservedBy(
  sql: string,
  { rig, id }: Begun,
  mode: 'live' | 'semi_auto' = 'live',
): Promise<Begun> {
  await exec(rig, sql)
  await rig.settled(rig.rig.desk.close())
  return { rig: await rig.reopen(mode), id }
}

const restarted = async ({ rig, id }: Begun): Promise<Begun> => {
  await rig.settled(rig.rig.desk.close())
  return { rig: await rig.reopen(), id }
}

/** Sells by hand what the run bought. */
async function closeByHand(rig: RunRig): Promise<void> {
  await rig.rig.switchTo('live')
  const sold = { symbol: 'SBIN', exchange: 'NSE', action: 'SELL', quantity: 10, product: 'MIS' } as const
  await rig.settled(rig.rig.desk.place({ ...sold, pricetype: 'MARKET' }))
  expect(await rig.brokerNet()).toBe(0)
}

const criticals = async (rig: RunRig) =>
  (await rig.query(`select kind, message from strategy_events where severity = 'critical' order by id`)).map(
    ({ kind, message }) => `${kind}: ${message}`,
  )

test('a run whose rows contradict each other stays reserved over restarts, and is told once', async () => {
  const first = await reservedBy(NO_QUANTITY, await held())
  const { rig, id } = await restarted(first)
  const told = (await criticals(rig)).filter((text) => text.startsWith('recovery_failed'))
  expect(told).toEqual([
    expect.stringMatching(/Run 1 remains open for manual reconciliation: order \w+ has no whole quantity/),
  ])
  expect(rig.runs.unfinished(id)).toEqual({ runId: 1, state: 'reserved' })
  expect(await rig.run()).toMatchObject({ stopped_at: null, reserved_at: expect.any(Number) })
  await expect(rig.settled(rig.runs.start(id, { mode: 'sandbox', trigger: 'manual' }))).rejects.toThrow(
    `svc strategy release ${id}`,
  )
})

test('a reserved run does not resume when its rows are whole again: a person may have closed its positions', async () => {
  const first = await reservedBy(NO_QUANTITY, await held())
  await exec(first.rig, 'update strategy_orders set quantity = 10')
  const { rig, id } = await restarted(first)
  expect(rig.runs.active(id)).toBeUndefined()
  expect(rig.runs.unfinished(id)?.state).toBe('reserved')
})

test('a run whose restore fails is reserved', async () => {
  const { rig, id } = await reservedBy(`update strategy_runs set definition = '{'`, await held())
  expect(rig.runs.unfinished(id)?.state).toBe('reserved')
  expect(await criticals(rig)).toEqual([
    'recovery_failed: Run 1 remains open for manual reconciliation: its stored definition cannot be read',
  ])
  expect((await restarted({ rig, id })).rig.runs.unfinished(id)?.state).toBe('reserved')
})

test('a stop of a reserved run is refused with its reason, and an event tells it', async () => {
  const { rig, id } = await reservedBy(NO_QUANTITY, await held())
  for (const stop of [() => rig.runs.stop(id, 'manual'), () => rig.runs.closeAll(id)]) {
    await expect(rig.settled(stop())).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/has no whole quantity\. Nobody manages it.*svc strategy release/),
    })
  }
  expect((await criticals(rig)).filter((text) => text.startsWith('run_stop_failed'))).toEqual([
    expect.stringMatching(/Stop refused \(manual\): Run 1 remains open/),
    expect.stringMatching(/Stop refused \(manual\): Run 1 remains open/),
  ])
  expect(await rig.orders()).toHaveLength(1)
})

test('a lock answers that it did not stop a reserved run', async () => {
  const { rig, id } = await reservedBy(NO_QUANTITY, await held())
  const stopped = await rig.settled(rig.runs.kill(id))
  expect(stopped).toMatchObject({ runId: 1, stopPending: false, isReserved: true })
  expect(stopped?.refused).toContain('Run 1 remains open')
  expect(await rig.events()).toContain('run_stop_failed')
})

test('the exit time of a reserved run is told as a stop that failed', async () => {
  const { rig } = await reservedBy(NO_QUANTITY, await held())
  await rig.clock.advance(Date.parse('2026-11-20T15:14:50+05:30') - rig.clock.now())
  await eventually(async () => {
    await rig.clock.advance(1000)
    return (await criticals(rig)).some((text) => text.startsWith('run_stop_failed: Stop refused (scheduler)'))
  }, 'the refused stop is told')
})

test('a release is refused while the account shows a position in the contracts of the run', async () => {
  const { rig, id } = await reservedBy(NO_QUANTITY, await held())
  await expect(rig.settled(rig.runs.release(id, 1, RELEASE))).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringMatching(/still holds 10 NSE:SBIN MIS.*positions_checked/),
  })
  expect(rig.runs.unfinished(id)?.state).toBe('reserved')
  await rig.settled(rig.runs.release(id, 1, { ...RELEASE, positionsChecked: true }))
  expect(await rig.status(id)).toBe('stopped')
})

test('a release knows the shares of a run that was carried over the night, and their sale by hand', async () => {
  const carried = { ...ONE, strategy_type: 'positional', entry_time: null, exit_time: null, product: 'CNC' }
  const begun = await held('live', carried)
  begun.rig.clock.suspend(DAY_MS)
  const { rig, id } = await reservedBy(NO_QUANTITY, begun)
  await expect(rig.settled(rig.runs.release(id, 1, RELEASE))).rejects.toMatchObject({
    message: expect.stringMatching(/still holds 10 NSE:SBIN CNC/),
  })
  const sold = { action: 'SELL', quantity: 10, product: 'CNC', pricetype: 'MARKET' } as const
  await rig.settled(rig.rig.desk.place(sold))
  await rig.settled(rig.runs.release(id, 1, RELEASE))
  expect(await rig.status(id)).toBe('stopped')
})

test('a release ends the run, tells who released it and why, and frees the strategy', async () => {
  const { rig, id } = await reservedBy(NO_QUANTITY, await held())
  await closeByHand(rig)
  await rig.settled(rig.runs.release(id, 1, RELEASE))
  expect(await rig.run()).toMatchObject({ stop_reason: 'recovery_failed', stopped_at: rig.clock.now() })
  expect(rig.runs.unfinished(id)).toBeUndefined()
  const [event] = await rig.query('select * from strategy_events order by id desc limit 1')
  expect(event).toMatchObject({
    kind: 'run_stopped',
    message: `Run 1 released by ${USER}: closed in the app`,
  })
  expect(JSON.parse(String(event?.payload))).toEqual({
    reason: 'recovery_failed',
    by: USER,
    said: 'closed in the app',
    closed_by_hand: true,
    positions_checked: false,
  })
  await rig.settled(rig.runs.start(id, { mode: 'sandbox', trigger: 'manual' }))
  expect((await rig.run())?.id).toBe(2)
})

test('nothing is sent for a run after its release, not even by a restart', async () => {
  const first = await reservedBy(NO_QUANTITY, await held())
  await closeByHand(first.rig)
  await first.rig.settled(first.rig.runs.release(first.id, 1, RELEASE))
  await exec(first.rig, 'update strategy_orders set quantity = 10')
  // Without the reservation, its entry would be a late fill that is squared off.
  const { rig } = await restarted(first)
  for (let second = 0; second < 30; second++) await rig.clock.advance(1000)
  await rig.settled(rig.runs.settled())
  expect(await rig.orders()).toHaveLength(1)
  expect(await rig.brokerNet()).toBe(0)
})

test('a release is refused while an order may still trade, and names what to do', async () => {
  const { rig, id } = await held()
  const [entry] = await rig.query('select order_ref from strategy_orders')
  const ref = String(entry?.order_ref)
  await exec(rig, `update order_journal set state = 'unknown' where order_ref = '${ref}'`)
  rig.rig.desk.service.brokers.plugins.faults().set([{ kind: 'fail', httpStatus: 500, message: 'away' }])
  const next = await reservedBy(NO_QUANTITY, { rig, id })
  const { brokers } = next.rig.rig.desk.service
  brokers.plugins.faults().set([{ kind: 'fail', httpStatus: 500, message: 'away' }])
  await exec(next.rig, `update order_journal set state = 'unknown' where order_ref = '${ref}'`)
  const release = { ...RELEASE, positionsChecked: true }
  await expect(next.rig.settled(next.rig.runs.release(id, 1, release))).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining(`${ref} is in doubt: svc order settle ${ref}`),
  })
  const verdict = { outcome: 'rejected', reason: 'not in the account', by: USER, force: true } as const
  await next.rig.settled(next.rig.rig.desk.service.reconciler.settle(ref, verdict))
  await next.rig.settled(next.rig.runs.release(id, 1, release))
  expect(await next.rig.status(id)).toBe('stopped')
})

test('a release whose book cannot be read is refused, unless the person has looked himself', async () => {
  const { rig, id } = await reservedBy(NO_QUANTITY, await held())
  const { brokers } = rig.rig.desk.service
  brokers.plugins.faults().set([{ kind: 'fail', httpStatus: 500, message: 'away' }])
  await expect(rig.settled(rig.runs.release(id, 1, RELEASE))).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringMatching(/positions at simulated cannot be read/),
  })
  await rig.settled(rig.runs.release(id, 1, { ...RELEASE, positionsChecked: true }))
})

test('only a reserved run is released', async () => {
  const { rig, id } = await held()
  const release = (run: number) =>
    rig.settled(rig.runs.release(id, run, { ...RELEASE, positionsChecked: true }))
  await expect(release(1)).rejects.toThrow(/Run 1 is not reserved/)
  await expect(release(2)).rejects.toThrow(/Run 2 is not reserved/)
  const next = await reservedBy(NO_QUANTITY, { rig, id })
  await next.rig.settled(next.rig.runs.release(id, 1, { ...RELEASE, positionsChecked: true }))
  await expect(
    next.rig.settled(next.rig.runs.release(id, 1, { ...RELEASE, positionsChecked: true })),
  ).rejects.toThrow(/Run 1 is not reserved/)
})

test('two releases at the same time release once', async () => {
  const { rig, id } = await reservedBy(NO_QUANTITY, await held())
  const release = { ...RELEASE, positionsChecked: true }
  const both = await rig.settled(
    Promise.allSettled([rig.runs.release(id, 1, release), rig.runs.release(id, 1, release)]),
  )
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect((await rig.events()).filter((kind) => kind === 'run_stopped')).toHaveLength(1)
})

test('the entries of a reserved run that wait for approval are rejected', async () => {
  const begun = await held('semi_auto')
  expect(await begun.rig.orders()).toEqual(['1 entry BUY pending 0'])
  const { rig, id } = await reservedBy(NO_QUANTITY, begun, 'semi_auto')
  const { approvals } = rig.rig.desk.service
  expect(approvals.count(USER)).toBe(0)
  const [row] = await rig.query('select status, rejected_reason from pending_orders')
  expect(row).toMatchObject({
    status: 'rejected',
    rejected_reason: expect.stringContaining('Nobody would manage'),
  })
  expect(await rig.orders()).toEqual(['1 entry BUY rejected 0'])
  await rig.settled(rig.runs.release(id, 1, RELEASE))
  expect(await rig.status(id)).toBe('stopped')
  expect(await rig.rig.ledger()).toEqual([])
})

test('a live run of a restored home is reserved although the disk refuses to store that', async () => {
  const { rig } = await held()
  const { runs, store } = rig
  await exec(rig, `create trigger full before update on strategy_runs begin select raise(abort, 'full'); end`)
  expect(await rig.settled(runs.reserveRestored('the backup of 2026-11-20T05:00:00.000Z'))).toBe(false)
  await exec(rig, 'drop trigger full')
  const [run] = await store.unfinished()
  expect(run).toMatchObject({ mode: 'live', reservedAt: null })
  await rig.settled(runs.open())
  expect(runs.reserved()).toMatchObject([{ reason: expect.stringContaining('restored from the backup') }])
})
