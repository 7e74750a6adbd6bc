import { describe, expect, it } from 'vitest'
import type { LegRisk, RunRisk } from '../../../../src/core/strategies/engine/definition.js'
import { definition, events, finished, kinds, leg, NO_RISK, placed, Rig } from './rig.js'

const risk = (more: Partial<LegRisk>): LegRisk => ({
  unit: 'points',
  stop: null,
  target: null,
  trail: null,
  ...more,
})

/** A run that is long 75 at 100. */
function long(more: Partial<LegRisk>, run: Partial<RunRisk> = {}): Rig {
  const rig = new Rig(definition({ legs: [leg({ risk: risk(more) })], risk: { ...NO_RISK, ...run } }))
  rig.start()
  rig.fillAll(100)
  return rig
}

/** A run that is long A and short B, 10 units each at 100. */
function pair(more: Partial<LegRisk>, run: Partial<RunRisk> = {}): Rig {
  const legs = [
    leg({ id: 1, symbol: 'A', quantity: 10, risk: risk(more) }),
    leg({ id: 2, symbol: 'B', quantity: 10, position: 'S', risk: risk(more) }),
  ]
  const rig = new Rig(definition({ legs, risk: { ...NO_RISK, ...run } }))
  rig.start()
  rig.fillAll(100)
  return rig
}

describe('a leg', () => {
  it('R5: leaves at the stop that its trail reached, after the price turned', () => {
    const rig = long({ stop: 10, trail: { x: 5, y: 3 } })
    expect(kinds(rig.tick(104))).toEqual([])
    expect(events(rig.tick(111))).toMatchObject([
      { kind: 'leg_trail_armed', message: 'Trailing stop armed on leg 1 at 96.00' },
    ])
    expect(rig.tick(97)).toEqual([])
    expect(rig.run.snapshot().legs[0]).toMatchObject({
      effectiveStop: 96,
      isTrailActive: true,
      favorablePoints: 11,
    })
    const effects = rig.tick(96)
    expect(events(effects)).toMatchObject([
      {
        kind: 'leg_sl_hit',
        severity: 'warn',
        message: 'stop loss hit: last price 96.00 is at or below the stop 96.00 on a long position',
      },
    ])
    expect(placed(effects)).toMatchObject([{ kind: 'exit_trail', action: 'SELL', quantity: 75 }])
  })

  it('leaves at its stop before its trail is armed', () => {
    expect(placed(long({ stop: 10, trail: { x: 5, y: 0 } }).tick(90))).toMatchObject([{ kind: 'exit_sl' }])
  })

  it('leaves at its target', () => {
    const rig = pair({ target: 5 })
    expect(placed(rig.tick(105, 'A'))).toMatchObject([{ kind: 'exit_target', action: 'SELL' }])
    const effects = rig.tick(94.5, 'B')
    expect(placed(effects)).toMatchObject([{ kind: 'exit_target', action: 'BUY' }])
    expect(events(effects)[0]?.message).toBe(
      'target hit: last price 94.50 is at or below the target 95.00 on a short position',
    )
  })

  it('leaves once, whatever ticks follow', () => {
    const rig = long({ stop: 10 })
    rig.tick(90)
    expect([rig.tick(89), rig.tick(120), rig.tick(10)].flat()).toEqual([])
  })

  it('judges a price that came before its entry filled', () => {
    const rig = new Rig(definition({ legs: [leg({ risk: risk({ stop: 10 }) })] }))
    rig.start()
    rig.tick(85)
    rig.fillAll(100)
    expect(placed(rig.tick(85))).toMatchObject([{ kind: 'exit_sl' }])
  })

  it.each([0, -5, Number.NaN, Number.POSITIVE_INFINITY, 1e300])('ignores a price of %s', (price) => {
    const rig = long({ stop: 10 })
    expect(rig.tick(price)).toEqual([])
    expect(rig.run.snapshot().legs[0]?.ltp).toBeNull()
  })

  it('ignores prices of other contracts and exchanges', () => {
    const rig = long({ stop: 10 })
    expect([rig.tick(1, 'OTHER'), rig.tick(1, undefined, 'NSE')].flat()).toEqual([])
  })

  it('tries an exit again that the broker refused, and tells it once', () => {
    const rig = long({ stop: 10 })
    rig.tick(90)
    expect(kinds(rig.refuse('o2'))).toEqual(['leg_exit_rejected'])
    expect(placed(rig.tick(80))).toEqual([])
    expect(placed(rig.retry())).toMatchObject([{ kind: 'exit_sl', quantity: 75 }])
    expect(kinds(rig.refuse('o3'))).toEqual([])
  })

  it('tells each step of a stepped trail, and a continuous one once a distance', () => {
    const told = (rig: Rig, prices: readonly number[]) =>
      prices.map((price) => {
        rig.at += 1_000
        return kinds(rig.tick(price)).length
      })
    const stepped = long({ stop: 10, trail: { x: 5, y: 3 } })
    expect(told(stepped, [105, 106, 110, 112, 116])).toEqual([1, 0, 1, 0, 1])
    const continuous = long({ trail: { x: 5, y: 0 } })
    expect(told(continuous, [105, 106, 108, 110, 111])).toEqual([1, 0, 0, 1, 0])
    expect(continuous.run.snapshot().legs[0]?.effectiveStop).toBe(106)
  })

  it('notes where its prices come from, and takes a stale source for no price', () => {
    const rig = long({ stop: 10 })
    const feed = { symbol: leg().symbol, exchange: 'NFO' }
    expect(events(rig.send({ type: 'feed', ...feed, source: 'polling' }))).toMatchObject([
      { kind: 'tick_source_switched_to_polling', severity: 'warn' },
    ])
    const effects = rig.send({ type: 'feed', ...feed, source: 'stale' })
    expect(events(effects)).toMatchObject([{ kind: 'tick_source_stale', severity: 'critical' }])
    expect(placed(effects)).toEqual([])
    expect(effects).toContainEqual({ type: 'checkpoint' })
    expect(rig.run.checkpoint(rig.at).legs[0]?.source).toBe('stale')
    expect(rig.send({ type: 'feed', ...feed, source: 'stale' })).toEqual([])
    expect(rig.run.snapshot().isTickSourceDegraded).toBe(true)
  })
})

