import { CronExpressionParser } from 'cron-parser'

/** When a workflow runs by the clock; hours and minutes are India's, days are 0 (Monday) to 6 (Sunday). */
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

/** What a series of instants is counted from: an interval begins one interval after it. */
export interface Origin {
  anchor: number
}

const ZONE = 'Asia/Kolkata'
/** Answers kept for each set of days, so that a thousand workflows that wait for the same days ask once. */
const KEPT_WINDOWS = 4

/** Two neighbouring instants. */
interface Window {
  from: number
  to: number
}

const known = new Map<string, Window[]>()

/** The first instant of a schedule after `after`; undefined when there is none. Epoch milliseconds. */
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

/** The last instant of a schedule up to and including `upTo`; undefined when there is none. */
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
 * The instants of a schedule next to another: the last up to it and the first after it. They are as far from the
 * midnights of its days as its time is: a day in India always has 24 hours.
 */
function around(schedule: Extract<Schedule, { type: 'daily' | 'weekly' }>, at: number): Window {
  const timeMs = (schedule.hour * 60 + schedule.minute) * 60_000
  // Sunday is 0 to cron.
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
