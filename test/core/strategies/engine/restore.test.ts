import { describe, expect, it } from 'vitest'
import type { LegRisk } from '../../../../src/core/strategies/engine/definition.js'
import { StrategyRun } from '../../../../src/core/strategies/engine/index.js'
import type { RunOrderRow, RunRecord } from '../../../../src/core/strategies/engine/records.js'
import { counted, definition, events, finished, kinds, leg, NO_RISK, placed, Rig } from './rig.js'

const risk: LegRisk = { unit: 'points', stop: 10, target: null, trail: { x: 5, y: 0 } }

function held(): Rig {
  const rig = new Rig(definition({ legs: [leg({ risk })] }))
  rig.start()
  rig.fillAll(100)
  return rig
}

function row(more: Partial<RunOrderRow> = {}): RunOrderRow {
  return {
    id: 'o1',
    legId: 1,
    kind: 'entry',
    positionRef: 'p1',
    symbol: leg().symbol,
    exchange: 'NFO',
    action: 'BUY',
    quantity: 75,
    status: 'complete',
    filledQuantity: 75,
    averagePrice: 100,
    brokerOrderId: 'b1',
    ...more,
  }
}

const restore = (rows: readonly RunOrderRow[], more: Partial<RunRecord> = {}) =>
  StrategyRun.restore(
    { definition: definition(), stopRequested: null, rows, checkpoint: null, ...more },
    counted(),
    1_000,
  )

describe('a restored run', () => {
  it('holds the same, watches the same and tells it', () => {
    const rig = held()
    rig.tick(120)
    const before = rig.run.snapshot()
    const { outcome, effects } = rig.crash()
    expect(outcome).toBe('resumed')
    expect(rig.run.snapshot()).toEqual(before)
    expect(effects.filter(({ type }) => type === 'watch')).toHaveLength(1)
    expect(events(effects)).toMatchObject([
      {
        kind: 'recovery_succeeded',
        severity: 'info',
        message: 'Run 31 recovered: 1 open of 1 legs, 1 instruments resubscribed',
      },
    ])
  })

  it('keeps the level of its trail, and without a checkpoint starts from the entry', () => {
    const rig = held()
    rig.tick(120)
    rig.crash()
    expect(rig.run.snapshot().legs[0]?.effectiveStop).toBe(115)
    expect(events(rig.crash(null).effects)[0]?.message).toContain('no checkpoint was found')
    expect(rig.run.snapshot().legs[0]?.effectiveStop).toBe(90)
  })

  it('keeps peak, trough and the floor of its lock', () => {
    const lockProfit = { mode: 'lock', ifProfitReaches: 750, lockProfit: 300, trailStep: null } as const
    const rig = new Rig(definition({ risk: { ...NO_RISK, lockProfit } }))
    rig.start()
    rig.fillAll(100)
    rig.tick(110)
    rig.crash()
    expect(rig.run.snapshot()).toMatchObject({ isLockArmed: true, lockFloor: 300, peak: 750 })
    expect(kinds(rig.tick(104))).toEqual(['lock_profit_triggered', 'run_stop_requested'])
  })

  it('tries a stop again that was pending', () => {
    const rig = held()
    rig.send({ type: 'stop', reason: 'overall_target' })
    rig.refuse('o2')
    rig.crash()
    expect(rig.run.state).toBe('stop_pending')
    expect(placed(rig.retry())).toMatchObject([{ kind: 'exit_overall_target', quantity: 75 }])
    rig.fillAll(100)
    expect(finished(rig.effects)).toMatchObject([{ reason: 'overall_target' }])
  })

  it('goes on with an exit that its stop wants, and never places a second one', () => {
    const rig = held()
    rig.tick(90)
    rig.crash()
    expect(placed([...rig.tick(80), ...rig.retry()])).toEqual([])
    rig.refuse('o2')
    expect(placed(rig.retry())).toMatchObject([{ kind: 'exit_sl' }])
  })

  it('takes a fill over that only its checkpoint knows, and never gives one up', () => {
    const rig = held()
    const checkpoint = rig.run.checkpoint(rig.at)
    const open = { status: 'open', filledQuantity: 0, averagePrice: null } as const
    expect(restore([row(open)], { checkpoint }).run?.snapshot().legs[0]?.quantity).toBe(75)
    const early = { ...checkpoint, legs: checkpoint.legs.map((one) => ({ ...one, positions: [] })) }
    expect(restore([row()], { checkpoint: early }).run?.snapshot().legs[0]?.quantity).toBe(75)
  })

  it('takes the contract from its orders', () => {
    const { run } = restore([row({ symbol: 'NIFTY26DEC2624000CE' })])
    expect(run?.snapshot().legs[0]?.symbol).toBe('NIFTY26DEC2624000CE')
    const effects = run?.apply({ type: 'stop', reason: 'manual', at: 2_000 }) ?? []
    expect(placed(effects)).toMatchObject([{ symbol: 'NIFTY26DEC2624000CE' }])
  })

  it('is critical about fills without a price', () => {
    const { outcome, effects } = restore([row({ averagePrice: null })])
    expect(outcome).toBe('resumed')
    expect(events(effects)[0]).toMatchObject({ kind: 'recovery_succeeded', severity: 'critical' })
  })

  it('waits again for the price at which a leg enters', () => {
    const reentry = { on: 'any', mode: 'cost', max: 1 } as const
    const rig = new Rig(definition({ legs: [leg({ risk, reentry })] }))
    rig.start()
    rig.fillAll(100)
    rig.tick(90)
    rig.fillAll(90)
    rig.crash()
    expect(placed(rig.tick(100))).toMatchObject([{ kind: 'entry' }])
  })
})

