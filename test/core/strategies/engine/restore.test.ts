import { describe, expect, it } from 'vitest'
import { StrategyRun } from '../../../../src/core/strategies/engine/index.js'
import type { LegRisk, RunOrderRow, RunRecord } from '../../../../src/core/strategies/engine/types.js'
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

describe('rows that contradict each other', () => {
  it.each<[string, RunOrderRow[]]>([
    ['an exit without an entry', [row({ kind: 'exit_sl', action: 'SELL' })]],
    ['an exit of another contract', [row(), row({ id: 'o2', kind: 'exit_sl', action: 'SELL', symbol: 'X' })]],
    ['an exit on the side of the entry', [row(), row({ id: 'o2', kind: 'exit_sl' })]],
    ['more filled than ordered', [row({ filledQuantity: 76 })]],
    ['a broken quantity', [row({ quantity: 7.5 })]],
    ['a leg that does not exist', [row({ legId: 9 })]],
    ['the same order twice', [row(), row({ positionRef: 'p2' })]],
  ])('leave the run reserved: %s', (_, rows) => {
    const { outcome, run, effects } = restore(rows)
    expect([outcome, run]).toEqual(['reserved', null])
    expect(events(effects)).toMatchObject([{ kind: 'recovery_failed', severity: 'critical' }])
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
