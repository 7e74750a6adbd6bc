import { once } from 'node:events'
import { expect, onTestFinished, test, vi } from 'vitest'
import { silentLogger } from '../../../../src/core/logging/index.js'
import { parseStrategy } from '../../../../src/core/strategies/config/index.js'
import { RunStore } from '../../../../src/core/strategies/runs/index.js'
import { RunScheduler } from '../../../../src/core/strategies/runs/scheduler.js'
import { istInstant, istTime } from '../../../../src/core/time/index.js'
import { asleep } from '../../../support/asleep.js'
import { USER } from '../../../support/desk/desk.js'
import { deskClock } from '../../../support/desk/desk-clock.js'
import { eventually } from '../../../support/eventually.js'
import { PAIR, RunRig, SIGNALS } from './run-rig.js'

/** The rig starts on a Friday at 11:00. */
const SCHEDULE = {
  enabled: true,
  days: ['FRI'],
  start_time: '11:02',
  auto_stop_time: '11:30',
  default_mode: 'sandbox',
}

/** Moves the clock on, second by second, until a condition holds. */
const until = (rig: RunRig, holds: () => Promise<boolean>, what: string) =>
  eventually(async () => {
    await rig.clock.advance(1_000)
    await rig.runs.settled()
    return holds()
  }, what)

test('a schedule starts a run on its day and stops it at its time', async () => {
  const rig = await RunRig.open('analyze')
  const id = await rig.create({ ...PAIR, scheduler: SCHEDULE })
  await rig.create({ ...PAIR, name: 'monday', scheduler: { ...SCHEDULE, days: ['MON'] } })
  await until(rig, async () => (await rig.run()) !== undefined, 'the run has started')
  expect(await rig.run()).toMatchObject({ strategy_id: id, trigger_source: 'scheduler' })
  await rig.clock.advance(Math.max(0, Date.parse('2026-11-20T11:29:55+05:30') - rig.clock.now()))
  await until(rig, async () => (await rig.run())?.stopped_at !== null, 'the run has stopped')
  expect(await rig.run()).toMatchObject({ strategy_id: id, stop_reason: 'scheduler' })
  expect(await rig.query('select count(*) as n from strategy_runs')).toEqual([{ n: 1 }])
})

test('a scheduled stop reaches a start that still looks up its contracts', async () => {
  const rig = await RunRig.open('analyze')
  const scheduler = { ...SCHEDULE, start_time: '09:20' }
  const legs = [{ segment: 'cash', position: 'B', lots: 10 }]
  const config = { ...PAIR, strategy_type: 'positional', product: 'CNC', exit_time: null, legs, scheduler }
  const id = await rig.create(config)
  await rig.clock.advanceTo(istInstant('2026-11-20', '11:29:59'))
  const claims = new AbortController()
  const original = RunStore.prototype.realizedSince
  const asked = vi.spyOn(RunStore.prototype, 'realizedSince').mockImplementationOnce(async function (
    this: RunStore,
    ...of
  ) {
    await once(claims.signal, 'abort')
    return original.apply(this, of)
  })
  const started = rig.runs.start(id, { mode: 'sandbox', trigger: 'manual' })
  await eventually(async () => asked.mock.calls.length > 0)
  await rig.clock.advance(1_000)
  // The schedules of the minute are read meanwhile.
  for (let read = 0; read < 20; read += 1) await rig.store.scheduled()
  asked.mockRestore()
  claims.abort()
  await rig.settled(started)
  await until(rig, async () => (await rig.run())?.stopped_at !== null, 'the run has stopped')
  expect(await rig.run()).toMatchObject({ strategy_id: id, stop_reason: 'scheduler' })
})

test('a live start without the live gate is refused with an event', async () => {
  const rig = await RunRig.open('live')
  const id = await rig.create({ ...PAIR, scheduler: { ...SCHEDULE, default_mode: 'live' } })
  const refused = `select * from strategy_events where kind = 'live_disabled' and strategy_id = ${id}`
  await until(rig, async () => (await rig.query(refused)).length > 0, 'the start is refused')
  expect(await rig.run()).toBeUndefined()
  expect(
    await rig.query(
      `select severity, message from strategy_events where kind = 'live_disabled' and strategy_id = ${id}`,
    ),
  ).toEqual([
    {
      severity: 'warn',
      message: 'Scheduled live start refused: live trading is not enabled for this strategy',
    },
  ])
})