describe('a run that was flat', () => {
  const exit = row({ id: 'o2', kind: 'exit_sl', action: 'SELL', averagePrice: 101 })

  it('ends with its stop reason', () => {
    const { outcome, effects } = restore([row(), exit], { stopRequested: 'scheduler' })
    expect(outcome).toBe('finished')
    expect(finished(effects)).toMatchObject([{ reason: 'scheduler', realized: 750_000n }])
    expect(events(effects)[0]?.message).toBe('Run stopped (scheduler); recovery confirmed it was flat')
  })

  it('ends by itself if nothing asked for a stop', () => {
    const { effects } = restore([row(), exit])
    expect(finished(effects)).toMatchObject([{ reason: 'manual' }])
    expect(events(effects)[0]?.message).toBe(
      'Recovered flat: every leg had already closed, so the run was finished',
    )
  })

  it('ends with an error if no order was sent', () => {
    const { effects } = restore([])
    expect(finished(effects)).toMatchObject([{ reason: 'error' }])
    expect(events(effects)[0]?.message).toBe('Start failed before any entry dispatch')
  })

  it('goes on if it is a signal run', () => {
    const { outcome } = restore([row(), exit], { definition: definition({ kind: 'signal' }) })
    expect(outcome).toBe('resumed')
  })
})

it('takes more filled than ordered as a fact: somebody changed the order at the broker', () => {
  const { outcome, run } = restore([row({ filledQuantity: 150 })])
  expect(outcome).toBe('resumed')
  const effects = run?.apply({ type: 'stop', reason: 'manual', at: 10_000 }) ?? []
  expect(placed(effects)).toMatchObject([{ action: 'SELL', quantity: 150 }])
})

describe('rows that contradict each other', () => {
  it.each<[string, RunOrderRow[], number | null]>([
    ['an exit without an entry', [row({ kind: 'exit_sl', action: 'SELL' })], 1],
    [
      'an exit of another contract',
      [row(), row({ id: 'o2', kind: 'exit_sl', action: 'SELL', symbol: 'X' })],
      1,
    ],
    ['an exit on the side of the entry', [row(), row({ id: 'o2', kind: 'exit_sl' })], 1],
    ['a broken filled quantity', [row({ filledQuantity: -1 })], 1],
    ['a broken quantity', [row({ quantity: 7.5 })], 1],
    ['a leg that does not exist', [row({ legId: 9 })], null],
    ['the same order twice', [row(), row({ positionRef: 'p2' })], 1],
  ])('leave the run reserved, and the event names the leg: %s', (_, rows, legId) => {
    const { outcome, run, effects } = restore(rows)
    expect([outcome, run]).toEqual(['reserved', null])
    expect(events(effects)).toMatchObject([{ kind: 'recovery_failed', severity: 'critical', legId }])
    expect(events(effects)[0]?.message).toMatch(/^Run 31 remains open for manual reconciliation: order o\d /)
  })

  it('end the run if they hold nothing', () => {
    const dead = { status: 'rejected', filledQuantity: 0, averagePrice: null } as const
    const { outcome, effects } = restore([row({ ...dead, legId: 9 })])
    expect(outcome).toBe('failed')
    expect(finished(effects)).toMatchObject([{ reason: 'recovery_failed' }])
    expect(events(effects)[0]?.message).toMatch(/^Run 31 could not be recovered and was closed: /)
  })
})

