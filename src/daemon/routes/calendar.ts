import { Hono } from 'hono'
import { z } from 'zod'
import { type Calendar, type Holiday, TIMED_EXCHANGES } from '../../core/calendar/index.js'
import { ServiceError } from '../../core/errors/index.js'
import type { Identity } from '../../core/identity/index.js'
import { type Clock, istParts } from '../../core/time/index.js'
import { fields } from '../../core/validation/index.js'
import type { AppEnv } from '../env.js'
import { apiRoute, read } from '../http/api-route.js'

export interface CalendarRoutesParts {
  identity: Identity
  calendar: Calendar
  clock: Clock
}

const FIRST_YEAR = 2020
const LAST_YEAR = 2050

export const holidaysBody = z.strictObject({
  apikey: fields.apiKeyField(),
  year: fields
    .integer()
    .refine(
      (year) => year >= FIRST_YEAR && year <= LAST_YEAR,
      `Must be greater than or equal to ${FIRST_YEAR} and less than or equal to ${LAST_YEAR}.`,
    )
    .optional(),
})
export const timingsBody = z.strictObject({ apikey: fields.apiKeyField(), date: fields.text() })
export const checkBody = z.strictObject({
  apikey: fields.apiKeyField(),
  date: fields.text(),
  exchange: fields.text().optional(),
})

/** What these endpoints answer, for whoever asks: a request, or a node of a workflow. */
export function calendarReads({ calendar, clock }: Pick<CalendarRoutesParts, 'calendar' | 'clock'>) {
  return {
    holidays: read(holidaysBody, ({ year = istParts(clock.now()).year }) => {
      const data = calendar.holidaysOf(year).map(holidayView)
      return { year, timezone: 'Asia/Kolkata', data }
    }),
    timings: read(timingsBody, ({ date }) => {
      checkDate(date)
      const data = calendar
        .windowsOn(date)
        .map(({ exchange, open, close }) => ({ exchange, start_time: open, end_time: close }))
      return { data }
    }),
  }
}

/** Calendar endpoints of `/api/v1` (contract, api-market section 5). Days and hours are of India. */
export function calendarRoutes({ identity, calendar, clock }: CalendarRoutesParts): Hono<AppEnv> {
  const reads = calendarReads({ calendar, clock })
  return new Hono<AppEnv>()
    .post('/market/holidays', reads.holidays.route(identity))
    .post('/market/timings', reads.timings.route(identity))
    .post(
      '/checkholiday',
      apiRoute(identity, checkBody, ({ date, exchange }) => {
        checkDate(date)
        if (exchange !== undefined && !TIMED_EXCHANGES.some((known) => known === exchange)) {
          throw refused('exchange', `Exchange must be one of: ${TIMED_EXCHANGES.join(', ')}`)
        }
        const isHoliday = calendar.isHoliday(date, exchange)
        return { data: { date, exchange: exchange ?? 'ALL', is_holiday: isHoliday } }
      }),
    )
}

function holidayView({ date, description, type, exchanges }: Holiday) {
  return {
    date,
    description,
    holiday_type: type,
    closed_exchanges: exchanges.filter(({ isOpen }) => !isOpen).map(({ exchange }) => exchange),
    open_exchanges: exchanges
      .filter(({ isOpen }) => isOpen)
      .map(({ exchange, start, end }) => ({ exchange, start_time: start, end_time: end })),
  }
}

/** A date that exists and that the calendar reaches. */
function checkDate(date: string): void {
  const exists =
    /^\d{4}-\d{2}-\d{2}$/.test(date) && new Date(`${date}T00:00:00Z`).toJSON()?.slice(0, 10) === date
  if (!exists) throw refused('date', 'Invalid date format. Use YYYY-MM-DD')
  const year = Number(date.slice(0, 4))
  if (year < FIRST_YEAR || year > LAST_YEAR) {
    throw refused('date', `Date must be between ${FIRST_YEAR}-01-01 and ${LAST_YEAR}-12-31`)
  }
}

function refused(field: string, text: string): ServiceError {
  return new ServiceError('validation', text, { errors: { [field]: [text] } })
}