const start = (rig: RunRig, id: number) =>
  rig.settled(rig.runs.start(id, { mode: 'sandbox', trigger: 'manual' })).then(() => rig.runs.settled())

/** The day of a strategy ends at three in the night. */
const NEXT_DAY = '2026-11-21T03:01:00'

/** Passes hours like a machine that sleeps, and the last minute second by second. */
async function sleepUntil({ clock }: RunRig, time: string): Promise<void> {
  await asleep(clock, Date.parse(`${time}+05:30`) - clock.now(), 60_000)
}

const advanceTo = (rig: RunRig, time: string) =>
  rig.clock.advance(Math.max(0, Date.parse(`2026-11-20T${time}+05:30`) - rig.clock.now()))

test('an exit time stops a run without a schedule, and a run that a person started meanwhile is not started again', async () => {
  const rig = await RunRig.open('analyze')
  const exits = {
    ...PAIR,
    strategy_type: 'positional',
    entry_time: null,
    exit_time: '11:05',
    scheduler: null,
  }
  const id = await rig.create(exits)
  const scheduled = await rig.create({ ...PAIR, name: 'scheduled', scheduler: SCHEDULE })
  await start(rig, id)
  await start(rig, scheduled)
  await advanceTo(rig, '11:04:50')
  await until(rig, async () => (await rig.status(id)) === 'stopped', 'the exit time stops the run')
  expect(
    await rig.query('select strategy_id, trigger_source, stop_reason from strategy_runs order by id'),
  ).toEqual([
    { strategy_id: id, trigger_source: 'manual', stop_reason: 'scheduler' },
    // Its schedule of 11:02 found it running.
    { strategy_id: scheduled, trigger_source: 'manual', stop_reason: null },
  ])
})

test('a weekend has no stop at the exit time', async () => {
  const clock = deskClock('2026-11-21T11:04:00+05:30')
  const rig = await RunRig.open('analyze', { clock })
  const id = await rig.create({ ...PAIR, strategy_type: 'positional', entry_time: null, exit_time: '11:05' })
  await start(rig, id)
  await rig.clock.advance(120_000)
  await rig.settled(rig.runs.settled())
  expect(await rig.status(id)).toBe('running')
})

test.each([
  { late: 50, runs: 1 },
  { late: 130, runs: 0 },
])('a start that a restart missed by $late s: $runs run', async ({ late, runs }) => {
  const rig = await RunRig.open('analyze')
  await rig.create({ ...PAIR, scheduler: { ...SCHEDULE, start_time: '11:10' } })
  const { home } = rig.rig.desk
  await rig.rig.desk.close()
  const at = Date.parse('2026-11-20T11:10:00+05:30') + late * 1000
  const again = await RunRig.open('analyze', { home, clock: deskClock(at) })
  if (runs > 0) await until(again, async () => (await again.run()) !== undefined, 'the run has started')
  else await again.clock.advance(30_000)
  await again.settled(again.runs.settled())
  expect(await again.query('select count(*) as n from strategy_runs')).toEqual([{ n: runs }])
})

test('a start is made up for once, however often the service restarts in its minute', async () => {
  const rig = await RunRig.open('analyze')
  const id = await rig.create({ ...PAIR, scheduler: SCHEDULE })
  await until(rig, async () => (await rig.run()) !== undefined, 'the run has started')
  await rig.settled(rig.runs.stop(id, 'manual')).catch(() => undefined)
  await rig.ended()
  await rig.rig.desk.close()
  const at = Date.parse('2026-11-20T11:02:40+05:30')
  const again = await RunRig.open('analyze', { home: rig.rig.desk.home, clock: deskClock(at) })
  await again.clock.advance(15_000)
  await again.settled(again.runs.settled())
  expect(await again.query('select count(*) as n from strategy_runs')).toEqual([{ n: 1 }])
})

