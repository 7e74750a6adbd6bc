import { istInstant, weekdayOf } from '../../time/index.js'
import { exitMoment } from '../config/exit.js'
import type { StrategyConfig } from '../config/schema.js'
import { WEEK_DAYS } from '../config/vocabulary.js'

/** The moments of one day of a strategy. Null is none. */
export interface DayPlan {
  /** The start of a batch run. */
  startAt: number | null
  /** The stop by the schedule. */
  stopAt: number | null
  /** The square-off of an intraday run. */
  exitAt: number | null
}

/**
 * Returns the moments of a day. A batch run starts at the scheduler's time if the scheduler is enabled, else at the entry
 * time, else with the first bar.
 * @param firstBar the start of the first bar of the day
 */
export function planOf(config: StrategyConfig, date: string, firstBar: number): DayPlan {
  const { entry_time, exit_time, scheduler, strategy_kind, strategy_type } = config
  const on = (time: string | null) => (time === null ? null : istInstant(date, time))
  const isScheduled = scheduler?.enabled === true
  const stopAt = isScheduled
    ? (scheduler.auto_stop_time ?? exit_time)
    : strategy_type === 'positional'
      ? exit_time
      : null
  const start = isScheduled ? on(scheduler.start_time) : (on(entry_time) ?? firstBar)
  const isDay = !isScheduled || scheduler.days.some((day) => WEEK_DAYS.indexOf(day) + 1 === weekdayOf(date))
  return {
    startAt: strategy_kind === 'batch' && isDay ? start : null,
    stopAt: on(stopAt),
    exitAt: exitMoment(config, firstBar),
  }
}
