import { type Calendar, checkDate, type Holiday, TIMED_EXCHANGES } from '../../../core/calendar/index.js'
import { ServiceError } from '../../../core/errors/index.js'
import { type Clock, istParts } from '../../../core/time/index.js'
import type { Handlers } from '../../http/handlers.js'

interface CalendarParts {
  calendar: Calendar
  clock: Clock
}

/** Returns the handlers for holidays and trading hours. Dates and times are Indian. */
export function calendarHandlers({ calendar, clock }: CalendarParts) {
  return {
    'POST /api/v1/market/holidays': ({ body: { year = istParts(clock.now()).year } }) => {
      const data = calendar.holidaysOf(year).map(holidayView)
      return { status: 'success', year, timezone: 'Asia/Kolkata', data, ...gapMember(calendar, year) }
    },
    'POST /api/v1/market/timings': ({ body: { date } }) => {
      checkDate(date)
      const data = calendar
        .windowsOn(date)
        .map(({ exchange, open, close }) => ({ exchange, start_time: open, end_time: close }))
      return { status: 'success', data, ...gapMember(calendar, yearOf(date)) }
    },
    'POST /api/v1/checkholiday': ({ body: { date, exchange } }) => {
      checkDate(date)
      if (exchange !== undefined && !TIMED_EXCHANGES.some((known) => known === exchange)) {
        throw refused('exchange', `Exchange must be one of: ${TIMED_EXCHANGES.join(', ')}`)
      }
      const isHoliday = calendar.isHoliday(date, exchange)
      const data = { date, exchange: exchange ?? 'ALL', is_holiday: isHoliday }
      return { status: 'success', data, ...gapMember(calendar, yearOf(date)) }
    },
  } satisfies Partial<Handlers>
}

export function holidayView({ date, description, type, exchanges }: Omit<Holiday, 'id'>) {
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

/** Returns the member that an answer has when the calendar lacks holidays of the year. */
export function gapMember(calendar: Calendar, year: number): { warning?: string } {
  const gap = calendar.gapOf(year)
  return gap ? { warning: gap.warning } : {}
}

export const yearOf = (date: string): number => Number(date.slice(0, 4))

function refused(field: string, text: string): ServiceError {
  return new ServiceError('validation', text, { errors: { [field]: [text] } })
}