describe('the events of levels', () => {
  it('tell a target of a leg, and an advance of its trail', () => {
    expect(kinds(long({ target: 20 }).tick(120))).toContain('leg_target_hit')
    const rig = long({ stop: 10, trail: { x: 5, y: 3 } })
    expect(kinds(rig.tick(106))).toEqual(['leg_trail_armed'])
    rig.at += 2_000
    expect(events(rig.tick(111))).toMatchObject([
      { kind: 'leg_trail_advanced', message: 'Trailing stop on leg 1 advanced to 96.00' },
    ])
  })

  it('tell the target of the run, and that it stops', () => {
    const rig = pair({}, { overallTarget: 100 })
    rig.tick(100, 'B')
    expect(kinds(rig.tick(110, 'A'))).toEqual(['overall_target_hit', 'run_stop_requested'])
  })

  it('tell each change of the source of prices', () => {
    const rig = long({})
    const contract = { symbol: 'NIFTY28NOV2624000CE', exchange: 'NFO' }
    const told = (['polling', 'stale', 'ws'] as const).flatMap((source) =>
      kinds(rig.send({ type: 'feed', ...contract, source })),
    )
    expect(told).toEqual([
      ...['tick_source_switched_to_polling', 'tick_source_stale', 'tick_source_switched_to_ws'],
    ])
  })
})

describe('a price of a closed exchange', () => {
  const CLOSED = new Set(['NFO'])

  it.each([
    ['the stop', 85, 'leg_sl_hit'],
    ['the target', 125, 'leg_target_hit'],
  ])('is kept, and hits %s only after the opening', (_, price, kind) => {
    const rig = long({ stop: 10, target: 20 })
    rig.send({ type: 'retry', closed: CLOSED })
    expect(rig.tick(price)).toEqual([])
    expect(rig.run.snapshot().legs[0]).toMatchObject({ ltp: price })
    rig.send({ type: 'retry', closed: new Set() })
    expect(kinds(rig.tick(price))).toContain(kind)
  })

  it('moves no trail', () => {
    const rig = long({ stop: 10, trail: { x: 5, y: 3 } })
    rig.send({ type: 'retry', closed: CLOSED })
    expect(rig.tick(111)).toEqual([])
    rig.send({ type: 'retry', closed: new Set() })
    expect(kinds(rig.tick(95))).toEqual([])
  })

  it('is not judged either when it is the first one after a restart', () => {
    const rig = long({ stop: 10 })
    rig.crash(undefined, [], CLOSED)
    expect(rig.tick(85)).toEqual([])
    rig.send({ type: 'retry', closed: new Set() })
    expect(kinds(rig.tick(85))).toContain('leg_sl_hit')
  })
})

