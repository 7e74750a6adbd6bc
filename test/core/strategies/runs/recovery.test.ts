import { expect, test, vi } from 'vitest'
import { RunStore } from '../../../../src/core/strategies/runs/index.js'
import { USER } from '../../../support/desk/desk.js'
import { eventually } from '../../../support/eventually.js'
import { PAIR, RunRig } from './run-rig.js'

/* Orders whose end nobody knows, and fills that come after the end of a run. */

const ONE = { ...PAIR, legs: [{ segment: 'cash', position: 'B', lots: 10 }] }

/** Starts a live run of one leg and waits for its fill. */
async function running(): Promise<{ rig: RunRig; id: number }> {
  const rig = await RunRig.open('live')
  const id = await rig.create(ONE, true)
  await rig.settled(rig.runs.start(id, { mode: 'live', trigger: 'manual' }))
  await rig.settled(rig.runs.settled())
  return { rig, id }
}

/** Stops a run whose exit the broker accepts without telling of its fill; the exit lapses. */
async function withLapsedExit() {
  const { rig, id } = await running()
  const { brokers, journal } = rig.rig.desk.service
  brokers.plugins.faults().dropConnections('orders')
  await rig.settled(rig.runs.stop(id, 'manual'))
  const [, exit] = await rig.query('select order_ref from strategy_orders order by id')
  const ref = String(exit?.order_ref)
  await journal.move(ref, 'lapsed', { reason: 'test' })
  await rig.settled(rig.runs.settled())
  return { rig, id, ref }
}

/** Lets the retries of a minute pass. */
async function aMinute(rig: RunRig): Promise<void> {
  for (let second = 0; second < 60; second++) await rig.clock.advance(1000)
  await rig.settled(rig.runs.settled())
}

test('an exit that lapsed is not sent again; a person settles it, and the run ends', async () => {
  const { rig, id, ref } = await withLapsedExit()
  await aMinute(rig)
  expect(await rig.orders()).toEqual(['1 entry BUY complete 10', '1 exit_close_all SELL open 0'])
  expect(await rig.status(id)).toBe('running')
  const told = await rig.query(`select message from strategy_events where kind = 'run_stop_failed'`)
  expect(told.map(({ message }) => String(message)).join()).toContain(`svc order settle ${ref}`)

  const { brokers, reconciler } = rig.rig.desk.service
  // As on the next day, when the book no longer lists the order.
  brokers.plugins.faults().set([{ kind: 'fail', httpStatus: 500, message: 'away' }])
  const said = { reason: 'in the contract note', by: USER, force: true }
  await expect(reconciler.settle(ref, { ...said, outcome: 'accepted', orderId: '1' })).rejects.toThrow(
    /its session is over/,
  )
  await expect(
    reconciler.settle(ref, { ...said, outcome: 'filled', price: 1, quantity: 11 }),
  ).rejects.toThrow(/at most 10/)
  await rig.settled(reconciler.settle(ref, { ...said, outcome: 'filled', price: 801.5 }))
  brokers.plugins.faults().set([])
  await rig.ended()
  expect((await rig.orders())[1]).toBe('1 exit_close_all SELL complete 10')
  expect(await rig.status(id)).toBe('stopped')
})

test('after a restart an exit that lapsed is still in doubt; settled as rejected, it is sent again', async () => {
  const first = await withLapsedExit()
  const rig = await first.rig.reopen()
  await aMinute(rig)
  expect(await rig.orders()).toHaveLength(2)
  const said = { outcome: 'rejected', reason: 'not in the account', by: USER, force: true } as const
  const { brokers, reconciler } = rig.rig.desk.service
  brokers.plugins.faults().set([{ kind: 'fail', httpStatus: 500, message: 'away' }])
  await rig.settled(reconciler.settle(first.ref, said))
  brokers.plugins.faults().set([])
  await rig.ended()
  expect((await rig.orders()).slice(1)).toEqual([
    '1 exit_close_all SELL rejected 0',
    '1 exit_close_all SELL complete 10',
  ])
})

