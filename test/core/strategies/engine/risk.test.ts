import { describe, expect, it } from 'vitest'
import { fromMoney, type Money, toMoney } from '../../../../src/core/money/index.js'
import type { LegRisk, LockProfit, RunRisk } from '../../../../src/core/strategies/engine/definition.js'
import { lockFloor, reachedLimit, runPlan } from '../../../../src/core/strategies/engine/risk/aggregate.js'
import {
  hitsStop,
  initialLevels,
  isTrailArmed,
  legPlan,
  type Side,
  trailStop,
} from '../../../../src/core/strategies/engine/risk/leg.js'
import { definition, leg, NO_RISK, Rig } from './rig.js'

const risk = (more: Partial<LegRisk>): LegRisk => ({
  unit: 'points',
  stop: null,
  target: null,
  trail: null,
  ...more,
})
const shown = (money: Money | null) => (money === null ? null : fromMoney(money))

/** The levels of a position at an entry and its most favourable price. */
function levels(settings: Partial<LegRisk>, side: Side, entry: number, best = entry) {
  const plan = legPlan(risk(settings))
  const [from, to] = [toMoney(entry), toMoney(best)]
  const { stop, target } = initialLevels(plan, side, from)
  const trail = trailStop(plan, side, from, to)
  return {
    stop: shown(stop),
    target: shown(target),
    isArmed: isTrailArmed(plan, side, from, to),
    trail: shown(trail),
  }
}

describe('the levels of a leg', () => {
  it('R1: a long stop below and a target above, in points', () => {
    expect(levels({ stop: 12, target: 30 }, 1n, 200)).toMatchObject({ stop: 188, target: 230 })
  })

  it('R2: a short stop above and a target below, in percent', () => {
    const settings = { unit: 'percent', stop: 5, target: 10 } as const
    expect(levels(settings, -1n, 200)).toMatchObject({ stop: 210, target: 180 })
  })

  it('R3: a trail that the price has not reached is not armed', () => {
    const settings = { stop: 10, trail: { x: 5, y: 3 } }
    expect(levels(settings, 1n, 100, 104)).toEqual({ stop: 90, target: null, isArmed: false, trail: null })
  })

  it('R4: a stepped trail moves by y for each whole x', () => {
    expect(levels({ stop: 10, trail: { x: 5, y: 3 } }, 1n, 100, 111)).toMatchObject({
      isArmed: true,
      trail: 96,
    })
  })

  it('R6: a trail without a step follows a short at its distance', () => {
    expect(levels({ trail: { x: 4, y: 0 } }, -1n, 100, 93)).toMatchObject({ isArmed: true, trail: 97 })
  })

  it.each<[string, Partial<LegRisk>, Side, number, number | null]>([
    ['a stepped trail without a stop does nothing', { trail: { x: 5, y: 3 } }, 1n, 120, null],
    ['a stepped trail never passes the best price', { stop: 1, trail: { x: 2, y: 9 } }, 1n, 105, 105],
    ['a trail in percent counts from the entry', { unit: 'percent', trail: { x: 10, y: 0 } }, 1n, 120, 110],
    ['a trail without a distance is off', { stop: 5, trail: { x: 0, y: 3 } }, 1n, 120, null],
    ['a trail at the entry is not armed', { trail: { x: 0.05, y: 0 } }, 1n, 100, null],
  ])('%s', (_, settings, side, best, expected) => {
    expect(levels(settings, side, 100, best).trail).toBe(expected)
  })

  it('0 is no level', () => {
    expect(levels({ stop: 0, target: 0 }, 1n, 100)).toMatchObject({ stop: null, target: null })
  })

  it('a price at the stop hits it, on both sides', () => {
    expect([
      hitsStop(1n, 90n, 90n),
      hitsStop(1n, 91n, 90n),
      hitsStop(-1n, 90n, 90n),
      hitsStop(-1n, 89n, 90n),
    ]).toEqual([true, false, true, false])
  })
})

