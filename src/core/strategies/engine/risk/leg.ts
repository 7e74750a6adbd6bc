import { divRound, MONEY_SCALE, type Money, toMoney } from '../../../money/index.js'
import type { LegRisk } from '../definition.js'

/** 1 for a long position, -1 for a short one. */
export type Side = 1n | -1n

/** The risk settings of a leg as whole numbers: money, or ten-thousandths of a percent. Null is off. */
export interface LegPlan {
  isPercent: boolean
  stop: bigint | null
  target: bigint | null
  trail: { x: bigint; y: bigint } | null
}

/** The levels of a position. Null is off. */
export interface Levels {
  stop: Money | null
  target: Money | null
}

/** Converts risk settings to whole numbers. A setting of 0 is off. A trail without a trigger distance is off. */
export function legPlan({ unit, stop, target, trail }: LegRisk): LegPlan {
  const x = setting(trail?.x)
  return {
    isPercent: unit === 'percent',
    stop: setting(stop),
    target: setting(target),
    trail: x === null ? null : { x, y: setting(trail?.y) ?? 0n },
  }
}

function setting(value: number | null | undefined): bigint | null {
  if (value === null || value === undefined || !Number.isFinite(value) || value <= 0) return null
  return toMoney(value)
}

/** Returns the stop and target that a position has at its entry average. */
export function initialLevels(plan: LegPlan, side: Side, entry: Money): Levels {
  return {
    stop: plan.stop === null ? null : entry - side * points(plan, plan.stop, entry),
    target: plan.target === null ? null : entry + side * points(plan, plan.target, entry),
  }
}

/** Returns whether the trail of a position is armed at its most favourable price. */
export function isTrailArmed(plan: LegPlan, side: Side, entry: Money, best: Money): boolean {
  const excursion = side * (best - entry)
  return plan.trail !== null && excursion > 0n && excursion >= points(plan, plan.trail.x, entry)
}

/**
 * Returns the stop of an armed trail. Without a step the stop follows the price at the distance `x`. With one it moves by
 * `y` for each whole `x` from the initial stop, and so needs a stop. It never passes the most favourable price.
 */
export function trailStop(plan: LegPlan, side: Side, entry: Money, best: Money): Money | null {
  if (plan.trail === null || !isTrailArmed(plan, side, entry, best)) return null
  const x = points(plan, plan.trail.x, entry)
  if (plan.trail.y === 0n) return best - side * x
  const { stop } = initialLevels(plan, side, entry)
  if (stop === null || x === 0n) return null
  const steps = (side * (best - entry)) / x
  return looser(side, stop + side * points(plan, plan.trail.y, entry) * steps, best)
}

/** Returns the stop that is nearer to profit. Null is no stop. */
export function tighter(side: Side, a: Money | null, b: Money | null): Money | null {
  if (a === null || b === null) return a ?? b
  return side * (a - b) >= 0n ? a : b
}

function looser(side: Side, a: Money, b: Money): Money {
  return side * (a - b) <= 0n ? a : b
}

/** Returns whether a price is at or beyond the stop. */
export function hitsStop(side: Side, price: Money, stop: Money | null): boolean {
  return stop !== null && side * (price - stop) <= 0n
}

/** Returns whether a price is at or beyond the target. */
export function hitsTarget(side: Side, price: Money, target: Money | null): boolean {
  return target !== null && side * (price - target) >= 0n
}

/** Returns a distance in rupees. A percentage is one of the entry average. */
export function points(plan: LegPlan, value: bigint, entry: Money): Money {
  return plan.isPercent ? divRound(entry * value, 100n * MONEY_SCALE) : value
}