describe('news that a restore learns', () => {
  const filled = (orderId: string, averagePrice: number) =>
    ({ orderId, status: 'complete', filledQuantity: 75, averagePrice }) as const

  it('move the stops of the other legs, as in a run that never stopped', () => {
    const other = leg({ id: 2, symbol: 'B', risk })
    const trailToEntry = { ...NO_RISK, trailToEntry: true }
    const rig = new Rig(definition({ legs: [leg({ risk }), other], risk: trailToEntry }))
    rig.start()
    rig.fillAll(100)
    rig.tick(104, 'B')
    rig.tick(90)
    const { effects } = rig.crash(undefined, [filled('o3', 90)])
    expect(kinds(effects)).toEqual([
      'leg_exit_placed',
      'leg_exit_filled',
      'trail_to_entry_activated',
      'recovery_succeeded',
    ])
    expect(effects.filter(({ type }) => type === 'checkpoint')).toHaveLength(1)
    expect(rig.run.snapshot().legs[1]?.effectiveStop).toBe(100)
  })

  it.each(['asap', 'cost'] as const)('let a leg enter again (%s)', (mode) => {
    const rig = new Rig(definition({ legs: [leg({ risk, reentry: { on: 'any', mode, max: 1 } })] }))
    rig.start()
    rig.fillAll(100)
    rig.tick(90)
    const { effects, outcome } = rig.crash(undefined, [filled('o2', 90)])
    expect(outcome).toBe('resumed')
    const entry = [...placed(effects), ...placed(rig.tick(100))]
    expect(entry).toMatchObject([{ kind: 'entry', action: 'BUY', quantity: 75 }])
  })

  it.each(['asap', 'cost'] as const)('let no leg enter again after the exit time (%s)', (mode) => {
    const legs = [leg({ risk, reentry: { on: 'any', mode, max: 1 } }), leg({ id: 2, symbol: 'B' })]
    const rig = new Rig(definition({ legs, exitAt: 60_000 }))
    rig.start()
    rig.fillAll(100)
    rig.tick(90)
    rig.at = 61_000
    const { effects } = rig.crash(undefined, [filled('o3', 90)])
    expect(placed(effects)).toEqual([])
    expect(placed(rig.retry(1_000))).toMatchObject([{ kind: 'exit_eod', symbol: 'B' }])
  })

  it('end the run if they make it flat, with the words of a recovery', () => {
    const rig = held()
    rig.send({ type: 'stop', reason: 'scheduler' })
    const { effects, outcome } = rig.crash(undefined, [filled('o2', 90)])
    expect(outcome).toBe('finished')
    expect(events(effects).at(-1)?.message).toBe('Run stopped (scheduler); recovery confirmed it was flat')
  })

  it.each(['exit_signal', 'exit_leg_manual'] as const)('send an exit that never left: %s', (kind) => {
    const isSignal = kind === 'exit_signal'
    const rig = new Rig(definition({ kind: isSignal ? 'signal' : 'batch' }))
    rig.start()
    if (isSignal) rig.send({ type: 'signal', legId: 1, signal: 'long_entry' })
    rig.fillAll(100)
    if (isSignal) rig.send({ type: 'signal', legId: 1, signal: 'long_exit' })
    else rig.send({ type: 'close_leg', legId: 1 })
    const unsent = { orderId: 'o2', status: 'rejected', filledQuantity: 0, averagePrice: null } as const
    const { effects } = rig.crash(undefined, [{ ...unsent, isUnsent: true }])
    expect(placed(effects)).toMatchObject([{ id: 'o3', kind, action: 'SELL', quantity: 75 }])
    expect(kinds(effects)).not.toContain('leg_exit_rejected')
  })

  it('trigger no limit at the price of the checkpoint', () => {
    const legs = [leg({ risk }), leg({ id: 2, symbol: 'B' })]
    const rig = new Rig(definition({ legs, risk: { ...NO_RISK, overallStop: 1_500 } }))
    rig.start()
    rig.fillAll(100)
    rig.tick(90)
    rig.tick(91, 'B')
    // The exit of leg 1 filled worse than expected. Nobody knows yet where leg 2 is.
    const { effects } = rig.crash(undefined, [filled('o3', 85)])
    expect(kinds(effects)).not.toContain('overall_sl_hit')
    expect(kinds(rig.tick(99, 'B'))).toEqual([])
    expect(kinds(rig.tick(91, 'B'))).toContain('overall_sl_hit')
  })
})

