import { istDate, istInstant } from '../../time/index.js'

/** The members of a strategy that say when its run ends. */
export interface ExitRule {
  strategy_type: string
  /** `HH:MM`, Indian time. */
  exit_time: string | null
}

/** Returns the moment of today at which an intraday run is squared off. */
export function exitMoment({ strategy_type, exit_time }: ExitRule, now: number): number | null {
  return strategy_type === 'intraday' && exit_time !== null ? istInstant(istDate(now), exit_time) : null
}

/** Returns the entry time of today that a start now would not wait for; undefined if it has come, or there is none. */
export function entryAhead({ entry_time }: { entry_time: string | null }, now: number): string | undefined {
  return entry_time !== null && now < istInstant(istDate(now), entry_time) ? entry_time : undefined
}

/** Returns whether a strategy starts no more today, because its exit time has passed. */
export function isPastExit(rule: ExitRule, now: number): boolean {
  const exitAt = exitMoment(rule, now)
  return exitAt !== null && exitAt <= now
}
