import { describe, expect, it } from 'vitest'
import { definition, events, finished, kinds, leg, placed, Rig } from './rig.js'

/** A run that bought 75 at 100, with a stop at 90. */
function held(more: Parameters<typeof leg>[0] = {}): Rig {
  const risk = { unit: 'points', stop: 10, target: null, trail: null } as const
  const rig = new Rig(definition({ legs: [leg({ risk, ...more })] }))
  rig.start()
  rig.fillAll(100)
  return rig
}

describe('a position that somebody else closes', () => {
  it('gets no exit, and its run ends', () => {
    const rig = held()
    const effects = rig.closeElsewhere('p1', 75)
    expect(placed(effects)).toEqual([])
    expect(events(effects)).toMatchObject([
      {
        kind: 'leg_close_manual',
        severity: 'critical',
        legId: 1,
        payload: { position_ref: 'p1', product: 'NRML', quantity: 75, account_holds: 0, entry_average: 100 },
      },
      { kind: 'run_stopped', message: 'All legs closed' },
    ])
    expect(finished(effects)).toMatchObject([{ reason: 'manual', realized: 0n }])
    expect(rig.tick(50)).toEqual([])
    expect(rig.retry()).toEqual([])
  })

  it('in part is exited with the rest, and the profit counts the rest', () => {
    const rig = held()
    expect(placed(rig.closeElsewhere('p1', 25, 50))).toEqual([])
    rig.tick(110)
    expect(rig.run.snapshot()).toMatchObject({ unrealized: 500, legs: [{ quantity: 50, entryAverage: 100 }] })
    const [exit] = placed(rig.tick(90))
    expect(exit).toMatchObject({ action: 'SELL', quantity: 50, kind: 'exit_sl' })
    rig.ack('o2')
    expect(finished(rig.fill('o2', 90))).toMatchObject([{ realized: -500n * 10_000n }])
  })

  it('stays so after a crash without a checkpoint', () => {
    const rig = held()
    rig.closeElsewhere('p1', 25, 50)
    rig.crash(null)
    expect(placed(rig.tick(90))).toMatchObject([{ action: 'SELL', quantity: 50 }])

    const closed = held()
    closed.closeElsewhere('p1', 75)
    expect(closed.crash(null).outcome).toBe('ended')
    expect(closed.retry()).toEqual([])
  })

  it('has its working exit cancelled; one that fills all the same is bought back', () => {
    const rig = held()
    rig.tick(90)
    rig.ack('o2')
    const effects = rig.closeElsewhere('p1', 75)
    expect(effects).toContainEqual({ type: 'cancel', orderId: 'o2' })
    expect(rig.run.state).toBe('running')
    const late = rig.fill('o2', 90)
    expect(placed(late)).toMatchObject([{ action: 'BUY', quantity: 75, kind: 'exit_recovery' }])
    rig.ack('o3')
    expect(finished(rig.fill('o3', 91))).toMatchObject([{ reason: 'manual' }])
  })

  it('is not entered again', () => {
    const rig = held({ reentry: { on: 'any', mode: 'asap', max: 3 } })
    rig.tick(90)
    rig.ack('o2')
    rig.update('o2', 'cancelled', 25, 90)
    expect(rig.run.snapshot().legs).toMatchObject([{ quantity: 50 }])
    const effects = rig.closeElsewhere('p1', 50)
    expect(placed(effects)).toEqual([])
    expect(rig.crash(null).run?.snapshot().legs).toMatchObject([{ isWaitingToReenter: false }])
  })

  it('is never reduced below nothing, whatever is told', () => {
    const rig = held()
    expect(kinds(rig.closeElsewhere('nobody', 75))).toEqual([])
    expect(kinds(rig.closeElsewhere('p1', 0))).toEqual([])
    expect(kinds(rig.closeElsewhere('p1', -5))).toEqual([])
    rig.closeElsewhere('p1', 1_000)
    expect(rig.run.snapshot().legs).toMatchObject([{ quantity: 0 }])
    expect(kinds(rig.closeElsewhere('p1', 75))).toEqual([])
  })
})

describe('the exit of a short position', () => {
  it('buys the part that nobody else has bought', () => {
    const rig = held({ position: 'S' })
    rig.closeElsewhere('p1', 70, -5)
    expect(placed(rig.tick(110))).toMatchObject([{ action: 'BUY', quantity: 5 }])
  })
})

it('a run that lost its account stays without its positions after a restart', () => {
  const rig = held()
  rig.send({ type: 'lost', why: 'the sandbox account was reset' })
  const { effects, outcome } = rig.crash(null)
  expect(outcome).toBe('ended')
  expect(placed(effects)).toEqual([])
  expect(rig.retry()).toEqual([])
})
