import { describe, expect, it } from 'vitest'
import { istInstant, MINUTE_MS, SECOND_MS } from '../../../../src/core/time/index.js'
import { definition, events, finished, kinds, leg, NO_RISK, placed, Rig, replies } from './rig.js'

const SQUARE_OFF = istInstant('2026-11-20', '15:15')
const NEXT_DAY = istInstant('2026-11-21', '09:20')

/** A run of one MIS leg that bought 10 SBIN at 100. */
function intraday(more: Partial<Parameters<typeof definition>[0]> = {}): Rig {
  const sbin = leg({
    symbol: 'SBIN',
    exchange: 'NSE',
    quantity: 10,
    product: 'MIS',
    intradayEndsAt: SQUARE_OFF,
  })
  const rig = new Rig(definition({ legs: [sbin], ...more }))
  rig.at = istInstant('2026-11-20', '11:00')
  rig.start()
  rig.fillAll(100)
  return rig
}

const to = (rig: Rig, at: number) => {
  rig.at = at
  return rig.send({ type: 'retry' })
}

describe('a position of product MIS', () => {
  it('is left a minute before its account closes it itself, and the run ends with reason eod', () => {
    const rig = intraday()
    expect(placed(to(rig, SQUARE_OFF - MINUTE_MS - 1))).toEqual([])
    const effects = to(rig, SQUARE_OFF - MINUTE_MS)
    expect(placed(effects)).toMatchObject([{ kind: 'exit_eod', action: 'SELL', quantity: 10 }])
    expect(kinds(effects)).toEqual(['eod_squareoff', 'run_stop_requested'])
    rig.fillAll(101)
    expect(finished(rig.effects)).toMatchObject([{ reason: 'eod' }])
  })

  it('is never exited once its account has closed it, although its exits were refused', () => {
    const rig = intraday()
    const [exit] = placed(to(rig, SQUARE_OFF - MINUTE_MS))
    rig.refuse(exit?.id ?? '')
    const effects = to(rig, SQUARE_OFF)
    expect(placed(effects)).toEqual([])
    expect(events(effects)).toMatchObject([
      { kind: 'eod_squareoff', severity: 'critical', legId: 1, payload: { symbol: 'SBIN', quantity: 10 } },
      { kind: 'run_stopped' },
    ])
    expect(finished(effects)).toMatchObject([{ reason: 'eod', realized: 0n }])
    expect(rig.run.snapshot().legs[0]).toMatchObject({ quantity: 0, mtm: 0, status: 'closed' })
    expect(placed(rig.retry())).toEqual([])
  })

  it('has its working exit cancelled at the square-off, and a fill that was in time still counts', () => {
    const rig = intraday()
    const [exit] = placed(to(rig, SQUARE_OFF - MINUTE_MS))
    const id = exit?.id ?? ''
    rig.ack(id)
    expect(to(rig, SQUARE_OFF)).toContainEqual({ type: 'cancel', orderId: id })
    rig.fill(id, 103)
    expect(finished(rig.effects)).toMatchObject([{ reason: 'eod' }])
    expect(rig.run.snapshot().realized).toBe(30)
  })

  it.each([
    ['restored', (rig: Rig) => rig.crash()],
    ['restored without a checkpoint', (rig: Rig) => rig.crash(null)],
  ])('of an earlier day is not exited when the run is %s', (_how, crash) => {
    const rig = intraday()
    rig.at = NEXT_DAY
    crash(rig)
    const effects = rig.send({ type: 'retry' })
    expect(placed(effects)).toEqual([])
    expect(events(effects)).toContainEqual(expect.objectContaining({ severity: 'critical', legId: 1 }))
    expect(finished(effects)).toMatchObject([{ reason: 'eod' }])
  })

  it('of an earlier day is not exited by a stop that was stored before the crash, nor by one that comes after', () => {
    const stored = intraday()
    stored.send({ type: 'stop', reason: 'manual' })
    stored.refuse('o2')
    stored.at = NEXT_DAY
    stored.crash()
    expect(placed(stored.send({ type: 'retry' }))).toEqual([])
    const asked = intraday()
    asked.at = NEXT_DAY
    const effects = asked.send({ type: 'stop', reason: 'manual', request: 'stop' })
    expect(placed(effects)).toEqual([])
    expect(replies(effects)).toMatchObject([{ ok: true, stopPending: false, exits: [] }])
    const hit = intraday()
    hit.at = NEXT_DAY
    expect(placed(hit.tick(1, 'SBIN', 'NSE'))).toEqual([])
  })

  it('of an earlier day is not exited when its fill is learned late', () => {
    const rig = new Rig(
      definition({
        legs: [leg({ symbol: 'SBIN', exchange: 'NSE', product: 'MIS', intradayEndsAt: SQUARE_OFF })],
      }),
    )
    rig.at = istInstant('2026-11-20', '11:00')
    rig.start()
    rig.ack('o1', { outcome: 'unknown' })
    rig.at = NEXT_DAY
    rig.crash()
    const effects = rig.fill('o1', 100)
    expect(placed(effects)).toEqual([])
    expect(finished(rig.effects)).toHaveLength(1)
  })

  it('takes no entry in its last minute', () => {
    const rig = new Rig(
      definition({
        kind: 'signal',
        legs: [leg({ position: null, product: 'MIS', intradayEndsAt: SQUARE_OFF })],
      }),
    )
    rig.start()
    rig.at = SQUARE_OFF - MINUTE_MS
    const effects = rig.send({ type: 'signal', legId: 1, signal: 'long_entry', request: 'r' })
    expect(replies(effects)).toMatchObject([{ ok: true, note: 'outside_trading_window' }])
    expect(placed(effects)).toEqual([])
  })
})