test('a start that a crash cut off before its first order left is made up for in its minute', async () => {
  const rig = await RunRig.open('analyze')
  await rig.create({ ...PAIR, scheduler: SCHEDULE })
  // The process dies before the rows of the entries are stored.
  const never = new Promise<void>((_, reject) => {
    onTestFinished(() => reject(new Error('the process has died')))
  })
  const stored = vi.spyOn(RunStore.prototype, 'apply').mockReturnValueOnce(never)
  await eventually(async () => {
    await rig.clock.advance(1_000)
    return stored.mock.calls.length > 0
  }, 'the run is claimed')
  const again = await rig.reopen('analyze')
  const runs = () => again.query('select stop_reason from strategy_runs order by id')
  await until(again, async () => (await runs()).length === 2, 'the run has started again')
  expect(await runs()).toEqual([{ stop_reason: 'error' }, { stop_reason: null }])
  await until(again, async () => (await again.orders()).length === 2, 'the entries are stored')
})

/** Delivery shares that a run holds until 11:05. */
const UNTIL_11_05 = {
  ...PAIR,
  strategy_type: 'positional',
  entry_time: null,
  exit_time: '11:05',
  product: 'CNC',
  legs: [{ segment: 'cash', position: 'B', lots: 10 }],
}

test.each([
  ['four minutes later', '2026-11-20T11:09:30+05:30'],
  ['after a weekend', '2026-11-23T09:30:00+05:30'],
])('a stop that fell into downtime is made up for at the start, also %s', async (_, at) => {
  const rig = await RunRig.open('analyze')
  const id = await rig.create(UNTIL_11_05)
  await start(rig, id)
  await rig.rig.desk.close()
  const again = await RunRig.open('analyze', { home: rig.rig.desk.home, clock: deskClock(at) })
  const isOver = async () =>
    (await again.status(id)) === 'stopped' || again.clock.now() > Date.parse(at) + 90_000
  await until(again, isOver, 'the run has stopped')
  expect(await again.run()).toMatchObject({ stop_reason: 'scheduler' })
  expect((await again.orders()).at(-1)).toMatch(/SELL complete 10$/)
})

test('a stop that fell into sleep is made up for after a change of the strategy that is no change of its times', async () => {
  const rig = await RunRig.open('analyze')
  const id = await rig.create(UNTIL_11_05)
  await start(rig, id)
  rig.clock.suspend(istInstant('2026-11-20', '11:10') - rig.clock.now())
  await rig.catalog.rotateToken(USER, id)
  await advanceTo(rig, '11:11:30')
  await rig.settled(rig.runs.settled())
  expect(await rig.run()).toMatchObject({ stop_reason: 'scheduler' })
})

test('a stop that fell into sleep is made up for, and one from before the run is not', async () => {
  const rig = await RunRig.open('analyze')
  const id = await rig.create(UNTIL_11_05)
  await start(rig, id)
  rig.clock.suspend(istInstant('2026-11-20', '11:10') - rig.clock.now())
  await advanceTo(rig, '11:11:30')
  await rig.settled(rig.runs.settled())
  expect(await rig.run()).toMatchObject({ stop_reason: 'scheduler' })
  await start(rig, id)
  await rig.clock.advance(180_000)
  await rig.settled(rig.runs.settled())
  expect(await rig.status(id)).toBe('running')
})

