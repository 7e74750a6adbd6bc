import { addDays, istDate, sessionDate, weekdayOf } from '../../../time/index.js'
import type { CalendarPort } from '../../ports.js'
import { defineNode, type NodeDefinition, NodeError, succeeded } from '../definition.js'

/** Trading days, holidays and hours (contract, flow section 2.3). Dates are of India. */

const calendarNode = { family: 'data', effect: 'calendar', storesOutput: true } as const

/** Whose days count: the cash market's, as everywhere a day is called a trading day. */
const EXCHANGE = 'NSE'
const SATURDAY = 6
/** No market is closed that long. */
const LONGEST_CLOSURE_DAYS = 60
const DAY_MS = 86_400_000

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const

const PERIODS = ['week', 'month', 'quarter', 'year'] as const
type Period = (typeof PERIODS)[number]

const calendar = defineNode({
  ...calendarNode,
  type: 'calendar',
  summary: 'Tells what kind of day a date is, and where in its week, month, quarter and year.',
  fields: {
    date: { kind: 'text', default: '', description: 'YYYY-MM-DD; the date of the session when left out.' },
  },
  output: {
    date: 'The date.',
    is_trading_day: 'Whether the cash market trades.',
    is_trading_holiday: 'Whether a holiday closes it.',
    is_weekend: 'Whether it is a Saturday or Sunday.',
    is_special_session: 'Whether there is a special session.',
    weekday: 'Name of the day.',
    weekday_num: 'Monday is 1, Sunday 7.',
    day: 'Day of the month.',
    month: 'Month, 1 to 12.',
    quarter: 'Quarter, 1 to 4.',
    year: 'Year.',
    week_of_year: 'ISO week.',
    day_of_year: 'Day of the year, from 1.',
    is_new_day: 'Whether it is a trading day.',
    is_new_week:
      'Whether it is the first trading day of its week; is_new_month, is_new_quarter and is_new_year likewise.',
    is_last_day_of_week:
      'Whether it is the last trading day of its week; is_last_day_of_month, …_quarter and …_year likewise.',
    prev_trading_day: 'The trading day before.',
    next_trading_day: 'The trading day after.',
    first_trading_day_of_week: 'The first trading day of its week; …_month and …_quarter likewise.',
    last_trading_day_of_week: 'The last trading day of its week; …_month and …_quarter likewise.',
  },
  run: (run) => {
    const { clock, calendar: days } = run.ports
    return succeeded(dayFacts(days, dateOf(run.text('date')) ?? sessionDate(clock.now())))
  },
})

/** The date of a text that may go on with a time of day; undefined when it is blank. */
function dateOf(text: string): string | undefined {
  if (text.trim() === '') return undefined
  const date = text.trim().slice(0, 10)
  const instant = /^\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN
  if (!Number.isNaN(instant) && new Date(instant).toISOString().startsWith(date)) return date
  throw new NodeError(`Calendar date must be YYYY-MM-DD, got '${text}'`)
}

function dayFacts(days: CalendarPort, date: string) {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number)
  const weekday = weekdayOf(date)
  const trades = (one: string) => days.isTradingDay(EXCHANGE, one)
  const holidays = days.holidaysOf(year).filter((holiday) => holiday.date === date)
  const isWeekend = weekday >= SATURDAY
  const ends = periodEnds(date, trades)
  return {
    date,
    is_trading_day: trades(date),
    is_trading_holiday: holidays.some(({ type }) => type === 'TRADING_HOLIDAY') && !trades(date),
    is_weekend: isWeekend,
    is_special_session: holidays.some(({ type }) => type === 'SPECIAL_SESSION'),
    weekday: WEEKDAYS[weekday - 1],
    weekday_num: weekday,
    day,
    month,
    quarter: Math.ceil(month / 3),
    year,
    week_of_year: isoWeek(date),
    day_of_year: daysBetween(`${date.slice(0, 4)}-01-01`, date) + 1,
    is_new_day: trades(date),
    ...named('is_new_', (period) => ends[period].first === date),
    ...named('is_last_day_of_', (period) => ends[period].last === date),
    prev_trading_day: firstTrading(trades, addDays(date, -1), -1),
    next_trading_day: firstTrading(trades, addDays(date, 1), 1),
    ...named('first_trading_day_of_', (period) => ends[period].first, ['week', 'month', 'quarter']),
    ...named('last_trading_day_of_', (period) => ends[period].last, ['week', 'month', 'quarter']),
  }
}

function named(prefix: string, of: (period: Period) => unknown, periods: readonly Period[] = PERIODS) {
  return Object.fromEntries(periods.map((period) => [`${prefix}${period}`, of(period)]))
}

/** The first and last trading day of each period a date is in; null where it has none. */
function periodEnds(date: string, trades: (date: string) => boolean) {
  const ends = (period: Period) => {
    const [start, end] = boundsOf(period, date)
    const length = daysBetween(start, end) + 1
    return {
      first: firstTrading(trades, start, 1, length),
      last: firstTrading(trades, end, -1, length),
    }
  }
  return { week: ends('week'), month: ends('month'), quarter: ends('quarter'), year: ends('year') }
}

/** First and last date of a period, weeks from Monday to Sunday. */
function boundsOf(period: Period, date: string): [string, string] {
  if (period === 'week') {
    const monday = addDays(date, 1 - weekdayOf(date))
    return [monday, addDays(monday, 6)]
  }
  const [year = 0, month = 1] = date.split('-').map(Number)
  const months = { month: 1, quarter: 3, year: 12 }[period]
  const from = Math.floor((month - 1) / months) * months
  return [isoDate(Date.UTC(year, from, 1)), isoDate(Date.UTC(year, from + months, 0))]
}

/** The first trading day from a date on, in the direction of `step`; null within none of `length` days. */
function firstTrading(
  trades: (date: string) => boolean,
  from: string,
  step: 1 | -1,
  length = LONGEST_CLOSURE_DAYS,
): string | null {
  for (let ahead = 0; ahead < length; ahead++) {
    const date = addDays(from, ahead * step)
    if (trades(date)) return date
  }
  return null
}

/** The week of its Thursday: ISO 8601. */
function isoWeek(date: string): number {
  const thursday = addDays(date, 4 - weekdayOf(date))
  return Math.floor(daysBetween(`${thursday.slice(0, 4)}-01-01`, thursday) / 7) + 1
}

function daysBetween(from: string, to: string): number {
  return (Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS
}

function isoDate(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10)
}

const holidays = defineNode({
  ...calendarNode,
  type: 'holidays',
  summary: 'Lists the holidays and special sessions of a year.',
  fields: {
    year: { kind: 'integer', default: 0, description: 'From 2020 to 2050; 0 for this year.' },
  },
  output: {
    year: 'The year.',
    timezone: 'Asia/Kolkata.',
    data: 'By day: date, description, holiday_type, closed_exchanges, open_exchanges.',
  },
  run: (run) => {
    const year = run.integer('year')
    return run.read('market/holidays', year === 0 ? {} : { year })
  },
})

const timings = defineNode({
  ...calendarNode,
  type: 'timings',
  summary: 'Lists when each exchange trades on a date.',
  fields: {
    date: { kind: 'text', default: '', description: 'YYYY-MM-DD; today when left out.' },
  },
  output: {
    data: 'By exchange: exchange, start_time, end_time (epoch milliseconds); empty on a closed day.',
  },
  run: (run) =>
    run.read('market/timings', { date: run.text('date').trim() || istDate(run.ports.clock.now()) }),
})

export const CALENDAR_NODES: readonly NodeDefinition[] = [calendar, holidays, timings]
