import { z } from 'zod'
import {
  CALENDAR_YEARS,
  type Calendar,
  checkDate,
  checkYear,
  HOLIDAY_EXCHANGES,
  HOLIDAY_TYPES,
  type Holiday,
  type HolidayExchange,
  type NewHoliday,
  sessionEnds,
  TIMED_EXCHANGES,
  type TradingWindow,
} from '../../../core/calendar/index.js'
import { istDate, istParts, istTime, parseTimeOfDay, weekdayOf } from '../../../core/time/index.js'
import { fields } from '../../../core/validation/index.js'
import type { RunningService } from '../../daemon.js'
import type { ActRequest } from '../audit-facts.js'
import { count, message, messageOnly, ok, text } from '../common/answers.js'
import { rowId } from '../common/row-id.js'
import { calendarYear, gap, gapMember, holidayView, window, yearOf } from '../market/calendar.js'
import { signedIn } from '../running.js'

const reads = signedIn('Administration', 'api', 'read')
const changes = signedIn('Administration', 'api', 'admin')

const REFUSALS = ['validation', 'too_large', 'unsupported_media'] as const
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
/** The most exchanges of one entry: more than there are. */
const MAX_EXCHANGES = 20
const YEAR_RULE = `Must be a year from ${CALENDAR_YEARS.first} to ${CALENDAR_YEARS.last}.`
const REQUIRED = 'Date and description are required'

/** One end of a session. */
const sessionEnd = z
  .union([z.number().int(), z.string().max(20)], 'Must be HH:MM or epoch milliseconds.')
  .meta({ description: 'HH:MM in Indian time, or epoch milliseconds.' })
const exchange = fields.text(20)
const exchanges = fields.list(exchange).max(MAX_EXCHANGES, `Longer than maximum length ${MAX_EXCHANGES}.`)

const holidayPayload = z
  .strictObject({
    holiday_date: fields.text().optional().meta({ description: 'YYYY-MM-DD' }),
    date: fields.text().optional().meta({ description: 'The same as holiday_date.' }),
    description: fields.text(),
    holiday_type: fields.oneOf(HOLIDAY_TYPES).default('TRADING_HOLIDAY'),
    exchanges: exchanges.optional().meta({ description: 'The exchanges that are closed.' }),
    closed_exchanges: exchanges.optional().meta({ description: 'The same as exchanges.' }),
    open_exchanges: fields
      .list(z.strictObject({ exchange, start_time: sessionEnd, end_time: sessionEnd }))
      .max(MAX_EXCHANGES, `Longer than maximum length ${MAX_EXCHANGES}.`)
      .optional()
      .meta({ description: 'The exchanges that trade at hours of their own.' }),
  })
  .superRefine((body, context) => {
    const refuse = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message })
    if (body.holiday_date === undefined && body.date === undefined) refuse('holiday_date', REQUIRED)
    if (body.holiday_date !== undefined && body.date !== undefined) {
      refuse('date', 'Is the same as holiday_date: send one of them.')
    }
    if (body.exchanges !== undefined && body.closed_exchanges !== undefined) {
      refuse('closed_exchanges', 'Is the same as exchanges: send one of them.')
    }
  })
const holidaysQuery = z.object({
  /** An empty year is the current one. */
  year: z.union([z.literal('').transform(() => undefined), calendarYear], YEAR_RULE).optional(),
})
const completeYearPayload = z.strictObject({ complete: z.boolean('Not a valid boolean.') })

const timingPayload = z.strictObject({ start_time: fields.text(20), end_time: fields.text(20) })
const checkTimingsPayload = z.strictObject({ date: fields.text() })

const coverage = z.enum(['complete', 'partial', 'none']).meta({
  description: "How much of the year's holidays the calendar has.",
})
const entry = z.strictObject({
  id: count,
  date: text,
  day_name: text,
  description: text,
  holiday_type: text,
  closed_exchanges: z.array(text),
  open_exchanges: z.array(window),
})
const holidays = ok({
  data: z.array(entry),
  current_year: count.meta({ description: 'The year of the list.' }),
  years: z.array(count),
  exchanges: z.array(text),
  coverage,
  ...gap,
})
const holiday = ok({ message, data: entry, ...gap })
const yearCoverage = ok({ message, data: z.strictObject({ year: count, coverage }), ...gap })