test('the first signal of a new day closes the run of the day before and opens its own', async () => {
  const rig = await RunRig.open('live')
  const id = await rig.create(
    { ...SIGNALS, strategy_type: 'positional', exit_time: null, product: 'CNC' },
    true,
  )
  const send = async (signal: 'long_entry' | 'long_exit') => {
    const answer = await rig.settled(rig.runs.signal(id, { legId: 1, signal }))
    await rig.settled(rig.runs.settled())
    return answer
  }
  expect((await send('long_entry')).runId).toBe(1)
  await sleepUntil(rig, '2026-11-20T23:59:00')
  expect((await send('long_entry')).note).toBe('already_long')
  await sleepUntil(rig, NEXT_DAY)
  const answer = await send('long_entry')
  expect(answer).toMatchObject({ runId: 2, refused: null })
  const rolled =
    "select run_id, kind, severity, message from strategy_events where kind in ('eod_squareoff', 'run_stopped') order by id"
  expect(await rig.query(rolled)).toEqual([
    {
      run_id: 1,
      kind: 'eod_squareoff',
      severity: 'warn',
      message: "Previous day's run closed on the first signal of a new day",
    },
    { run_id: 1, kind: 'run_stopped', severity: 'info', message: 'Run stopped (eod)' },
  ])
  expect(
    (await rig.query('select stop_reason from strategy_runs order by id')).map((row) => row.stop_reason),
  ).toEqual(['eod', null])
  expect((await rig.orders()).map((row) => row.replace(/ complete \d+$/, ''))).toEqual([
    '1 entry BUY',
    '1 exit_eod SELL',
    '1 entry BUY',
  ])
  // The book of the new day holds the sale of yesterday's shares and the purchase of today.
  expect(await rig.brokerNet()).toBe(0)
})

test('signals while the run of the day before is closing tell of it once', async () => {
  const rig = await RunRig.open('live')
  const id = await rig.create(
    { ...SIGNALS, strategy_type: 'positional', exit_time: null, product: 'CNC' },
    true,
  )
  const send = () => rig.settled(rig.runs.signal(id, { legId: 1, signal: 'long_entry' }))
  await send()
  await rig.settled(rig.runs.settled())
  await sleepUntil(rig, NEXT_DAY)
  rig.rig.desk.service.brokers.plugins
    .faults()
    .set([{ on: ['place'], kind: 'fail', httpStatus: 422, message: 'closed', times: 99 }])
  for (let time = 0; time < 3; time++) await expect(send()).rejects.toThrow('still closing its positions')
  const told = await rig.query("select run_id from strategy_events where kind = 'eod_squareoff'")
  expect(told).toEqual([{ run_id: 1 }])
})

/** A scheduler with strategies that start or stop at times of Friday, and a clock that a test may set. */
function scheduler(configs: readonly object[]) {
  const clock = deskClock('2026-11-20T09:18:30+05:30')
  const began: string[] = []
  const events: unknown[] = []
  const run = {
    isOpen: (_at: number | undefined) => true,
    start: async (_id: number) => undefined as unknown,
    reads: async () => undefined as unknown,
    close: (_exchange: string) => undefined,
  }
  const rows = configs.map((config, index) => ({
    id: index + 1,
    userId: 'u',
    liveEnabled: true,
    config: JSON.stringify(parseStrategy({ ...PAIR, name: `s${index}`, ...config })),
  }))
  const store: Partial<RunStore> = {
    scheduled: async () => {
      await run.reads()
      return rows as Awaited<ReturnType<RunStore['scheduled']>>
    },
    wasStartedByScheduler: async () => false,
    append: async (event) => void events.push(event),
  }
  const active = new Set<number>()
  const time = () => istTime(clock.now()).slice(0, 5)
  const one = new RunScheduler({
    clock,
    log: silentLogger,
    store: store as RunStore,
    calendar: {
      isOpen: (_exchange, at) => run.isOpen(at),
      isTradingDay: () => true,
      close: (exchange) => run.close(exchange),
    },
    start: async (id) => {
      began.push(`${time()} start ${id}`)
      await run.start(id)
    },
    stop: async (id) => void began.push(`${time()} stop ${id}`),
    isActive: (id) => active.has(id),
    isOpening: () => false,
  })
  one.start()
  return { clock, began, events, run, active, scheduler: one }
}

const startAt = (start_time: string) => ({ scheduler: { ...SCHEDULE, start_time, auto_stop_time: '14:00' } })

test('a schedule that cannot be judged keeps no later one of its minute from its start', async () => {
  const {
    began,
    clock,
    run,
    scheduler: one,
  } = scheduler([{ ...startAt('09:20'), underlying_exchange: 'BSE' }, startAt('09:20')])
  run.close = (exchange) => {
    if (exchange === 'BSE') throw new Error('no such exchange')
  }
  await clock.advance(120_000)
  await one.stop()
  expect(began).toEqual(['09:20 start 2'])
})

