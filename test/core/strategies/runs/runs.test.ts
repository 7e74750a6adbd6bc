import { describe, expect, test, vi } from 'vitest'
import { USER } from '../../../support/desk/desk.js'
import { deskClock } from '../../../support/desk/desk-clock.js'
import { eventually } from '../../../support/eventually.js'
import { PAIR, RunRig, SIGNALS } from './run-rig.js'

describe.each(['sandbox', 'live'] as const)('a batch run, %s', (mode) => {
  const open = () => RunRig.open('live')

  test('opens all legs, buys first, and closes exactly what it opened', async () => {
    const rig = await open()
    const id = await rig.create(PAIR, mode === 'live')
    const started = await rig.settled(rig.runs.start(id, { mode, trigger: 'manual' }))
    expect(started.legs.map(({ legId, ok, acknowledged }) => ({ legId, ok, acknowledged }))).toEqual([
      { legId: 2, ok: true, acknowledged: true },
      { legId: 1, ok: true, acknowledged: true },
    ])
    await rig.settled(rig.runs.settled())
    expect(await rig.orders()).toEqual(['2 entry BUY complete 10', '1 entry SELL complete 5'])
    expect(await rig.status(id)).toBe('running')
    const stopped = await rig.settled(rig.runs.stop(id, 'manual'))
    expect(stopped.refused).toBeNull()
    expect(stopped.exits).toHaveLength(2)
    await rig.ended()
    expect((await rig.orders()).slice(2).sort()).toEqual([
      '1 exit_close_all BUY complete 5',
      '2 exit_close_all SELL complete 10',
    ])
    expect(await rig.run()).toMatchObject({ stop_reason: 'manual', stop_requested_reason: 'manual' })
    expect(await rig.status(id)).toBe('stopped')
    expect(await rig.brokerNet()).toBe(0)
    expect(await rig.events()).toContain('run_stopped')
  })

  test('has one unfinished run, whoever starts it at the same time', async () => {
    const rig = await open()
    const id = await rig.create(PAIR, mode === 'live')
    const starts = [1, 2, 3].map(() => rig.runs.start(id, { mode, trigger: 'manual' }))
    const ends = await rig.settled(Promise.allSettled(starts))
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await rig.query('select count(*) as n from strategy_runs')).toEqual([{ n: 1 }])
  })
})

test('a start is refused with its reason, and leaves nothing', async () => {
  const rig = await RunRig.open('live')
  const id = await rig.create(PAIR)
  const signals = await rig.create(SIGNALS)
  await expect(rig.runs.start(id, { mode: 'live', trigger: 'manual' })).rejects.toThrow(
    /not enabled for live/,
  )
  await expect(rig.runs.start(signals, { mode: 'sandbox', trigger: 'manual' })).rejects.toThrow(
    /has no start/,
  )
  await expect(rig.runs.start(999, { mode: 'sandbox', trigger: 'manual' })).rejects.toThrow(/not found/)
  await expect(rig.runs.stop(id, 'manual')).rejects.toThrow(/not running/)
  const unknown = await rig.create({ ...PAIR, name: 'unknown', underlying: 'NOSUCH' })
  await expect(rig.settled(rig.runs.start(unknown, { mode: 'sandbox', trigger: 'manual' }))).rejects.toThrow()
  expect(await rig.query('select * from strategy_runs')).toEqual([])
  expect(await rig.status(unknown)).toBe('stopped')
})

test('a live start in Analyzer mode is refused, and an exit of a live run still reaches the broker', async () => {
  const rig = await RunRig.open('live')
  const id = await rig.create(PAIR, true)
  await rig.settled(rig.runs.start(id, { mode: 'live', trigger: 'manual' }))
  await rig.settled(rig.runs.settled())
  await rig.rig.switchTo('semi_auto_analyze')
  await rig.rig.desk.service.risk.setKillSwitch(true, 'test', USER)
  await rig.settled(rig.runs.stop(id, 'manual'))
  await rig.ended()
  expect(await rig.brokerNet()).toBe(0)
  await expect(rig.runs.start(id, { mode: 'live', trigger: 'manual' })).rejects.toThrow(/Analyzer mode/)
})

