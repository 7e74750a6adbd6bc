import { type Money, toMoney } from '../../../money/index.js'
import type { RunRisk } from '../definition.js'

/** The risk settings of a run as money. Null is off. */
export interface RunPlan {
  overallStop: Money | null
  overallTarget: Money | null
  dailyLossLimit: Money | null
  lock: { reach: Money; floor: Money; step: Money | null } | null
}

/** The limit of a run that its total has reached. */
export interface Trigger {
  reason: 'daily_loss_limit' | 'lock_profit' | 'overall_sl' | 'overall_target'
  /** The amount that was reached: a loss is negative. */
  threshold: Money
}

/** The amounts that the limits of a run compare. */
export interface Totals {
  total: Money
  peak: Money
  /** Realised by the earlier runs of the session. */
  earlier: Money
}

/** Converts risk settings to money. A limit of 0 is off. */
export function runPlan(risk: RunRisk): RunPlan {
  const { lockProfit } = risk
  const reach = limit(lockProfit?.ifProfitReaches)
  const trails = lockProfit?.mode === 'lock_and_trail'
  return {
    overallStop: limit(risk.overallStop),
    overallTarget: limit(risk.overallTarget),
    dailyLossLimit: limit(risk.dailyLossLimit),
    lock:
      reach === null
        ? null
        : {
            reach,
            floor: limit(lockProfit?.lockProfit) ?? 0n,
            step: trails ? limit(lockProfit?.trailStep) : null,
          },
  }
}

function limit(value: number | null | undefined): Money | null {
  if (value === null || value === undefined || !Number.isFinite(value) || value <= 0) return null
  return toMoney(value)
}

/**
 * Returns the floor of the profit lock at a total. Null while it is not armed. A floor never falls.
 */
export function lockFloor({ lock }: RunPlan, previous: Money | null, { total, peak }: Totals): Money | null {
  if (lock === null || (previous === null && total < lock.reach)) return previous
  const trailed = lock.step === null ? lock.floor : peak - lock.step
  return largest(previous ?? lock.floor, lock.floor, trailed)
}

/**
 * Returns the first limit that the total has reached: daily loss limit, profit lock, overall stop, overall target.
 * @param skipsStop true once the stops of the legs are at their entries: they replace the overall stop
 */
export function reachedLimit(
  plan: RunPlan,
  floor: Money | null,
  { total, earlier }: Totals,
  skipsStop: boolean,
): Trigger | null {
  const { dailyLossLimit, overallStop, overallTarget } = plan
  if (dailyLossLimit !== null && earlier + total <= -dailyLossLimit) {
    return { reason: 'daily_loss_limit', threshold: -dailyLossLimit }
  }
  if (floor !== null && total <= floor) return { reason: 'lock_profit', threshold: floor }
  if (overallStop !== null && !skipsStop && total <= -overallStop) {
    return { reason: 'overall_sl', threshold: -overallStop }
  }
  if (overallTarget !== null && total >= overallTarget) {
    return { reason: 'overall_target', threshold: overallTarget }
  }
  return null
}

function largest(first: Money, ...others: readonly Money[]): Money {
  return others.reduce((most, one) => (one > most ? one : most), first)
}