describe('an order whose end nobody knows', () => {
  it('counts as working: its exit is not sent again, and an event names it once', () => {
    const rig = held()
    rig.tick(90)
    const told = rig.doubt('o2')
    expect(events(told)).toMatchObject([
      { kind: 'recovery_failed', severity: 'critical', legId: 1, payload: { order_id: 'o2' } },
    ])
    expect(events(told)[0]?.message).toContain('svc order settle o2')
    expect([...rig.doubt('o2'), ...rig.retry(60_000), ...rig.tick(80)]).toEqual([])
    expect(rig.run.state).toBe('running')
  })

  it('keeps the stop waiting, which says so, until somebody says how it ended', () => {
    const rig = held()
    rig.tick(90)
    rig.doubt('o2')
    expect(kinds(rig.send({ type: 'stop', reason: 'manual' }))).toEqual([
      'run_stop_requested',
      'run_stop_failed',
    ])
    rig.retry(60_000)
    expect(rig.run.state).toBe('stop_pending')
    // It did not fill: the exit is sent again.
    rig.update('o2', 'rejected', 0, null, 'settled')
    expect(placed(rig.retry(60_000))).toMatchObject([{ kind: 'exit_close_all', quantity: 75 }])
    rig.fillAll(90)
    expect(rig.run.state).toBe('finished')
  })

  it('keeps an entry, and what is known to have filled', () => {
    const rig = new Rig(definition())
    rig.start()
    rig.ack('o1')
    rig.doubt('o1', 30)
    expect(rig.run.snapshot().legs[0]).toMatchObject({ quantity: 30, status: 'open' })
    rig.fill('o1', 100)
    expect(rig.run.snapshot().legs[0]?.quantity).toBe(75)
  })

  it('is told again after a restart', () => {
    const rig = held()
    rig.tick(90)
    const doubt = {
      orderId: 'o2',
      status: 'pending',
      filledQuantity: 0,
      averagePrice: null,
      isInDoubt: true,
    } as const
    expect(kinds(rig.crash(undefined, [doubt]).effects)).toEqual(['recovery_failed', 'recovery_succeeded'])
  })

  it('is the reason of a stop whose broker gave no answer', () => {
    const rig = held()
    rig.send({ type: 'stop', reason: 'manual', request: 'r' })
    const told = rig.ack('o2', { outcome: 'unknown' })
    expect(kinds(told)).toEqual(['run_stop_failed'])
    expect(events(told)[0]).toMatchObject({ severity: 'critical', payload: { orders: ['o2'] } })
  })
})

describe('a run that is over', () => {
  function over(): Rig {
    const rig = new Rig(definition())
    rig.start()
    rig.ack('o1')
    rig.send({ type: 'stop', reason: 'manual' })
    rig.update('o1', 'cancelled')
    expect(rig.run.state).toBe('finished')
    return rig
  }

  it('squares off a fill that came while nothing ran, and retries until it is flat', () => {
    const rig = over()
    const late = { orderId: 'o1', status: 'cancelled', filledQuantity: 75, averagePrice: 100 } as const
    const { effects, outcome } = rig.crash(undefined, [late])
    expect(outcome).toBe('ended')
    expect(placed(effects)).toMatchObject([
      { id: 'o2', kind: 'exit_close_all', action: 'SELL', quantity: 75 },
    ])
    expect(kinds(effects)).toContain('run_stop_failed')
    expect(effects.filter(({ type }) => type === 'reopened')).toHaveLength(1)
    rig.refuse('o2')
    rig.crash()
    expect(placed(rig.retry(60_000))).toMatchObject([{ id: 'o3', quantity: 75 }])
    rig.effects = []
    rig.fillAll(99)
    expect(finished(rig.effects)).toMatchObject([{ reason: 'manual', isAgain: true, realized: -750_000n }])
  })

  it('does nothing without a late fill', () => {
    const rig = over()
    expect(rig.crash()).toMatchObject({ outcome: 'ended', effects: [] })
    expect(rig.retry()).toEqual([])
  })
})