/** A run whose entry was refused. The broker refuses every order from then on. */
async function withRefusedEntry(): Promise<{ rig: RunRig; id: number; entry: string }> {
  const rig = await RunRig.open('live')
  const id = await rig.create(ONE, true)
  const { brokers } = rig.rig.desk.service
  brokers.plugins.faults().set([{ on: ['place'], kind: 'fail', httpStatus: 422, message: 'no' }])
  await expect(rig.settled(rig.runs.start(id, { mode: 'live', trigger: 'manual' }))).rejects.toThrow(
    /rejected/,
  )
  await rig.ended()
  const [entry] = await rig.query('select order_ref from strategy_orders')
  return { rig, id, entry: String(entry?.order_ref) }
}

/** Lets the broker report an entry that it had refused as filled. */
async function reportFill(rig: RunRig, entry: string): Promise<void> {
  await rig.settled(
    rig.rig.desk.service.updates.record('simulated', {
      orderId: 'late-1',
      tag: entry,
      status: 'complete',
      quantity: 10,
      filledQuantity: 10,
      averagePrice: 800,
      symbol: 'SBIN',
      exchange: 'NSE',
      action: 'BUY',
      product: 'MIS',
      priceType: 'MARKET',
      price: 0,
      triggerPrice: 0,
      pendingQuantity: 0,
      timestamp: rig.clock.now(),
      rejectionReason: '',
    }),
  )
  await rig.settled(rig.runs.settled())
}

/** A run whose entry was refused, and then reported as filled; the broker refuses the square-off. */
async function withLateFill(): Promise<RunRig> {
  const { rig, entry } = await withRefusedEntry()
  await reportFill(rig, entry)
  expect(await rig.orders()).toEqual(['1 entry BUY complete 10', '1 exit_close_all SELL rejected 0'])
  expect((await rig.run())?.reopened_at).not.toBeNull()
  return rig
}

async function flat(rig: RunRig): Promise<void> {
  await eventually(async () => {
    await rig.clock.advance(1000)
    await rig.runs.settled()
    return (await rig.run())?.reopened_at === null
  }, 'the late fill is squared off')
  expect((await rig.orders()).at(-1)).toBe('1 exit_close_all SELL complete 10')
}

test('a run is told that its orders in doubt are settled since the broker session is back', async () => {
  const { rig, id } = await running()
  const { brokers } = rig.rig.desk.service
  brokers.plugins.faults().set([
    { on: ['place'], kind: 'lose_answer' },
    { on: ['orders'], kind: 'fail', httpStatus: 500, message: 'away' },
  ])
  brokers.plugins.faults().dropConnections('orders')
  await rig.settled(rig.runs.stop(id, 'manual'))
  await rig.settled(brokers.logout())
  await aMinute(rig)
  const told = () =>
    rig.query(`select severity, message from strategy_events where message like 'Broker session%'`)
  expect(await told()).toEqual([])
  brokers.plugins.faults().set([])
  await rig.settled(brokers.login({}))
  await rig.ended()
  await aMinute(rig)
  expect(await told()).toEqual([
    {
      severity: 'warn',
      message: 'Broker session restored; the outcome of 1 order(s) in doubt is known now',
    },
  ])
  expect(await rig.brokerNet()).toBe(0)
})

test('a late fill is squared off until nothing is held', async () => {
  const rig = await withLateFill()
  rig.rig.desk.service.brokers.plugins.faults().set([])
  await flat(rig)
})

test('while a late fill is squared off, its strategy is neither changed, deleted, switched nor started', async () => {
  const rig = await withLateFill()
  const [{ id = 0 } = {}] = await rig.query('select id from strategies')
  const strategy = Number(id)
  const refused = { code: 'conflict', message: expect.stringContaining('came late') }
  await expect(rig.catalog.change(USER, strategy, { exit_time: '15:10' })).rejects.toMatchObject(refused)
  await expect(rig.catalog.setLive(USER, strategy, false)).rejects.toMatchObject(refused)
  await expect(rig.catalog.remove(USER, strategy)).rejects.toMatchObject(refused)
  const start = rig.runs.start(strategy, { mode: 'live', trigger: 'manual' })
  await expect(rig.settled(start)).rejects.toMatchObject(refused)
  expect(await rig.orders()).toHaveLength(2)
  rig.rig.desk.service.brokers.plugins.faults().set([])
  await flat(rig)
  await rig.catalog.remove(USER, strategy)
  expect(await rig.query('select id from strategies')).toEqual([])
})