it('a contract that has expired is not exited', () => {
  const rig = new Rig(
    definition({ legs: [leg({ squareOffAt: SQUARE_OFF - 10 * MINUTE_MS, expiresAt: SQUARE_OFF })] }),
  )
  rig.at = istInstant('2026-11-20', '11:00')
  rig.start()
  rig.fillAll(100)
  rig.at = NEXT_DAY
  rig.crash()
  const effects = rig.send({ type: 'retry' })
  expect(placed(effects)).toEqual([])
  expect(kinds(effects)).toContain('expiry_squareoff')
  expect(finished(effects)).toMatchObject([{ reason: 'expiry' }])
})

describe('the daily loss limit of a run that is carried over', () => {
  const carried = () =>
    intraday({
      legs: [leg({ symbol: 'SBIN', exchange: 'NSE', quantity: 10 })],
      risk: { ...NO_RISK, dailyLossLimit: 1_000 },
      earlierRealized: -500,
    })

  it('counts the loss of the new session only', () => {
    const rig = carried()
    // 500 before the run and 400 in it: 100 are left today.
    rig.tick(60, 'SBIN', 'NSE')
    rig.at = NEXT_DAY
    expect(placed(rig.tick(50, 'SBIN', 'NSE'))).toEqual([])
    expect(placed(rig.tick(1, 'SBIN', 'NSE'))).toEqual([])
  })

  it('stops the run at the limit of the new session', () => {
    const rig = carried()
    rig.tick(110, 'SBIN', 'NSE')
    rig.at = NEXT_DAY
    // Yesterday ended 100 up, and today is down 900, then 1,000.
    expect(kinds(rig.tick(20, 'SBIN', 'NSE'))).toEqual([])
    const effects = rig.tick(10, 'SBIN', 'NSE')
    expect(events(effects)[0]?.message).toBe(
      'Daily loss limit reached: the session is down 1000.00 against a limit of 1000.00',
    )
  })

  it('ends with the amount that it realised in the new session', () => {
    const rig = carried()
    rig.tick(110, 'SBIN', 'NSE')
    rig.at = NEXT_DAY
    rig.tick(105, 'SBIN', 'NSE')
    rig.send({ type: 'stop', reason: 'manual' })
    rig.fillAll(105)
    expect(finished(rig.effects)).toMatchObject([{ realized: 500_000n, sessionRealized: -500_000n }])
  })

  it('ends with that amount, too, if the stop of the evening waits for its exits over the night', () => {
    const rig = carried()
    rig.tick(110, 'SBIN', 'NSE')
    rig.send({ type: 'stop', reason: 'manual' })
    rig.refuse('o2', 'closed')
    rig.at = NEXT_DAY
    rig.retry()
    rig.tick(105, 'SBIN', 'NSE')
    rig.fillAll(105)
    expect(finished(rig.effects)).toMatchObject([{ realized: 500_000n, sessionRealized: -500_000n }])
  })

  it('survives a crash on the new day, and one that takes the service over the night', () => {
    const rig = carried()
    rig.tick(60, 'SBIN', 'NSE')
    const evening = rig.run.checkpoint(rig.at)
    rig.at = NEXT_DAY
    rig.crash(evening)
    rig.send({ type: 'retry' })
    expect(kinds(rig.tick(10, 'SBIN', 'NSE'))).toEqual([])
    rig.at += SECOND_MS
    rig.crash()
    expect(kinds(rig.tick(5, 'SBIN', 'NSE'))).toEqual([])
  })
})

it('a run whose account is gone ends without an order', () => {
  const rig = intraday()
  rig.send({ type: 'stop', reason: 'manual', request: 'stop' })
  const effects = rig.send({ type: 'lost', why: 'the sandbox account was reset' })
  expect(placed(effects)).toEqual([])
  expect(events(effects)).toMatchObject([
    {
      kind: 'recovery_failed',
      severity: 'critical',
      payload: { positions: [{ symbol: 'SBIN', quantity: 10 }] },
    },
    { kind: 'run_stopped' },
  ])
  expect(finished(effects)).toMatchObject([{ reason: 'recovery_failed', isAgain: false }])
  expect(replies(effects)).toHaveLength(1)
  expect(rig.retry()).toEqual([])
})