const hours = z.strictObject({ exchange: text, start_time: text, end_time: text })
const timings = ok({
  data: z.array(
    z.strictObject({
      id: count,
      exchange: text,
      start_time: text,
      end_time: text,
      start_offset: count.meta({ description: 'Milliseconds after midnight.' }),
      end_offset: count.meta({ description: 'Milliseconds after midnight.' }),
    }),
  ),
  market_status: z.array(window),
  today_timings: z.array(hours),
  today: text,
  exchanges: z.array(text),
  ...gap,
})
const timingsOfDate = ok({ date: text, timings: z.array(hours), ...gap })

/** Holidays and trading hours, which the owner maintains. All times are Indian. */
export const CALENDAR_ADMIN_OPERATIONS = {
  'GET /admin/api/holidays': reads('Lists the holidays and special sessions of a year.', {
    query: holidaysQuery,
    example: { year: 2026 },
    answer: holidays,
    errors: ['validation'],
    run: ({ calendar, clock }, { query }) => {
      const currentYear = istParts(clock.now()).year
      const year = query.year ?? currentYear
      const years = new Set([...calendar.years(), currentYear, currentYear + 1])
      return {
        status: 'success',
        data: calendar.holidaysOf(year).map(entryView),
        current_year: year,
        years: [...years].sort((a, b) => a - b),
        exchanges: HOLIDAY_EXCHANGES,
        coverage: calendar.coverageOf(year),
        ...gapMember(calendar, year),
      }
    },
  }),
  'POST /admin/api/holidays': changes('Adds a holiday or a special session.', {
    body: holidayPayload,
    example: {
      holiday_date: '2027-03-22',
      description: 'Holi',
      holiday_type: 'TRADING_HOLIDAY',
      exchanges: ['NSE', 'BSE', 'NFO', 'BFO', 'CDS', 'BCD'],
      open_exchanges: [{ exchange: 'MCX', start_time: '17:00', end_time: '23:55' }],
    },
    answer: holiday,
    errors: ['conflict', ...REFUSALS],
    audit: { act: 'holiday.add', values: holidayValues },
    run: async ({ calendar }, { body }) => {
      const added = await calendar.addHoliday(holidayOf(body))
      return {
        status: 'success',
        message: `Added holiday: ${added.description} on ${added.date}`,
        data: entryView(added),
        ...gapMember(calendar, yearOf(added.date)),
      }
    },
  }),
  'DELETE /admin/api/holidays/:id': changes('Deletes a holiday or a special session.', {
    params: { id: 'The id of an entry, from the list of its year.' },
    answer: messageOnly,
    errors: ['not_found'],
    audit: { act: 'holiday.remove', values: holidayValues },
    run: async ({ calendar }, { params: { id } }) => {
      const { description } = await calendar.removeHoliday(rowId(id))
      return { status: 'success', message: `Deleted holiday: ${description}` }
    },
  }),
  'PUT /admin/api/holidays/years/:year': changes('Says whether the calendar has all holidays of a year.', {
    params: { year: 'From 2020 to 2050.' },
    body: completeYearPayload,
    example: { complete: true },
    answer: yearCoverage,
    errors: REFUSALS,
    audit: {
      act: 'holiday.set_year',
      values: ({ service: { calendar }, params }) => ({ coverage: calendar.coverageOf(Number(params.year)) }),
    },
    run: async ({ calendar }, { params, body: { complete } }) => {
      const year = /^\d{4}$/.test(params.year) ? Number(params.year) : Number.NaN
      checkYear(year)
      await calendar.markYear(year, complete)
      return {
        status: 'success',
        message: `The holidays of ${year} are ${complete ? '' : 'not '}complete`,
        data: { year, coverage: calendar.coverageOf(year) },
        ...gapMember(calendar, year),
      }
    },
  }),
  'GET /admin/api/timings': reads('Lists the usual trading hours, and those of today.', {
    answer: timings,
    run: ({ calendar, clock }) => timingsView(calendar, istDate(clock.now())),
  }),
  'PUT /admin/api/timings/:exchange': changes('Changes the usual trading hours of an exchange.', {
    params: { exchange: 'The code of the exchange.' },
    body: timingPayload,
    example: { start_time: '09:15', end_time: '15:30' },
    answer: messageOnly,
    errors: REFUSALS,
    audit: {
      act: 'timing.set',
      values: ({ service: { calendar } }) =>
        Object.fromEntries(calendar.timings().map(({ exchange, start, end }) => [exchange, { start, end }])),
    },
    run: async ({ calendar }, { params, body: { start_time: start, end_time: end } }) => {
      const exchange = params.exchange.toUpperCase()
      await calendar.setTiming({ exchange, start, end })
      return { status: 'success', message: `Updated timing for ${exchange}: ${start} - ${end}` }
    },
  }),
  'POST /admin/api/timings/check': changes('Lists the trading hours of a date.', {
    body: checkTimingsPayload,
    example: { date: '2026-11-08' },
    answer: timingsOfDate,
    errors: REFUSALS,
    audit: { unrecorded: 'It changes nothing.' },
    run: ({ calendar }, { body: { date } }) => {
      checkDate(date)
      const hours = calendar.windowsOn(date).map(hoursView)
      return { status: 'success', date, timings: hours, ...gapMember(calendar, yearOf(date)) }
    },
  }),
}