test('a day that has lost its limit starts no run', async () => {
  const rig = await RunRig.open('live')
  const id = await rig.create({ ...PAIR, daily_loss_limit_inr: 0.01 })
  const start = () => rig.settled(rig.runs.start(id, { mode: 'sandbox', trigger: 'manual' }))
  // A round trip at bid and ask loses more than a paisa.
  await start()
  await rig.settled(rig.runs.settled())
  await rig.settled(rig.runs.stop(id, 'manual')).catch(() => undefined)
  await rig.ended()
  expect(Number((await rig.run())?.pnl_realized)).toBeLessThan(0)
  await expect(start()).rejects.toThrow('The daily loss limit of 0.01 is reached')
  expect(await rig.query('select count(*) as n from strategy_runs')).toEqual([{ n: 1 }])
})

test('a stop that comes while a start looks up its contracts stops its run', async () => {
  const rig = await RunRig.open('live')
  const id = await rig.create(PAIR, true)
  const start = rig.runs.start(id, { mode: 'live', trigger: 'manual' })
  const stop = rig.runs.stop(id, 'manual')
  expect((await rig.settled(stop)).runId).toBe((await start).runId)
  await rig.ended()
  expect(await rig.brokerNet()).toBe(0)
})

test('live trading that is switched off while a start looks up its contracts sends nothing', async () => {
  const rig = await RunRig.open('live')
  const id = await rig.create(PAIR, true)
  const start = rig.runs.start(id, { mode: 'live', trigger: 'manual' })
  await rig.catalog.setLive(USER, id, false)
  await expect(rig.settled(start)).rejects.toThrow()
  expect(await rig.orders()).toEqual([])
  expect(await rig.status(id)).toBe('stopped')
})

test('the kill switch refuses every entry, and the run ends', async () => {
  const rig = await RunRig.open('live')
  const id = await rig.create(PAIR, true)
  await rig.rig.desk.service.risk.setKillSwitch(true, 'test', USER)
  const start = rig.settled(rig.runs.start(id, { mode: 'live', trigger: 'manual' }))
  await expect(start).rejects.toThrow(/Every entry order was rejected/)
  await rig.ended()
  expect(await rig.status(id)).toBe('stopped')
  expect(await rig.rig.ledger()).toEqual([])
})

test('in semi-auto mode the entries wait, approval fills them, and the stop asks nobody', async () => {
  const rig = await RunRig.open('semi_auto')
  const id = await rig.create(PAIR, true)
  await rig.settled(rig.runs.start(id, { mode: 'live', trigger: 'manual' }))
  expect(await rig.orders()).toEqual(['2 entry BUY pending 0', '1 entry SELL pending 0'])
  await rig.settled(rig.rig.desk.service.approvals.approveAll(USER, USER))
  await eventually(async () => {
    await rig.runs.settled()
    return (await rig.orders()).every((row) => row.includes('complete'))
  }, 'the entries are filled')
  await rig.settled(rig.runs.stop(id, 'manual'))
  await rig.ended()
  expect(await rig.brokerNet()).toBe(0)
})

test('a stop withdraws entries that wait for approval', async () => {
  const rig = await RunRig.open('semi_auto')
  const id = await rig.create(PAIR, true)
  await rig.settled(rig.runs.start(id, { mode: 'live', trigger: 'manual' }))
  await rig.settled(rig.runs.stop(id, 'manual'))
  await rig.ended()
  expect(rig.rig.desk.service.approvals.count(USER)).toBe(0)
  expect(await rig.rig.ledger()).toEqual([])
})

test('a refused exit keeps the run open, and is retried until it is flat', async () => {
  const rig = await RunRig.open('live')
  const id = await rig.create(PAIR, true)
  await rig.settled(rig.runs.start(id, { mode: 'live', trigger: 'manual' }))
  await rig.settled(rig.runs.settled())
  rig.rig.desk.service.brokers.plugins
    .faults()
    .set([{ on: ['place'], kind: 'fail', httpStatus: 422, message: 'no' }])
  const stopped = await rig.settled(rig.runs.stop(id, 'manual'))
  expect(stopped).toMatchObject({ stopPending: true, refused: expect.stringMatching(/2 of 2 exit/) })
  expect(await rig.status(id)).toBe('running')
  rig.rig.desk.service.brokers.plugins.faults().set([])
  await rig.ended()
  expect(await rig.brokerNet()).toBe(0)
})

