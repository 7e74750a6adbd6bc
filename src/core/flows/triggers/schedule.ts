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
/** Answers kept: workflows often share a time, and asking twice costs nothing. */
const KEPT_EXPRESSIONS = 2_000
const KEPT_WINDOWS = 4

/** Two neighbouring instants of an expression. */
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
      return around(cronOf(schedule), after).to
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
      return around(cronOf(schedule), upTo).from
  }
}

/** The expression of a schedule, in which Sunday is 0. */
function cronOf(schedule: Extract<Schedule, { type: 'daily' | 'weekly' }>): string {
  const days = schedule.type === 'daily' ? '*' : schedule.days.map((day) => (day + 1) % 7).join(',')
  return `${schedule.minute} ${schedule.hour} * * ${days}`
}

/** The instants of an expression next to another: the last up to it and the first after it. */
function around(expression: string, at: number): Window {
  const windows = known.get(expression) ?? []
  const found = windows.find(({ from, to }) => from <= at && at < to)
  if (found) return found
  const to = parse(expression, at).next().getTime()
  const from = parse(expression, to).prev().getTime()
  if (known.size >= KEPT_EXPRESSIONS) known.clear()
  known.set(expression, [...windows.slice(1 - KEPT_WINDOWS), { from, to }])
  return { from, to }
}

function parse(expression: string, currentDate: number) {
  return CronExpressionParser.parse(expression, { tz: ZONE, currentDate })
}