test('a late fill is squared off after a restart, although its strategy was deleted before it came', async () => {
  const { rig, id, entry } = await withRefusedEntry()
  await rig.catalog.remove(USER, id)
  await reportFill(rig, entry)
  expect(await rig.orders()).toEqual(['1 entry BUY complete 10', '1 exit_close_all SELL rejected 0'])
  await flat(await rig.reopen())
})

test('a late fill that came while the service was down is squared off, although its strategy was deleted', async () => {
  const { rig, id, entry } = await withRefusedEntry()
  await rig.catalog.remove(USER, id)
  rig.rig.desk.service.brokers.plugins.faults().set([])
  await rig.settled(rig.runs.close())
  await reportFill(rig, entry)
  expect(await rig.orders()).toEqual(['1 entry BUY rejected 0'])
  const again = await rig.reopen()
  await flat(again)
  const told = await again.query(`select user_id from strategy_events where message like 'A fill of 10%'`)
  expect(told).toEqual([{ user_id: USER }])
})

test('a late fill that comes while the service restores its runs is squared off', async () => {
  const { rig, entry } = await withRefusedEntry()
  rig.rig.desk.service.brokers.plugins.faults().set([])
  await rig.settled(rig.runs.close())
  const original = RunStore.prototype.ownerOf
  const asked = vi.spyOn(RunStore.prototype, 'ownerOf').mockImplementationOnce(async function (
    this: RunStore,
    run,
  ) {
    // The states of its orders are read, and nobody watches them yet.
    await reportFill(rig, entry)
    return original.call(this, run)
  })
  const again = await rig.reopen()
  expect(asked).toHaveBeenCalled()
  asked.mockRestore()
  await flat(again)
})

test('a late fill that came while the service was down belongs to its run, which goes on', async () => {
  const rig = await RunRig.open('live')
  const leg = { segment: 'cash', position: 'B', lots: 10 }
  const id = await rig.create({ ...PAIR, legs: [leg, leg] }, true)
  const { brokers } = rig.rig.desk.service
  brokers.plugins.faults().set([{ on: ['place'], kind: 'fail', httpStatus: 422, message: 'no', times: 1 }])
  await rig.settled(rig.runs.start(id, { mode: 'live', trigger: 'manual' }))
  await rig.settled(rig.runs.settled())
  await rig.settled(rig.runs.close())
  const [entry] = await rig.query(`select order_ref from strategy_orders where status = 'rejected'`)
  await reportFill(rig, String(entry?.order_ref))
  const again = await rig.reopen()
  await again.settled(again.runs.stop(id, 'manual'))
  await again.ended()
  expect((await again.orders()).toSorted()).toEqual([
    '1 entry BUY complete 10',
    '1 exit_close_all SELL complete 10',
    '2 entry BUY complete 10',
    '2 exit_close_all SELL complete 10',
  ])
})

test('a price that came for a fill while the service was down gives its position the stop', async () => {
  const rig = await RunRig.open('live')
  const legs = [{ segment: 'cash', position: 'B', lots: 10, sl_pts: 5 }]
  const id = await rig.create({ ...PAIR, legs }, true)
  await rig.settled(rig.runs.start(id, { mode: 'live', trigger: 'manual' }))
  await rig.settled(rig.runs.settled())
  const stop = rig.runs.active(id)?.snapshot().legs[0]?.effectiveStop
  expect(stop).toBeGreaterThan(0)
  await rig.settled(rig.rig.desk.close())
  const again = await rig.reopen()
  await again.settled(again.runs.close())
  // As if the broker had told of the fill without its price.
  const { svc } = again.rig.desk.service.databases
  await svc.write((tx) => tx.exec('update strategy_orders set avg_fill_price = null'))
  const last = await again.reopen()
  expect(last.runs.active(id)?.snapshot().legs[0]?.effectiveStop).toBe(stop)
  expect(await last.query('select count(*) as n from strategy_orders where avg_fill_price > 0')).toEqual([
    { n: 1 },
  ])
})