test('a stop loss is hit by a tick', async () => {
  const rig = await RunRig.open('analyze')
  const id = await rig.create({
    ...PAIR,
    legs: [{ segment: 'cash', position: 'B', lots: 10, sl_pts: 5 }],
  })
  await rig.settled(rig.runs.start(id, { mode: 'sandbox', trigger: 'manual' }))
  await rig.settled(rig.runs.settled())
  const [leg] = rig.runs.active(id)?.snapshot().legs ?? []
  rig.runs
    .active(id)
    ?.tick({ symbol: 'SBIN', exchange: 'NSE' }, (leg?.entryAverage ?? 0) - 6, rig.clock.now())
  await rig.ended()
  expect(await rig.orders()).toEqual(['1 entry BUY complete 10', '1 exit_sl SELL complete 10'])
  expect(await rig.events()).toContain('leg_sl_hit')
})

test('signals open, flip and close a leg', async () => {
  const rig = await RunRig.open('analyze')
  const id = await rig.create(SIGNALS)
  const send = (signal: 'long_entry' | 'long_exit' | 'short_entry' | 'short_exit') =>
    rig.settled(rig.runs.signal(id, { legId: 1, signal })).then(async (answer) => {
      await rig.settled(rig.runs.settled())
      return answer
    })
  expect(await send('long_exit')).toMatchObject({ runId: null, note: 'no_matching_position' })
  expect(await send('long_entry')).toMatchObject({ note: null, refused: null })
  expect(await send('long_entry')).toMatchObject({ note: 'already_long' })
  expect(await send('short_entry')).toMatchObject({ refused: null })
  expect(await send('short_exit')).toMatchObject({ refused: null })
  expect((await rig.orders()).map((row) => row.replace(/ complete \d+$/, ''))).toEqual([
    '1 entry BUY',
    '1 exit_signal SELL',
    '1 entry SELL',
    '1 exit_signal BUY',
  ])
  expect(await rig.status(id)).toBe('running')
})

test('checkpoints are stored while the run changes', async () => {
  const rig = await RunRig.open('analyze')
  const id = await rig.create(PAIR)
  await rig.settled(rig.runs.start(id, { mode: 'sandbox', trigger: 'manual' }))
  await rig.settled(rig.runs.settled())
  await eventually(async () => {
    await rig.clock.advance(5_000)
    return (await rig.query('select id from strategy_checkpoints')).length > 0
  }, 'a checkpoint is stored')
})

test('a purchase that is refused leaves the sale of the same start unsent', async () => {
  const rig = await RunRig.open('live')
  const id = await rig.create(PAIR, true)
  rig.rig.desk.service.brokers.plugins
    .faults()
    .set([{ on: ['place'], times: 1, kind: 'fail', httpStatus: 422 }])
  await rig.settled(rig.runs.start(id, { mode: 'live', trigger: 'manual' })).catch(() => undefined)
  await rig.settled(rig.runs.settled())
  expect(await rig.orders()).toContain('1 entry SELL rejected 0')
  expect(await rig.brokerNet()).toBe(0)
})

test('a start that the expiry of a leg would end at once is refused', async () => {
  const rig = await RunRig.open('live', { clock: deskClock('2026-11-24T15:22:00+05:30') })
  const id = await rig.create(
    {
      name: 'weekly',
      strategy_kind: 'batch',
      strategy_type: 'positional',
      product: 'NRML',
      underlying: 'NIFTY',
      underlying_exchange: 'NSE_INDEX',
      legs: [
        {
          segment: 'options',
          position: 'B',
          lots: 1,
          expiry: 'weekly',
          strike_mode: 'atm',
          atm_offset: 'ATM',
          option_type: 'CE',
        },
      ],
    },
    true,
  )
  const start = () => rig.settled(rig.runs.start(id, { mode: 'live', trigger: 'manual' }))
  await expect(start()).rejects.toThrow(/^Leg 1 is squared off at 15:20 because its contract expires today/)
  expect(await rig.query('select * from strategy_runs')).toEqual([])
})