function holidayValues({ service: { calendar } }: ActRequest<RunningService>) {
  const holidays = calendar.years().flatMap((year) => calendar.holidaysOf(year))
  return Object.fromEntries(holidays.map((holiday) => [holiday.id, holidayView(holiday)]))
}

/** Returns the entry that a request describes. Its rules are those of the calendar. */
function holidayOf(body: z.output<typeof holidayPayload>): NewHoliday {
  const date = body.holiday_date ?? body.date ?? ''
  // The hours of the entry need a real date.
  checkDate(date, 'holiday_date')
  const closed = (body.exchanges ?? body.closed_exchanges ?? []).map(
    (exchange): HolidayExchange => ({ exchange, isOpen: false, start: undefined, end: undefined }),
  )
  const open = (body.open_exchanges ?? []).map(
    ({ exchange, start_time: start, end_time: end }): HolidayExchange => ({
      exchange,
      isOpen: true,
      ...sessionEnds(date, start, end),
    }),
  )
  const exchanges = [...closed, ...open].map((entry) => ({
    ...entry,
    exchange: entry.exchange.trim().toUpperCase(),
  }))
  return { date, description: body.description.trim(), type: body.holiday_type, exchanges }
}

function entryView({ id, ...holiday }: Holiday) {
  return { id, day_name: DAYS[weekdayOf(holiday.date) - 1] ?? '', ...holidayView(holiday) }
}

function timingsView(calendar: Calendar, today: string) {
  const windows = calendar.windowsOn(today)
  return {
    status: 'success' as const,
    data: calendar
      .timings()
      .map(({ id, exchange, start, end }) => ({
        id,
        exchange,
        start_time: start,
        end_time: end,
        start_offset: parseTimeOfDay(start) ?? 0,
        end_offset: endOffset(exchange, end),
      }))
      .sort((a, b) => (a.exchange < b.exchange ? -1 : 1)),
    market_status: windows.map(({ exchange, open, close }) => ({
      exchange,
      start_time: open,
      end_time: close,
    })),
    today_timings: windows.map(hoursView),
    today,
    exchanges: TIMED_EXCHANGES,
    ...gapMember(calendar, yearOf(today)),
  }
}

/** CRYPTO trades to the end of the minute in which the day ends. */
function endOffset(exchange: string, end: string): number {
  return (parseTimeOfDay(end) ?? 0) + (exchange === 'CRYPTO' ? 59_000 : 0)
}

function hoursView({ exchange, open, close }: TradingWindow & { exchange: string }) {
  return { exchange, start_time: istTime(open).slice(0, 5), end_time: istTime(close).slice(0, 5) }
}
