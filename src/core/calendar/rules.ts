import { ServiceError } from '../errors/index.js'
import { addDays, isDate, istInstant, parseTimeOfDay, SESSION_ROLLOVER } from '../time/index.js'
import {
  CALENDAR_YEARS,
  HOLIDAY_EXCHANGES,
  HOLIDAY_TYPES,
  type Holiday,
  type NewHoliday,
  TIMED_EXCHANGES,
  type Timing,
} from './schema.js'

const MAX_DESCRIPTION = 150
const TIME = /^\d{2}:\d{2}$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/

/** Refuses a date that does not exist or that the calendar does not cover. @throws ServiceError `validation` */
export function checkDate(date: string, field = 'date'): void {
  if (!isDate(date)) throw refused(field, 'Invalid date format. Use YYYY-MM-DD')
  const year = Number(date.slice(0, 4))
  const { first, last } = CALENDAR_YEARS
  if (year < first || year > last) {
    throw refused(field, `Date must be between ${first}-01-01 and ${last}-12-31`)
  }
}

/** Refuses a year that the calendar does not cover. @throws ServiceError `validation` */
export function checkYear(year: number): void {
  const { first, last } = CALENDAR_YEARS
  if (!Number.isInteger(year) || year < first || year > last) {
    throw refused(
      'year',
      `year: Must be greater than or equal to ${first} and less than or equal to ${last}.`,
    )
  }
}

/**
 * Returns the instants of a session on a date. Each end is `HH:MM` in IST or epoch milliseconds. An end before
 * its start is on the next day, as that of the commodities' Muhurat session.
 * @throws ServiceError `validation` for another text
 */
export function sessionEnds(
  date: string,
  start: string | number,
  end: string | number,
): { start: number; end: number } {
  const from = typeof start === 'number' ? start : istInstant(date, clockTime('start_time', start))
  if (typeof end === 'number') return { start: from, end }
  const until = istInstant(date, clockTime('end_time', end))
  return { start: from, end: until > from ? until : istInstant(addDays(date, 1), end) }
}

/** Checks an entry by itself. @throws ServiceError `validation` */
export function checkHoliday(holiday: NewHoliday): void {
  const { date, description, type, exchanges } = holiday
  checkDate(date, 'holiday_date')
  if (description.trim() === '') throw refused('description', 'Date and description are required')
  if (description.length > MAX_DESCRIPTION) {
    throw refused('description', `Longer than maximum length ${MAX_DESCRIPTION}.`)
  }
  if (CONTROL.test(description)) throw refused('description', 'Must not contain control characters.')
  if (!HOLIDAY_TYPES.includes(type)) {
    throw refused('holiday_type', `Must be one of: ${HOLIDAY_TYPES.join(', ')}.`)
  }
  checkExchanges(holiday)
  const opens = exchanges.some(({ isOpen }) => isOpen)
  if (type === 'SPECIAL_SESSION' && !opens) {
    throw refused('open_exchanges', 'Special session requires at least one exchange with timings')
  }
  if (type === 'SETTLEMENT_HOLIDAY' && opens) {
    throw refused('open_exchanges', 'A settlement holiday keeps the usual hours: leave out open_exchanges')
  }
  if (type === 'TRADING_HOLIDAY' && exchanges.length === 0) {
    throw refused('exchanges', 'A trading holiday requires at least one exchange')
  }
}

function checkExchanges({ date, exchanges }: NewHoliday): void {
  const seen = new Set<string>()
  for (const { exchange, isOpen, start, end } of exchanges) {
    const field = isOpen ? 'open_exchanges' : 'exchanges'
    if (!HOLIDAY_EXCHANGES.some((known) => known === exchange)) {
      throw refused(field, `Exchange must be one of: ${HOLIDAY_EXCHANGES.join(', ')}`)
    }
    if (seen.has(exchange)) throw refused(field, `${exchange} is listed twice`)
    seen.add(exchange)
    if (!isOpen) continue
    if (start === undefined || end === undefined || !(start < end)) {
      throw refused(field, `${exchange} needs a start_time before its end_time`)
    }
    // The number may be beyond every date.
    if (start < istInstant(date) || start >= istInstant(addDays(date, 1))) {
      throw refused(field, `The session of ${exchange} must start on ${date}`)
    }
    // Then the trading day changes.
    if (end > istInstant(addDays(date, 1), SESSION_ROLLOVER)) {
      throw refused(field, `The session of ${exchange} must end by ${SESSION_ROLLOVER} of the next day`)
    }
  }
}

/**
 * Checks that no other entry of the date decides the same: each exchange has one entry a day.
 * @throws ServiceError `conflict`
 */
export function checkNoOther({ date, type, exchanges }: NewHoliday, others: readonly Holiday[]): void {
  for (const other of others.filter((one) => one.date === date)) {
    const shared = exchanges.find(({ exchange }) => other.exchanges.some((one) => one.exchange === exchange))
    const repeats = exchanges.length === 0 && other.exchanges.length === 0 && other.type === type
    if (!shared && !repeats) continue
    const subject = shared ? `${shared.exchange} has` : 'There is'
    throw new ServiceError(
      'conflict',
      `${subject} an entry on ${date} already: ${other.description} (id ${other.id}). Delete it first.`,
    )
  }
}

/** Checks usual hours. @throws ServiceError `validation` */
export function checkTiming({ exchange, start, end }: Timing): void {
  if (!TIMED_EXCHANGES.some((known) => known === exchange)) {
    throw refused('exchange', `Exchange must be one of: ${TIMED_EXCHANGES.join(', ')}`)
  }
  if (exchange === 'CRYPTO') throw refused('exchange', 'CRYPTO trades around the clock: its hours are fixed')
  if (clockTime('end_time', end) <= clockTime('start_time', start)) {
    throw refused('end_time', 'End time must be after start time')
  }
}

function clockTime(field: string, text: string): string {
  if (!TIME.test(text) || parseTimeOfDay(text) === undefined) {
    throw refused(field, 'Invalid time format. Use HH:MM')
  }
  return text
}

function refused(field: string, text: string): ServiceError {
  return new ServiceError('validation', text, { errors: { [field]: [text] } })
}