test('the closing of a leg is stored at once: a killed service does not enter the leg again', async () => {
  const rig = await RunRig.open('analyze')
  const reentry = { on: 'any', mode: 'asap', max: 3 }
  const [sold, bought] = PAIR.legs
  const id = await rig.create({ ...PAIR, legs: [{ ...sold, sl_pts: 5, reentry }, bought] })
  await rig.settled(rig.runs.start(id, { mode: 'sandbox', trigger: 'manual' }))
  await rig.settled(rig.runs.settled())
  await rig.settled(rig.runs.closeLeg(id, 1))
  await rig.settled(rig.runs.settled())
  const [last] = await rig.query('select leg_state from strategy_checkpoints order by id desc limit 1')
  expect(JSON.parse(String(last?.leg_state)).legs).toMatchObject([{ legId: 1, isReentryOff: true }, {}])
})

test('the fill of an order is stored and published once, although its answer and its update both say it', async () => {
  const rig = await RunRig.open('analyze')
  const id = await rig.create(SIGNALS)
  await rig.settled(rig.runs.signal(id, { legId: 1, signal: 'long_entry' }))
  await rig.settled(rig.runs.settled())
  const updates = await rig.rig.desk.published('strategy_order_update')
  expect(updates.map(({ filled_qty: filled, status }) => `${status} ${filled}`)).toEqual(['complete 10'])
  expect(await rig.events()).toEqual(['run_started', 'leg_entry_placed', 'leg_entry_filled'])
})

test('of a run the newest 200 checkpoints are kept, and those of other runs stay', async () => {
  const rig = await RunRig.open('analyze')
  const other = await rig.create({ ...PAIR, name: 'other' })
  const id = await rig.create(PAIR)
  for (const one of [other, id]) {
    await rig.settled(rig.runs.start(one, { mode: 'sandbox', trigger: 'manual' }))
    await rig.settled(rig.runs.settled())
  }
  const checkpoint = (run: number) => rig.runs.active(run)?.takeCheckpoint() ?? []
  const first = [checkpoint(id), checkpoint(other)].flat()
  await rig.store.checkpoints.save(first)
  const [last] = first
  if (!last) throw new Error('the run has no checkpoint')
  await rig.store.checkpoints.save(
    Array.from({ length: 250 }, (_, index) => ({
      ...last,
      checkpoint: { ...last.checkpoint, at: last.checkpoint.at + index },
    })),
  )
  await rig.store.checkpoints.prune([last.definition.runId])
  expect(
    await rig.query(
      'select run_id, count(*) as n, max(ts) as newest from strategy_checkpoints group by run_id order by run_id',
    ),
  ).toEqual([
    { run_id: 1, n: 1, newest: expect.any(Number) },
    { run_id: 2, n: 200, newest: last.checkpoint.at + 249 },
  ])
})

test('an exit signal does not wait for the answer to the entry of another leg', async () => {
  const rig = await RunRig.open('live')
  const legs = [
    { symbol: 'SBIN', exchange: 'NSE', segment: 'cash', qty: 10 },
    { symbol: 'INFY', exchange: 'NSE', segment: 'cash', qty: 4 },
  ]
  const id = await rig.create({ ...SIGNALS, legs }, true)
  await rig.settled(rig.runs.signal(id, { legId: 1, signal: 'long_entry' }))
  await rig.settled(rig.runs.settled())
  rig.rig.desk.service.brokers.plugins
    .faults()
    .set([{ on: ['place'], kind: 'delay', latencyMs: 20_000, times: 1 }])
  const entry = rig.runs.signal(id, { legId: 2, signal: 'long_entry' })
  const answered = vi.fn()
  void entry.then(answered, answered)
  await eventually(
    async () => (await rig.query(`select * from order_journal where state = 'sending'`)).length > 0,
    'the slow entry is being sent',
  )
  const exit = await rig.settled(rig.runs.signal(id, { legId: 1, signal: 'long_exit' }))
  expect(exit).toMatchObject({ refused: null })
  expect((await rig.orders())[2]).toContain('1 exit_signal SELL')
  expect(answered).not.toHaveBeenCalled()
  expect(await rig.settled(entry)).toMatchObject({ refused: null })
})
