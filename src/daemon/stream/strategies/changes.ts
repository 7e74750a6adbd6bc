import type { LiveLeg, LiveRun } from '../../../core/strategies/index.js'

/** The members of a run that changed. A leg has its id and its own members that changed. */
export type RunChanges = Partial<Omit<LiveRun, 'legs'>> & {
  legs?: (Partial<LiveLeg> & Pick<LiveLeg, 'leg_id'>)[]
}

/** Returns the difference between two states of one run; undefined without any. */
export function changesOf(before: LiveRun, now: LiveRun): RunChanges | undefined {
  const { legs: legsBefore, ...runBefore } = before
  const { legs: legsNow, ...runNow } = now
  const run = changedMembers(runBefore, runNow)
  const legs = legsNow.flatMap((leg, index) => {
    const changed = changedMembers(legsBefore[index], leg)
    return isEmpty(changed) ? [] : { ...changed, leg_id: leg.leg_id }
  })
  if (isEmpty(run) && legs.length === 0) return undefined
  return legs.length === 0 ? run : { ...run, legs }
}

function changedMembers<T extends object>(before: T | undefined, now: T): Partial<T> {
  const changed: Partial<T> = {}
  for (const name of keysOf(now)) if (before?.[name] !== now[name]) changed[name] = now[name]
  return changed
}

/** The members of a view are exactly those of its type. */
const keysOf = <T extends object>(value: T) => Object.keys(value) as (keyof T)[]

const isEmpty = (value: object) => Object.keys(value).length === 0
