import { type Calendar, type Holiday, TIMED_EXCHANGES } from '../../../core/calendar/index.js'
import { ServiceError } from '../../../core/errors/index.js'
import { type Clock, isDate, istParts } from '../../../core/time/index.js'
import type { Handlers } from '../../http/handlers.js'
import { CALENDAR_YEARS } from '../../operations/payloads/market.js'

interface CalendarParts {
  calendar: Calendar
  clock: Clock
}

/** Returns the handlers for holidays and trading hours. Dates and times are Indian. */
export function calendarHandlers({ calendar, clock }: CalendarParts) {
  return {
    'POST /api/v1/market/holidays': ({ body: { year = istParts(clock.now()).year } }) => {
      const data = calendar.holidaysOf(year).map(holidayView)
      return { status: 'success', year, timezone: 'Asia/Kolkata', data }
    },
    'POST /api/v1/market/timings': ({ body: { date } }) => {
      checkDate(date)
      const data = calendar
        .windowsOn(date)
        .map(({ exchange, open, close }) => ({ exchange, start_time: open, end_time: close }))
      return { status: 'success', data }
    },
    'POST /api/v1/checkholiday': ({ body: { date, exchange } }) => {
      checkDate(date)
      if (exchange !== undefined && !TIMED_EXCHANGES.some((known) => known === exchange)) {
        throw refused('exchange', `Exchange must be one of: ${TIMED_EXCHANGES.join(', ')}`)
      }
      const isHoliday = calendar.isHoliday(date, exchange)
      return { status: 'success', data: { date, exchange: exchange ?? 'ALL', is_holiday: isHoliday } }
    },
  } satisfies Partial<Handlers>
}

function holidayView({ date, description, type, exchanges }: Holiday) {
  return {
    date,
    description,
    holiday_type: type,
    closed_exchanges: exchanges.filter(({ isOpen }) => !isOpen).map(({ exchange }) => exchange),
    open_exchanges: exchanges.flatMap(({ exchange, isOpen, start, end }) =>
      isOpen && start !== undefined && end !== undefined
        ? [{ exchange, start_time: start, end_time: end }]
        : [],
    ),
  }
}

/** Refuses a date that does not exist or that the calendar does not cover. */
function checkDate(date: string): void {
  if (!isDate(date)) throw refused('date', 'Invalid date format. Use YYYY-MM-DD')
  const year = Number(date.slice(0, 4))
  const { first, last } = CALENDAR_YEARS
  if (year < first || year > last) {
    throw refused('date', `Date must be between ${first}-01-01 and ${last}-12-31`)
  }
}

function refused(field: string, text: string): ServiceError {
  return new ServiceError('validation', text, { errors: { [field]: [text] } })
}
