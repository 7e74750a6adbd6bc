import { DERIVATIVE_EXCHANGES } from '../../instruments/schema.js'
import { addDays, HOUR_MS, istDate, istInstant, weekdayOf } from '../../time/index.js'
import { type SandboxSettings, SQUARE_OFF_EXCHANGES, WEEKDAYS } from '../settings.js'
import type { TradingHours } from './trading-hours.js'

export type JobKind = 'square_off' | 'close' | 'expiry' | 'snapshot' | 't1' | 'reset' | 'gtt_sweep'

/** A scheduled job of the sandbox, for one exchange or for all. */
interface Job {
  /** The job's name in the ledger: `square_off.NSE`, `t1`. */
  name: string
  kind: JobKind
  /** Empty for a job that concerns all exchanges. */
  exchange: string
}

/** One time at which a job has to run. */
export interface DueMoment {
  job: Job
  /** The IST date of the moment, with the hour for a job that runs several times a day. */
  slot: string
  date: string
  dueAt: number
}

/** The inputs that due moments depend on. */
interface TimetableContext {
  hours: TradingHours
  settings: SandboxSettings
}

/** The longest distance between two moments of a job that is switched on. */
const HORIZON_DAYS = 31
const SNAPSHOT_TIME = '23:59'

/** Jobs that fall due at the same moment run in this order. */
export const JOBS: readonly Job[] = [
  ...SQUARE_OFF_EXCHANGES.map((exchange) => job('square_off', exchange)),
  ...SQUARE_OFF_EXCHANGES.map((exchange) => job('close', exchange)),
  ...[...DERIVATIVE_EXCHANGES].map((exchange) => job('expiry', exchange)),
  job('snapshot'),
  job('t1'),
  job('reset'),
  job('gtt_sweep'),
]

type Due = (date: string, exchange: string, context: TimetableContext) => readonly (number | undefined)[]

/** The time at which each job is due on a date (docs/sandbox.md). */
const DUE: Readonly<Record<JobKind, Due>> = {
  square_off: (date, exchange, { hours }) => [hours.squareOff(exchange, date)],
  close: (date, exchange, { hours }) => [hours.close(exchange, date)],
  expiry: (date, exchange, { hours }) => [hours.expiry(exchange, date)],
  snapshot: (date, _exchange, { hours }) => [
    hours.trades(date, SQUARE_OFF_EXCHANGES) ? istInstant(date, SNAPSHOT_TIME) : undefined,
  ],
  t1: (date, _exchange, { hours }) => [hours.settles(date) ? istInstant(date) : undefined],
  reset: (date, _exchange, { settings }) => [
    WEEKDAYS[weekdayOf(date) - 1] === settings.get('reset_day')
      ? istInstant(date, settings.get('reset_time'))
      : undefined,
  ],
  gtt_sweep: (date) => Array.from({ length: 24 }, (_, hour) => istInstant(date) + hour * HOUR_MS),
}

/** Returns the last moment of a job up to `now`. */
export function latestMoment(one: Job, now: number, context: TimetableContext): DueMoment | undefined {
  const today = istDate(now)
  for (let back = 0; back <= HORIZON_DAYS; back++) {
    const moments = momentsOn(one, addDays(today, -back), context)
    const past = moments.filter(({ dueAt }) => dueAt <= now)
    const latest = past.at(-1)
    if (latest) return latest
  }
  return undefined
}

/** Returns the next moment of a job after `now`. */
export function nextMoment(one: Job, now: number, context: TimetableContext): DueMoment | undefined {
  const today = istDate(now)
  // Yesterday's moment may fall after midnight, so the search starts a day early.
  for (let ahead = -1; ahead <= HORIZON_DAYS; ahead++) {
    const next = momentsOn(one, addDays(today, ahead), context).find(({ dueAt }) => dueAt > now)
    if (next) return next
  }
  return undefined
}

function momentsOn(one: Job, date: string, context: TimetableContext): DueMoment[] {
  const due = DUE[one.kind](date, one.exchange, context)
  return due.flatMap((dueAt, index) => {
    const slot = due.length > 1 ? `${date} ${String(index).padStart(2, '0')}` : date
    return dueAt === undefined ? [] : [{ job: one, slot, date, dueAt }]
  })
}

function job(kind: JobKind, exchange = ''): Job {
  return { name: exchange ? `${kind}.${exchange}` : kind, kind, exchange }
}
