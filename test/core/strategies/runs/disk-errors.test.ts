import { describe, expect, test } from 'vitest'
import { eventOf } from '../../../../src/core/strategies/engine/texts.js'
import { USER } from '../../../support/desk/desk.js'
import { eventually } from '../../../support/eventually.js'
import { PAIR, RunRig } from './run-rig.js'

/* Changes of a run that the disk refused are stored later: each once, and in their order. */

async function open() {
  const rig = await RunRig.open('live')
  const id = await rig.create(PAIR, true)
  await rig.settled(rig.runs.start(id, { mode: 'live', trigger: 'manual' }))
  await rig.settled(rig.runs.settled())
  const run = rig.runs.active(id)
  if (!run) throw new Error('the run is not in memory')
  const exec = (sql: string) => rig.rig.desk.service.databases.svc.write((tx) => tx.exec(sql))
  return {
    rig,
    run,
    note: (message: string) =>
      run.perform([{ type: 'event', event: eventOf('leg_entry_placed', message, { severity: 'warn' }) }]),
    fill: () =>
      exec(`create trigger full before insert on strategy_events begin select raise(abort, 'full'); end`),
    free: () => exec('drop trigger full'),
    noted: async () =>
      (await rig.query(`select message from strategy_events where message like 'note %' order by id`)).map(
        ({ message }) => message,
      ),
  }
}

test('an answer of the broker that the disk refuses is told with its leg, and stored later in exactly its row', async () => {
  const rig = await RunRig.open('live')
  const id = await rig.create(PAIR, true)
  const exec = (sql: string) => rig.rig.desk.service.databases.svc.write((tx) => tx.exec(sql))
  await exec(`create trigger full before update on strategy_orders begin select raise(abort, 'full'); end`)
  await rig.settled(rig.runs.start(id, { mode: 'live', trigger: 'manual' }))
  await rig.settled(rig.runs.settled())
  expect(await rig.orders()).toEqual(['2 entry BUY pending 0', '1 entry SELL pending 0'])
  expect(await rig.events()).not.toContain('order_ack_unrecorded')
  await exec('drop trigger full')
  await eventually(async () => {
    await rig.clock.advance(1000)
    return (await rig.events()).includes('order_ack_unrecorded')
  }, 'the refused answers are stored')
  await rig.settled(rig.runs.settled())
  expect(await rig.orders()).toEqual(['2 entry BUY complete 10', '1 entry SELL complete 5'])
  const orders = await rig.query('select order_ref, leg_id, broker_order_id from strategy_orders order by id')
  const told = await rig.query(
    `select severity, leg_id, payload from strategy_events where kind = 'order_ack_unrecorded' order by id`,
  )
  for (const order of orders) {
    const own = told.filter(({ leg_id }) => leg_id === order.leg_id)
    expect(own.length).toBeGreaterThan(0)
    expect(own[0]?.severity).toBe('critical')
    expect(JSON.parse(String(own[0]?.payload))).toMatchObject({
      version: 1,
      order_id: order.order_ref,
      run_id: 1,
      leg_id: order.leg_id,
      broker_order_id: order.broker_order_id,
      accepted: true,
      reject_reason: null,
    })
  }
  await rig.settled(rig.runs.stop(id, 'manual'))
  await rig.ended()
  expect(await rig.brokerNet()).toBe(0)
})

test('a sweep that meets a new change stores every change once', async () => {
  const { fill, free, note, noted, rig, run } = await open()
  await fill()
  note('note 1')
  note('note 2')
  await rig.settled(run.settled())
  expect(await noted()).toEqual([])
  await free()
  const swept = run.sweep()
  note('note 3')
  await rig.settled(Promise.all([swept, run.settled()]))
  expect(await noted()).toEqual(['note 1', 'note 2', 'note 3'])
})

describe.each(['live', 'sandbox'] as const)('an exit of a %s run whose row the disk refused', (mode) => {
  async function sent() {
    const service = mode === 'live' ? 'live' : 'analyze'
    const rig = await RunRig.open(service)
    const id = await rig.create(PAIR, mode === 'live')
    await rig.settled(rig.runs.start(id, { mode, trigger: 'manual' }))
    await rig.settled(rig.runs.settled())
    const exec = (sql: string) => rig.rig.desk.service.databases.svc.write((tx) => tx.exec(sql))
    await exec(`create trigger full before insert on strategy_orders begin select raise(abort, 'full'); end`)
    await rig.settled(rig.runs.closeLeg(id, 2))
    expect(await rig.orders()).toHaveLength(2)
    await exec('drop trigger full')
    return { id, rig: await rig.reopen(service) }
  }

  async function quantities(rig: RunRig): Promise<number[]> {
    const { brokers, sandbox } = rig.rig.desk.service
    const rows =
      mode === 'live'
        ? await rig.settled(brokers.client().portfolio.positions())
        : await rig.settled(sandbox.quantities(USER))
    return rows.map(({ quantity }) => quantity)
  }

  test('is known after a kill, and not sent again', async () => {
    const { id, rig } = await sent()
    expect(await quantities(rig)).toEqual([-5])
    expect((await rig.orders()).slice(2)).toEqual(['2 exit_recovery SELL complete 10'])
    await rig.settled(rig.runs.stop(id, 'manual'))
    await rig.ended()
    expect(await quantities(rig)).toEqual([0])
    expect((await rig.orders()).slice(3)).toEqual(['1 exit_close_all BUY complete 5'])
  })
})

test('an answer of the broker that the disk refuses is told at once, and stored later', async () => {
  const { rig, run } = await open()
  const { bus, databases } = rig.rig.desk.service
  const told: unknown[] = []
  bus.subscribe('strategy_event', 'test', ({ kind }) => {
    if (kind === 'order_ack_unrecorded') told.push(kind)
  })
  const exec = (sql: string) => databases.svc.write((tx) => tx.exec(sql))
  await exec(`create trigger full before update on strategy_orders begin select raise(abort, 'full'); end`)
  await rig.settled(rig.runs.closeLeg(run.strategyId, 2))
  await rig.settled(run.settled())
  await bus.idle()
  expect(told.length).toBeGreaterThan(0)
  const stored = `select kind from strategy_events where kind = 'order_ack_unrecorded'`
  expect(await rig.query(stored)).toEqual([])
  await exec('drop trigger full')
  await rig.settled(run.sweep())
  await bus.idle()
  expect(await rig.query(stored)).toHaveLength(told.length)
})

test('a run is restored from the newest checkpoint that can be read', async () => {
  const { rig, run } = await open()
  await rig.clock.advance(6_000)
  await eventually(async () => (await rig.store.checkpoints.last(run.runId)) !== null)
  const known = await rig.store.checkpoints.last(run.runId)
  expect(known).not.toBeNull()
  await rig.rig.desk.service.databases.svc.write((tx) =>
    tx.exec(`insert into strategy_checkpoints (strategy_id, run_id, ts, pnl_realized, pnl_unrealized, pnl_total, pnl_peak,
      pnl_trough, leg_state) select strategy_id, run_id, ts + 1, 0, 0, 0, 0, 0, '{' from strategy_checkpoints`),
  )
  expect(await rig.store.checkpoints.last(run.runId)).toEqual(known)
})