describe('the limits of a run', () => {
  const trailing: LockProfit = {
    mode: 'lock_and_trail',
    ifProfitReaches: 5000,
    lockProfit: 2000,
    trailStep: 1500,
  }
  const plan = (more: Partial<RunRisk>) => runPlan({ ...NO_RISK, ...more })
  const totals = (total: number, { peak = total, earlier = 0 } = {}) => ({
    total: toMoney(total),
    peak: toMoney(peak),
    earlier: toMoney(earlier),
  })

  it('R7: the floor of a trailing lock follows the peak', () => {
    expect(shown(lockFloor(plan({ lockProfit: trailing }), null, totals(5200)))).toBe(3700)
  })

  it('R8: the floor stays at its highest, and a total at the floor triggers', () => {
    const limits = plan({ lockProfit: trailing })
    const floor = lockFloor(limits, lockFloor(limits, null, totals(6400)), totals(4900, { peak: 6400 }))
    expect(shown(floor)).toBe(4900)
    expect(reachedLimit(limits, floor, totals(4900, { peak: 6400 }), false)?.reason).toBe('lock_profit')
    expect(reachedLimit(limits, floor, totals(4900.01, { peak: 6400 }), false)).toBeNull()
  })

  it('R9: a total just below the trigger arms nothing', () => {
    const lockProfit: LockProfit = { mode: 'lock', ifProfitReaches: 5000, lockProfit: 2000, trailStep: null }
    expect(lockFloor(plan({ lockProfit }), null, totals(4999.99))).toBeNull()
    expect(shown(lockFloor(plan({ lockProfit }), null, totals(5000)))).toBe(2000)
  })

  it('R10: realised and open losses reach the overall stop together', () => {
    const limits = plan({ overallStop: 3000 })
    expect(reachedLimit(limits, null, totals(-1200 - 1800), false)).toEqual({
      reason: 'overall_sl',
      threshold: toMoney(-3000),
    })
    expect(reachedLimit(limits, null, totals(-2999.99), false)).toBeNull()
  })

  it('R11: the losses of earlier runs count for the daily limit', () => {
    const limits = plan({ dailyLossLimit: 4000, overallStop: 1500 })
    expect(reachedLimit(limits, null, totals(-1500, { earlier: -2500 }), false)?.reason).toBe(
      'daily_loss_limit',
    )
  })

  it('the overall stop is off once the stops are at the entries', () => {
    expect(reachedLimit(plan({ overallStop: 3000 }), null, totals(-5000), true)).toBeNull()
  })

  it('the daily limit comes before the lock, the lock before the overall stop, and the target last', () => {
    const all = { dailyLossLimit: 10, overallStop: 10, overallTarget: 20 }
    const reasons = [
      reachedLimit(plan(all), 0n, totals(-10), false),
      reachedLimit(plan({ ...all, dailyLossLimit: null }), 0n, totals(-10), false),
      reachedLimit(plan({ ...all, dailyLossLimit: null }), null, totals(-10), false),
      reachedLimit(plan(all), null, totals(20), false),
    ]
    expect(reasons.map((one) => one?.reason)).toEqual([
      'daily_loss_limit',
      'lock_profit',
      'overall_sl',
      'overall_target',
    ])
  })
})

describe('the profit of a run', () => {
  it('R12: a short earns when the price falls', () => {
    const rig = new Rig(definition({ legs: [leg({ position: 'S' })] }))
    rig.start()
    rig.fillAll(120.5)
    rig.tick(118.1)
    expect(rig.run.snapshot()).toMatchObject({ unrealized: 180, total: 180 })
  })

  it('R13: a partial exit realises its share', () => {
    const rig = new Rig(definition({ legs: [leg({ quantity: 10 })] }))
    rig.start()
    rig.fillAll(100)
    rig.send({ type: 'close_leg', legId: 1 })
    rig.fill('o2', 103, 4)
    rig.tick(98)
    expect(rig.run.snapshot()).toMatchObject({ realized: 12, unrealized: -12, total: 0 })
  })

  it('averages with eight decimals drift by nothing', () => {
    const rig = new Rig(definition({ legs: [leg({ quantity: 3 })] }))
    rig.start()
    rig.ack('o1')
    rig.fill('o1', 100.1, 1)
    rig.fill('o1', 100.13333333)
    rig.send({ type: 'stop', reason: 'manual' })
    rig.fillAll(100.1)
    expect(rig.run.snapshot().realized).toBe(-0.1)
  })
})
