import { addDays, DAY_MS, isDate, istDate, sessionDate, weekdayOf } from '../../../time/index.js'
import type { CalendarPort } from '../../ports.js'
import { defineNode, type NodeDefinition, NodeError, succeeded } from '../definition.js'
import { DATE, DATE_FIRST, YEAR } from '../form.js'
import { flag, flags, list, number, numbers, object, text, texts } from '../output.js'

/** Nodes for trading days, holidays and trading hours. Dates are in IST. */

const calendarNode = { family: 'data', effect: 'calendar', storesOutput: true } as const

/** The exchange whose trading days count: the cash market, as everywhere in the service. */
const EXCHANGE = 'NSE'
const SATURDAY = 6
/** No market is closed for longer. */
const LONGEST_CLOSURE_DAYS = 60

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const

const PERIODS = ['week', 'month', 'quarter', 'year'] as const
type Period = (typeof PERIODS)[number]

const calendar = defineNode({
  ...calendarNode,
  type: 'calendar',
  summary: 'Describes a date: trading day or holiday, and its place in the week, month, quarter and year.',
  fields: {
    date: {
      kind: 'text',
      default: '',
      form: DATE_FIRST,
      description: 'YYYY-MM-DD. Default: the date of the current session.',
    },
  },
  output: {
    date: text('The date.'),
    is_trading_day: flag('Whether the cash market is open.'),
    is_trading_holiday: flag('Whether the cash market is closed for a holiday.'),
    is_weekend: flag('Whether it is a Saturday or Sunday.'),
    is_special_session: flag('Whether there is a special session.'),
    weekday: text('Name of the day.'),
    weekday_num: number('Monday is 1, Sunday 7.'),
    day: number('Day of the month.'),
    month: number('Month, 1 to 12.'),
    quarter: number('Quarter, 1 to 4.'),
    year: number('Year.'),
    week_of_year: number('ISO week.'),
    day_of_year: number('Day of the year, from 1.'),
    is_new_day: flag('Whether it is a trading day.'),
    is_new_week: flag(
      'Whether it is the first trading day of its week; is_new_month, is_new_quarter and is_new_year have the same meaning for theirs.',
    ),
    ...flags('is_new_month', 'is_new_quarter', 'is_new_year'),
    is_last_day_of_week: flag(
      'Whether it is the last trading day of its week; is_last_day_of_month, …_quarter and …_year have the same meaning for theirs.',
    ),
    ...flags('is_last_day_of_month', 'is_last_day_of_quarter', 'is_last_day_of_year'),
    prev_trading_day: text('The previous trading day.'),
    next_trading_day: text('The next trading day.'),
    first_trading_day_of_week: text('The first trading day of its week; also …_month and …_quarter.'),
    ...texts('first_trading_day_of_month', 'first_trading_day_of_quarter'),
    last_trading_day_of_week: text('The last trading day of its week; also …_month and …_quarter.'),
    ...texts('last_trading_day_of_month', 'last_trading_day_of_quarter'),
  },
  run: (run) => {
    const { clock, calendar: days } = run.ports
    return succeeded(dayFacts(days, dateOf(run.text('date')) ?? sessionDate(clock.now())))
  },
})

/** Returns the date of a text, which may contain a time after it; undefined if the text is blank. */
function dateOf(text: string): string | undefined {
  if (text.trim() === '') return undefined
  const date = text.trim().slice(0, 10)
  if (isDate(date)) return date
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

/** Returns the first and last trading day of each period of a date; null if the period has none. */
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

/** Returns the first and last date of a period. Weeks go from Monday to Sunday. */
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

/**
 * Returns the first trading day from a date in the direction of `step`; null if `length` days contain none.
 */
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

/** Returns the ISO 8601 week: the week of its Thursday. */
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

/** The hours of an exchange on a day, in epoch milliseconds. */
const HOURS = object({ ...texts('exchange'), ...numbers('start_time', 'end_time') })

const holidays = defineNode({
  ...calendarNode,
  type: 'holidays',
  summary: 'Lists the holidays and special sessions of a year.',
  fields: {
    year: { kind: 'integer', default: 0, form: YEAR, description: '2020 to 2050; 0 means this year.' },
  },
  output: {
    year: number('The year.'),
    timezone: text('Asia/Kolkata.'),
    data: list(
      object({
        ...texts('date', 'description', 'holiday_type'),
        closed_exchanges: list(text()),
        open_exchanges: list(HOURS),
      }),
      'One entry per day.',
    ),
  },
  run: (run) => {
    const year = run.integer('year')
    return run.read('market/holidays', year === 0 ? {} : { year })
  },
})

const timings = defineNode({
  ...calendarNode,
  type: 'timings',
  summary: 'Lists the trading hours of each exchange on a date.',
  fields: {
    date: { kind: 'text', default: '', form: DATE, description: 'YYYY-MM-DD. Default: today.' },
  },
  output: {
    data: list(HOURS, 'One entry per open exchange; times in epoch milliseconds. Empty if all are closed.'),
  },
  run: (run) =>
    run.read('market/timings', { date: run.text('date').trim() || istDate(run.ports.clock.now()) }),
})

export const CALENDAR_NODES: readonly NodeDefinition[] = [calendar, holidays, timings]
