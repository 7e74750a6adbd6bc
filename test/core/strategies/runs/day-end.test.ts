import { expect, test } from 'vitest'
import { istInstant } from '../../../../src/core/time/index.js'
import { USER } from '../../../support/desk/desk.js'
import { eventually } from '../../../support/eventually.js'
import { PAIR, RunRig } from './run-rig.js'

/* The rig begins on Friday, 20 November 2026, at 11:00. The market keeps its hours. */
const MARKET_HOURS = { env: { SIM_SESSIONS: 'market' } }
const LATE = { ...PAIR, exit_time: '15:25' }
const at = (date: string, time: string) => istInstant(date, time)

const openRig = () => RunRig.open('analyze', MARKET_HOURS)

async function moveTo(rig: RunRig, instant: number): Promise<void> {
  await rig.clock.advance(instant - rig.clock.now())
  await rig.settled(rig.runs.settled())
}

test('a run leaves MIS positions before the sandbox squares them off, although its exit time is later', async () => {
  const rig = await openRig()
  const id = await rig.create(LATE)
  await rig.settled(rig.runs.start(id, { mode: 'sandbox', trigger: 'manual' }))
  await rig.settled(rig.runs.settled())
  await moveTo(rig, at('2026-11-20', '15:14') + 5_000)
  await rig.ended()
  expect((await rig.orders()).slice(2).sort()).toEqual([
    '1 exit_eod BUY complete 5',
    '2 exit_eod SELL complete 10',
  ])
  expect(await rig.run()).toMatchObject({ stop_reason: 'eod' })
  await moveTo(rig, at('2026-11-20', '15:20'))
  expect(await rig.rig.desk.service.sandbox.openPositions(USER)).toEqual([])
})

test('a start with MIS after that moment is refused with its time', async () => {
  const rig = await openRig()
  const id = await rig.create(LATE)
  await moveTo(rig, at('2026-11-20', '15:14'))
  await expect(rig.settled(rig.runs.start(id, { mode: 'sandbox', trigger: 'manual' }))).rejects.toThrow(
    /Leg \d is squared off at 15:14 because positions of product MIS end today/,
  )
  expect(await rig.query('select * from strategy_runs')).toEqual([])
})

test('a service that was down over the square-off sends no exit on the next day', async () => {
  const rig = await openRig()
  const id = await rig.create(LATE, true)
  await rig.rig.switchTo('live')
  await rig.settled(rig.runs.start(id, { mode: 'live', trigger: 'manual' }))
  await rig.settled(rig.runs.settled())
  const sent = await rig.orders()
  // The process is gone until Monday.
  await rig.rig.desk.close()
  await rig.clock.advanceTo(at('2026-11-23', '09:20'))
  const next = await RunRig.open('live', { ...MARKET_HOURS, home: rig.rig.desk.home, clock: rig.clock })
  await next.settled(next.runs.settled())
  await next.ended()
  expect(await next.orders()).toEqual(sent)
  expect(await next.run()).toMatchObject({ stop_reason: 'eod' })
  expect(
    await next.query(
      `select leg_id from strategy_events where kind = 'eod_squareoff' and severity = 'critical'`,
    ),
  ).toEqual([{ leg_id: 1 }, { leg_id: 2 }])
})

test('hours that the owner shortens while runs are open bring their exits forward, also those of a schedule', async () => {
  const rig = await openRig()
  const own = await rig.create({ ...PAIR, product: 'CNC', legs: [PAIR.legs[1]] })
  const positional = { ...PAIR, name: 'scheduled', strategy_type: 'positional', product: 'CNC' }
  const scheduled = await rig.create({
    ...positional,
    legs: [PAIR.legs[1]],
    entry_time: null,
    exit_time: '15:20',
  })
  for (const id of [own, scheduled]) {
    await rig.settled(rig.runs.start(id, { mode: 'sandbox', trigger: 'manual' }))
  }
  await rig.settled(rig.runs.settled())
  await rig.rig.desk.service.calendar.addHoliday({
    date: '2026-11-20',
    description: 'Early close',
    type: 'TRADING_HOLIDAY',
    exchanges: [
      {
        exchange: 'NSE',
        isOpen: true,
        start: at('2026-11-20', '09:15'),
        end: at('2026-11-20', '13:00'),
      },
    ],
  })
  await moveTo(rig, at('2026-11-20', '12:58') + 50_000)
  expect(
    (await rig.query('select stopped_at from strategy_runs')).every((run) => run.stopped_at === null),
  ).toBe(true)
  await moveTo(rig, at('2026-11-20', '12:59') + 30_000)
  await rig.ended()
  expect(await rig.query('select strategy_id, stop_reason from strategy_runs order by strategy_id')).toEqual([
    { strategy_id: own, stop_reason: 'eod' },
    { strategy_id: scheduled, stop_reason: 'scheduler' },
  ])
})

test('an exit time and a schedule that stop at the same minute give the reason eod', async () => {
  const rig = await openRig()
  const scheduler = { enabled: true, days: ['FRI'], start_time: '11:05', default_mode: 'sandbox' }
  await rig.create({ ...PAIR, exit_time: '11:30', scheduler: { ...scheduler, auto_stop_time: '11:30' } })
  // The scheduler makes up for one minute only: a longer jump would outrun its reads.
  await moveTo(rig, at('2026-11-20', '11:04') + 50_000)
  const isStarted = async () => {
    await moveTo(rig, rig.clock.now() + 2_000)
    return (await rig.run()) !== undefined
  }
  await eventually(isStarted, 'the schedule starts the run')
  await moveTo(rig, at('2026-11-20', '11:29') + 50_000)
  expect(await rig.run()).toMatchObject({ trigger_source: 'scheduler', stopped_at: null })
  await moveTo(rig, at('2026-11-20', '11:30') + 1_000)
  await rig.ended()
  expect(await rig.run()).toMatchObject({ stop_reason: 'eod', stop_requested_reason: 'eod' })
})