describe('a run', () => {
  it('stops at its overall stop, and tells the tick and the legs', () => {
    const rig = pair({}, { overallStop: 100 })
    rig.tick(95, 'A')
    const effects = rig.tick(105, 'B')
    expect(events(effects)[0]).toMatchObject({
      kind: 'overall_sl_hit',
      severity: 'warn',
      payload: {
        trigger_total: -100,
        reason: 'overall_sl',
        threshold: -100,
        triggering_tick: { symbol: 'B', exchange: 'NFO', ltp: 105 },
        legs: [
          { symbol: 'A', exchange: 'NFO', ltp: 95, mtm: -50, tick_source: 'ws', qty: 10, position: 'B' },
          { symbol: 'B', exchange: 'NFO', ltp: 105, mtm: -50, tick_source: 'ws', qty: 10, position: 'S' },
        ],
      },
    })
    expect(placed(effects)).toMatchObject([{ kind: 'exit_overall_sl' }, { kind: 'exit_overall_sl' }])
    rig.fillAll(100)
    expect(finished(rig.effects)).toMatchObject([{ reason: 'overall_sl', trough: -1_000_000n }])
  })

  it('counts the losses of earlier runs of the session', () => {
    const rig = new Rig(definition({ risk: { ...NO_RISK, dailyLossLimit: 4000 }, earlierRealized: -2500 }))
    rig.start()
    rig.fillAll(100)
    expect(rig.tick(80.01)).toEqual([])
    expect(events(rig.tick(80))[0]).toMatchObject({
      kind: 'overall_sl_hit',
      severity: 'critical',
      message: 'Daily loss limit reached: the session is down 4000.00 against a limit of 4000.00',
    })
  })

  it('locks its profit, moves the floor and stops at it', () => {
    const lockProfit = {
      mode: 'lock_and_trail',
      ifProfitReaches: 750,
      lockProfit: 300,
      trailStep: 150,
    } as const
    const rig = long({}, { lockProfit })
    expect(events(rig.tick(110))).toMatchObject([
      { kind: 'lock_profit_armed', message: 'Lock profit armed with a floor of 600.00' },
    ])
    rig.at += 1_000
    expect(kinds(rig.tick(111))).toEqual([])
    expect(kinds(rig.tick(113))).toEqual(['lock_profit_floor_advanced'])
    expect(rig.run.snapshot()).toMatchObject({ isLockArmed: true, lockFloor: 825, peak: 975 })
    const effects = rig.tick(111)
    expect(kinds(effects)).toEqual(['lock_profit_triggered', 'run_stop_requested'])
    expect(placed(effects)).toMatchObject([{ kind: 'exit_lock_profit' }])
  })

  it('moves the stops of other legs to their entries after a stop', () => {
    const rig = pair({ stop: 10 }, { trailToEntry: true, overallStop: 150 })
    rig.tick(96, 'B')
    rig.tick(90, 'A')
    expect(rig.run.snapshot().isTrailToEntryActive).toBe(false)
    rig.ack('o3')
    expect(events(rig.fill('o3', 90))).toMatchObject([
      { kind: 'leg_exit_filled' },
      {
        kind: 'trail_to_entry_activated',
        severity: 'warn',
        message: 'Stop on leg 1 moved 1 other legs to entry',
      },
    ])
    expect(rig.run.snapshot()).toMatchObject({
      isTrailToEntryActive: true,
      legs: [{}, { effectiveStop: 100 }],
    })
    expect(placed(rig.tick(100, 'B'))).toMatchObject([{ kind: 'exit_sl' }])
  })

  it('moves no stop that the market has passed', () => {
    const rig = pair({ stop: 10 }, { trailToEntry: true })
    rig.tick(101, 'B')
    rig.tick(90, 'A')
    rig.fillAll(90)
    expect(rig.run.snapshot()).toMatchObject({
      isTrailToEntryActive: false,
      legs: [{}, { effectiveStop: 110 }],
    })
  })

  it('squares off at its exit time, on the first input after it', () => {
    const rig = new Rig(definition({ exitAt: 10_000 }))
    rig.start()
    rig.fillAll(100)
    rig.at = 9_999
    expect(rig.tick(101)).toEqual([])
    rig.at = 10_000
    const effects = rig.tick(102)
    expect(kinds(effects)).toEqual(['eod_squareoff', 'run_stop_requested'])
    expect(placed(effects)).toMatchObject([{ kind: 'exit_eod' }])
  })

  it('squares off the legs whose contract expires, and the run if none is left', () => {
    const legs = [
      leg({ id: 1, symbol: 'A', squareOffAt: 10_000 }),
      leg({ id: 2, symbol: 'B', squareOffAt: 20_000 }),
    ]
    const rig = new Rig(definition({ legs }))
    rig.start()
    rig.fillAll(100)
    rig.at = 10_000
    const first = rig.send({ type: 'retry' })
    expect(kinds(first)).toEqual(['expiry_squareoff'])
    expect(placed(first)).toMatchObject([{ kind: 'exit_expiry', symbol: 'A' }])
    rig.fillAll(100)
    rig.at = 20_000
    rig.send({ type: 'retry' })
    rig.fillAll(100)
    expect(finished(rig.effects)).toMatchObject([{ reason: 'expiry' }])
  })
})