test('two days after its end a run of a deleted strategy is removed, with its rows', async () => {
  const { rig, id } = await withRefusedEntry()
  const kept = await rig.create({ ...ONE, name: 'kept' }, true)
  await expect(rig.settled(rig.runs.start(kept, { mode: 'live', trigger: 'manual' }))).rejects.toThrow()
  await rig.catalog.remove(USER, id)
  await expect(rig.catalog.get(USER, id)).rejects.toMatchObject({ code: 'not_found' })
  const next = await rig.reopen()
  expect(await next.orders()).toHaveLength(2)
  next.clock.suspend(2 * 86_400_000 + 1)
  const last = await next.reopen()
  expect(await last.query('select strategy_id from strategy_runs')).toEqual([{ strategy_id: kept }])
  expect(await last.query('select strategy_id from strategy_orders')).toEqual([{ strategy_id: kept }])
})

test('a late fill of a live run is not squared off in a restored home: it may be squared off already', async () => {
  const first = await withLateFill()
  expect(await first.settled(first.runs.reserveRestored('the backup of 2026-11-20T05:00:00.000Z'))).toBe(true)
  await first.settled(first.rig.desk.close())
  const rig = await first.reopen()
  rig.rig.desk.service.brokers.plugins.faults().set([])
  await aMinute(rig)
  expect(await rig.orders()).toEqual(['1 entry BUY complete 10', '1 exit_close_all SELL rejected 0'])
  const [told] = await rig.query(`select message from strategy_events where kind = 'recovery_failed'`)
  expect(told?.message).toMatch(/restored from the backup of 2026-11-20T05:00:00.000Z/)
  // Its strategy is free: the run was over.
  expect(rig.runs.reserved()).toEqual([])
})

test('a late fill is squared off after a restart', async () => {
  const rig = await withLateFill()
  await flat(await rig.reopen())
})

test('the square-off of a late fill whose row the disk refused is not sent again after a kill', async () => {
  const rig = await withLateFill()
  const { brokers, databases } = rig.rig.desk.service
  const exec = (sql: string) => databases.svc.write((tx) => tx.exec(sql))
  await exec(`create trigger full before insert on strategy_orders begin select raise(abort, 'full'); end`)
  brokers.plugins.faults().set([])
  const sold = async () => (await rig.rig.ledger()).length
  await eventually(async () => {
    await rig.clock.advance(1000)
    await rig.settled(rig.runs.settled())
    return (await sold()) === 1
  })
  expect(await rig.orders()).toHaveLength(2)
  await exec('drop trigger full')
  const again = await rig.reopen()
  await aMinute(again)
  expect(await sold()).toBe(1)
  expect((await again.orders()).slice(2)).toEqual(['1 exit_recovery SELL complete 10'])
  expect((await again.run())?.reopened_at).toBeNull()
})

test('a refused exit is tried again at once when the session of the broker is back', async () => {
  const rig = await RunRig.open('live')
  const legs = [{ segment: 'cash', position: 'B', lots: 10, sl_pts: 5 }]
  const id = await rig.create({ ...PAIR, legs }, true)
  await rig.settled(rig.runs.start(id, { mode: 'live', trigger: 'manual' }))
  await rig.settled(rig.runs.settled())
  const { brokers } = rig.rig.desk.service
  await rig.settled(brokers.logout())
  const run = rig.runs.active(id)
  const entry = run?.snapshot().legs[0]?.entryAverage ?? 0
  run?.tick({ symbol: 'SBIN', exchange: 'NSE' }, entry - 6, rig.clock.now())
  for (let round = 0; round < 24; round += 1) {
    await rig.clock.advance(5_000)
    await rig.settled(rig.runs.settled())
  }
  const refused = await rig.orders()
  expect(refused.at(-1)).toBe('1 exit_sl SELL rejected 0')
  await rig.settled(brokers.login({}))
  await rig.settled(rig.runs.settled())
  expect(await rig.orders()).toHaveLength(refused.length + 1)
  expect((await rig.orders()).at(-1)).toMatch(/^1 exit_sl SELL (open|complete)/)
})
