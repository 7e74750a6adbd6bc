import { z } from 'zod'
import {
  CALENDAR_YEARS,
  type Calendar,
  checkDate,
  type Holiday,
  TIMED_EXCHANGES,
} from '../../../core/calendar/index.js'
import { ServiceError } from '../../../core/errors/index.js'
import { istParts } from '../../../core/time/index.js'
import { fields } from '../../../core/validation/index.js'
import { count, ok, text } from '../common/answers.js'
import { keyed } from '../reads.js'

const calendarReads = keyed('Calendar', 'api')

const { first, last } = CALENDAR_YEARS
/** A year of the calendar. */
export const calendarYear = fields
  .integer()
  .refine(
    (year) => year >= first && year <= last,
    `Must be greater than or equal to ${first} and less than or equal to ${last}.`,
  )

const holidaysPayload = z.strictObject({ year: calendarYear.optional() })
export const timingsPayload = z.strictObject({ date: fields.text() })
const checkHolidayPayload = z.strictObject({ date: fields.text(), exchange: fields.text().optional() })

/** A member of an answer about days whose year is not complete in the calendar. */
export const gap = {
  warning: text.optional().meta({
    description: 'Present when the calendar lacks holidays of the year; they count as trading days.',
  }),
}
export const window = z.strictObject({
  exchange: text,
  start_time: count.meta({ description: 'Epoch milliseconds.' }),
  end_time: count.meta({ description: 'Epoch milliseconds.' }),
})
const holidays = ok({
  year: count,
  timezone: text,
  data: z.array(
    z.strictObject({
      date: text,
      description: text,
      holiday_type: text,
      closed_exchanges: z.array(text),
      open_exchanges: z.array(window),
    }),
  ),
  ...gap,
})
export const timings = ok({ data: z.array(window), ...gap })
const holiday = ok({
  data: z.strictObject({ date: text, exchange: text, is_holiday: z.boolean() }),
  ...gap,
})

/** Holidays and trading hours. Dates and times are Indian. */
export const CALENDAR_OPERATIONS = {
  'POST /api/v1/market/holidays': calendarReads('Lists the holidays of a year.', {
    body: holidaysPayload,
    example: { year: 2026 },
    answer: holidays,
    tool: { name: 'get_holidays', title: 'List holidays', scope: 'read:market', toolset: 'utility' },
    run: ({ calendar, clock }, { body: { year = istParts(clock.now()).year } }) => {
      const data = calendar.holidaysOf(year).map(holidayView)
      return { status: 'success', year, timezone: 'Asia/Kolkata', data, ...gapMember(calendar, year) }
    },
  }),
  'POST /api/v1/market/timings': calendarReads('Lists the trading hours of a day.', {
    body: timingsPayload,
    example: { date: '2026-11-20' },
    answer: timings,
    run: ({ calendar }, { body: { date } }) => {
      checkDate(date)
      const data = calendar
        .windowsOn(date)
        .map(({ exchange, open, close }) => ({ exchange, start_time: open, end_time: close }))
      return { status: 'success', data, ...gapMember(calendar, yearOf(date)) }
    },
  }),
  'POST /api/v1/checkholiday': calendarReads('Returns whether a day is a holiday.', {
    body: checkHolidayPayload,
    example: { date: '2026-11-20', exchange: 'NSE' },
    answer: holiday,
    tool: {
      name: 'check_holiday',
      title: 'Check whether a day is a holiday',
      scope: 'read:market',
      toolset: 'utility',
    },
    run: ({ calendar }, { body: { date, exchange } }) => {
      checkDate(date)
      if (exchange !== undefined && !TIMED_EXCHANGES.some((known) => known === exchange)) {
        throw refused('exchange', `Exchange must be one of: ${TIMED_EXCHANGES.join(', ')}`)
      }
      const isHoliday = calendar.isHoliday(date, exchange)
      const data = { date, exchange: exchange ?? 'ALL', is_holiday: isHoliday }
      return { status: 'success', data, ...gapMember(calendar, yearOf(date)) }
    },
  }),
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