test('a slow start delays neither another start of its minute nor a later minute', async () => {
  const rig = scheduler([startAt('09:20'), startAt('09:20'), startAt('09:21')])
  let finish: () => void = () => undefined
  rig.run.start = (id) =>
    id === 1
      ? new Promise<void>((resolve) => {
          finish = resolve
        })
      : Promise.resolve()
  await rig.clock.advance(180_000)
  expect(rig.began).toEqual(['09:20 start 1', '09:20 start 2', '09:21 start 3'])
  finish()
  await rig.scheduler.stop()
})

test('a start outside of the hours of a special day is refused with an event', async () => {
  const rig = scheduler([startAt('09:20'), startAt('09:21')])
  rig.run.isOpen = (at = 0) => istTime(at) >= '09:21'
  await rig.clock.advance(180_000)
  expect(rig.began).toEqual(['09:21 start 2'])
  expect(rig.events).toMatchObject([
    {
      strategyId: 1,
      kind: 'leg_entry_rejected',
      message: expect.stringMatching(/NSE is closed at 09:20 today/),
    },
  ])
  await rig.scheduler.stop()
})

test('a clock that jumps a week ahead and back misses no minute, and repeats none', async () => {
  const rig = scheduler([startAt('09:20'), startAt('09:30')])
  await rig.clock.advance(100_000)
  expect(rig.began).toEqual(['09:20 start 1'])
  rig.clock.step(8 * 24 * 3_600_000)
  await rig.clock.advance(120_000)
  rig.clock.step(-8 * 24 * 3_600_000 - 180_000)
  await rig.clock.advance(15 * 60_000)
  expect(rig.began).toEqual(['09:20 start 1', '09:30 start 2'])
  await rig.scheduler.stop()
})

test('a minute whose schedules could not be read is made up for in the next one', async () => {
  const rig = scheduler([startAt('09:20')])
  let reads = 0
  rig.run.reads = async () => {
    reads += 1
    if (istTime(rig.clock.now()).startsWith('09:20')) throw new Error('disk error')
  }
  await rig.clock.advance(180_000)
  expect(reads).toBeGreaterThan(2)
  expect(rig.began).toEqual(['09:21 start 1'])
  await rig.scheduler.stop()
})

test('a scheduled start that is refused leaves an event with its reason', async () => {
  const rig = await RunRig.open('analyze')
  const id = await rig.create({ ...PAIR, underlying: 'NOSUCH', scheduler: SCHEDULE })
  const refused = `select severity, message, payload from strategy_events where strategy_id = ${id} and kind = 'leg_entry_rejected'`
  await until(rig, async () => (await rig.query(refused)).length > 0, 'the start is refused')
  const [event] = await rig.query(refused)
  expect(event).toMatchObject({
    severity: 'warn',
    message: expect.stringMatching(/^Scheduled sandbox start refused: /),
  })
  expect(JSON.parse(String(event?.payload))).toMatchObject({
    trigger_source: 'scheduler',
    mode: 'sandbox',
    failure: expect.any(String),
  })
})

test('the first signal of a new day waits for the fills of the day before', async () => {
  const rig = await RunRig.open('live')
  const legs = [{ ...SIGNALS.legs[0], qty: 5_000 }]
  const id = await rig.create(
    { ...SIGNALS, legs, strategy_type: 'positional', exit_time: null, product: 'CNC' },
    true,
  )
  const send = () => rig.settled(rig.runs.signal(id, { legId: 1, signal: 'long_entry' }))
  await send()
  await until(rig, async () => (await rig.orders())[0] === '1 entry BUY complete 5000', 'the entry is filled')
  await sleepUntil(rig, NEXT_DAY)
  expect(await send()).toMatchObject({ runId: 2, refused: null })
  expect((await rig.orders())[1]).toBe('1 exit_eod SELL complete 5000')
})
