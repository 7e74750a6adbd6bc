import type { Calendar } from '../../calendar/index.js'
import { expiryToDate } from '../../instruments/index.js'
import { addDays, DAY_MS, weekdayOf } from '../../time/index.js'
import { expiryInstant } from '../pricing/cut-off.js'

/** An expiry relative to now, in the words of workflows. */
export const EXPIRY_RANKS = ['current_week', 'next_week', 'current_month', 'next_month'] as const
export type ExpiryRank = (typeof EXPIRY_RANKS)[number]

/** The listed expiries (`DD-MON-YY`) of an underlying, expired ones included, in chronological order. */
export interface ListedExpiries {
  /** Those of the contracts to choose from: options, or futures. */
  contracts: readonly string[]
  futures: readonly string[]
}

/** Returns whether a contract still trades: an expiry of today does until its instant. */
export type IsLive = (expiry: string, exchange: string) => boolean

export function liveAt(calendar: Pick<Calendar, 'sessionOf'>, now: number): IsLive {
  return (expiry, exchange) => (expiryInstant({ expiry, exchange }, calendar) ?? 0) > now
}

/**
 * Returns the expiry of a rank; undefined if it is not listed. The week's is the nearest that has not expired, the
 * month's the nearest monthly that has not.
 */
export function expiryOfRank(
  rank: ExpiryRank,
  listed: ListedExpiries,
  isLive: (expiry: string) => boolean,
): string | undefined {
  const isMonthly = rank === 'current_month' || rank === 'next_month'
  const live = (isMonthly ? monthliesOf(listed) : listed.contracts).filter(isLive)
  return live[rank === 'current_week' || rank === 'current_month' ? 0 : 1]
}

/**
 * Returns the monthly expiries: those on which a future expires too. A holiday can move a weekly over the end of a month,
 * so the last expiry of a month may be a weekly. Options whose futures expire on other days (MCX), or that have none,
 * have their monthly in the last week of a month.
 */
function monthliesOf({ contracts, futures }: ListedExpiries): readonly string[] {
  const months = new Set(lastOfMonths(futures))
  const shared = contracts.filter((expiry) => months.has(expiry))
  return shared.length > 0 ? shared : inLastWeeks(contracts)
}

/** Returns the last expiry of each month: currencies have weekly futures. */
function lastOfMonths(expiries: readonly string[]): string[] {
  return expiries.filter((one, index) => monthOf(one) !== monthOf(expiries[index + 1]))
}

function inLastWeeks(expiries: readonly string[]): readonly string[] {
  // Without weeklies every expiry is a monthly, on whatever day it is.
  if (expiries.every((one, index) => daysBetween(expiries[index - 1], one) > 14)) return expiries
  const weekday = usualWeekday(expiries)
  return expiries.filter((expiry) => {
    const day = unmoved(expiryToDate(expiry) ?? '', weekday)
    return day.slice(0, 7) !== addDays(day, 7).slice(0, 7)
  })
}

/** Returns the days from an expiry to a later one; of the first one more than any. */
function daysBetween(one: string | undefined, later: string): number {
  if (one === undefined) return Number.POSITIVE_INFINITY
  return (Date.parse(expiryToDate(later) ?? '') - Date.parse(expiryToDate(one) ?? '')) / DAY_MS
}

/** Returns the day of an expiry without its holiday: the holiday moved it back from the usual weekday. */
const unmoved = (date: string, weekday: number): string => addDays(date, (weekday - weekdayOf(date) + 7) % 7)

function usualWeekday(expiries: readonly string[]): number {
  const counts = new Map<number, number>()
  for (const expiry of expiries) {
    const weekday = weekdayOf(expiryToDate(expiry) ?? '')
    counts.set(weekday, (counts.get(weekday) ?? 0) + 1)
  }
  const [usual] = [...counts].sort(([, a], [, b]) => b - a)
  return usual?.[0] ?? 1
}

const monthOf = (expiry: string | undefined): string => (expiryToDate(expiry ?? '') ?? '').slice(0, 7)
