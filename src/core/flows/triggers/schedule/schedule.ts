import { CronExpressionParser } from 'cron-parser'

/** The times at which a workflow runs. Hours and minutes are IST; days are 0 (Monday) to 6 (Sunday). */
export type Schedule =
  | { readonly type: 'daily'; readonly hour: number; readonly minute: number }
  | {
      readonly type: 'weekly'
      readonly hour: number
      readonly minute: number
      readonly days: readonly number[]
    }
  | { readonly type: 'interval'; readonly everyMs: number }
  | { readonly type: 'once'; readonly at: number }

/** The instant an interval counts from. The first interval ends one interval after it. */
interface Origin {
  anchor: number
}

const ZONE = 'Asia/Kolkata'
/** Cached windows for each set of days, so that a thousand workflows with the same days compute them once. */
const KEPT_WINDOWS = 4

/** Two consecutive instants. */
interface Window {
  from: number
  to: number
}

const known = new Map<string, Window[]>()

/**
 * Returns the first instant of a schedule after `after`, in epoch milliseconds; undefined if there is none.
 */
export function nextFire(
  schedule: Schedule,
  { after, anchor }: Origin & { after: number },
): number | undefined {
  switch (schedule.type) {
    case 'once':
      return schedule.at > after ? schedule.at : undefined
    case 'interval': {
      const passed = Math.floor((after - anchor) / schedule.everyMs)
      return anchor + (Math.max(0, passed) + 1) * schedule.everyMs
    }
    default:
      return around(schedule, after).to
  }
}

/** Returns the last instant of a schedule up to and including `upTo`; undefined if there is none. */
export function latestFire(
  schedule: Schedule,
  { upTo, anchor }: Origin & { upTo: number },
): number | undefined {
  switch (schedule.type) {
    case 'once':
      return schedule.at <= upTo ? schedule.at : undefined
    case 'interval': {
      const passed = Math.floor((upTo - anchor) / schedule.everyMs)
      return passed < 1 ? undefined : anchor + passed * schedule.everyMs
    }
    default:
      return around(schedule, upTo).from
  }
}

/**
 * Returns the last instant up to `at` and the first one after it. Both are the midnight of a matching day
 * plus the time of the schedule, because a day in IST always has 24 hours.
 */
function around(schedule: Extract<Schedule, { type: 'daily' | 'weekly' }>, at: number): Window {
  const timeMs = (schedule.hour * 60 + schedule.minute) * 60_000
  // In cron, Sunday is 0.
  const days = schedule.type === 'daily' ? '*' : schedule.days.map((day) => (day + 1) % 7).join(',')
  const { from, to } = midnightsAround(`0 0 * * ${days}`, at - timeMs)
  return { from: from + timeMs, to: to + timeMs }
}

function midnightsAround(expression: string, at: number): Window {
  const windows = known.get(expression) ?? []
  const found = windows.find(({ from, to }) => from <= at && at < to)
  if (found) return found
  const to = parse(expression, at).next().getTime()
  const window = { from: parse(expression, to).prev().getTime(), to }
  known.set(expression, [...windows.slice(1 - KEPT_WINDOWS), window])
  return window
}

function parse(expression: string, currentDate: number) {
  return CronExpressionParser.parse(expression, { tz: ZONE, currentDate })
}