describe('a leg that enters again', () => {
  const again = (mode: 'asap' | 'cost', on: 'sl' | 'target' | 'any' = 'any', max = 1) => {
    const one = leg({ risk: risk({ stop: 10, target: 10 }), reentry: { on, mode, max } })
    const rig = new Rig(definition({ legs: [one] }))
    rig.start()
    rig.fillAll(100)
    return rig
  }

  it('does so when its exit is filled, with a position of its own, as often as it may', () => {
    const rig = again('asap')
    rig.tick(90)
    rig.ack('o2')
    expect(placed(rig.fill('o2', 90))).toMatchObject([{ kind: 'entry', positionRef: 'p2', quantity: 75 }])
    rig.fillAll(90)
    rig.tick(80)
    rig.fillAll(80)
    expect(finished(rig.effects)).toMatchObject([{ reason: 'manual', realized: -15_000_000n }])
  })

  it('waits until the price is back at its first entry', () => {
    const rig = again('cost')
    rig.tick(90)
    rig.fillAll(90)
    expect(rig.run.state).toBe('running')
    expect(rig.run.snapshot().legs[0]?.isWaitingToReenter).toBe(true)
    expect(placed(rig.tick(99.95))).toEqual([])
    expect(placed(rig.tick(100))).toMatchObject([{ kind: 'entry', positionRef: 'p2' }])
    expect(placed(rig.tick(100.05))).toEqual([])
  })

  it('waits for the price to fall after a target', () => {
    const rig = again('cost')
    rig.tick(110)
    rig.fillAll(110)
    expect(placed(rig.tick(101))).toEqual([])
    expect(placed(rig.tick(99))).toHaveLength(1)
  })

  it('waits no more while a late fill of its entry is held, and again when that has left', () => {
    const one = leg({ risk: risk({ stop: 10 }), reentry: { on: 'any', mode: 'cost', max: 1 } })
    const rig = new Rig(definition({ legs: [one] }))
    const isWaiting = () => rig.run.snapshot().legs[0]?.isWaitingToReenter
    rig.start()
    rig.ack('o1')
    rig.update('o1', 'cancelled', 25, 100)
    rig.tick(90)
    rig.fillAll(90)
    expect(isWaiting()).toBe(true)
    expect(placed(rig.update('o1', 'complete', 75, 100))).toMatchObject([{ kind: 'exit_sl', quantity: 50 }])
    expect(isWaiting()).toBe(false)
    expect(placed(rig.tick(100))).toEqual([])
    rig.fillAll(95)
    expect(isWaiting()).toBe(true)
    expect(placed(rig.tick(100.05))).toMatchObject([{ kind: 'entry', positionRef: 'p2' }])
  })

  it('does so only after the exits it names', () => {
    const rig = again('asap', 'target')
    rig.tick(90)
    rig.fillAll(90)
    expect(finished(rig.effects)).toHaveLength(1)
  })

  it('stops waiting at a stop, at the close of the leg and at the exit time', () => {
    for (const input of [
      { type: 'stop', reason: 'manual' },
      { type: 'close_leg', legId: 1 },
    ] as const) {
      const rig = again('cost')
      rig.tick(90)
      rig.fillAll(90)
      rig.send(input)
      expect(rig.run.state).toBe('finished')
      expect(rig.tick(100)).toEqual([])
    }
  })

  it('does not enter again after its entry was refused', () => {
    const rig = again('asap', 'any', 5)
    rig.tick(90)
    rig.fillAll(90)
    const entries = placed(rig.effects).filter(({ kind }) => kind === 'entry')
    expect(entries).toHaveLength(2)
    const other = again('asap', 'any', 5)
    other.tick(90)
    other.ack('o2')
    other.fill('o2', 90)
    expect(finished(other.refuse('o3', 'kill switch'))).toMatchObject([{ reason: 'manual' }])
  })
})
