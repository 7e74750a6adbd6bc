import {
  type Calendar,
  checkDate,
  checkYear,
  HOLIDAY_EXCHANGES,
  type Holiday,
  type HolidayExchange,
  type NewHoliday,
  sessionEnds,
  TIMED_EXCHANGES,
  type TradingWindow,
} from '../../../core/calendar/index.js'
import {
  type Clock,
  istDate,
  istParts,
  istTime,
  parseTimeOfDay,
  weekdayOf,
} from '../../../core/time/index.js'
import type { Handlers } from '../../http/handlers.js'
import type { PayloadOf } from '../../operations/types.js'
import { gapMember, holidayView, yearOf } from '../market/calendar.js'
import { rowId } from './row-id.js'

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

interface Parts {
  calendar: Calendar
  clock: Clock
}

/** Returns the handlers with which the owner maintains holidays and trading hours. All times are Indian. */
export function calendarAdminHandlers({ calendar, clock }: Parts) {
  return {
    'GET /admin/api/holidays': ({ query }) => {
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
    'POST /admin/api/holidays': async ({ body }) => {
      const holiday = await calendar.addHoliday(holidayOf(body))
      return {
        status: 'success',
        message: `Added holiday: ${holiday.description} on ${holiday.date}`,
        data: entryView(holiday),
        ...gapMember(calendar, yearOf(holiday.date)),
      }
    },
    'DELETE /admin/api/holidays/:id': async ({ params: { id } }) => {
      const { description } = await calendar.removeHoliday(rowId(id))
      return { status: 'success', message: `Deleted holiday: ${description}` }
    },
    'PUT /admin/api/holidays/years/:year': async ({ params, body: { complete } }) => {
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
    'GET /admin/api/timings': () => timingsView(calendar, istDate(clock.now())),
    'PUT /admin/api/timings/:exchange': async ({ params, body: { start_time: start, end_time: end } }) => {
      const exchange = params.exchange.toUpperCase()
      await calendar.setTiming({ exchange, start, end })
      return { status: 'success', message: `Updated timing for ${exchange}: ${start} - ${end}` }
    },
    'POST /admin/api/timings/check': ({ body: { date } }) => {
      checkDate(date)
      const timings = calendar.windowsOn(date).map(hoursView)
      return { status: 'success', date, timings, ...gapMember(calendar, yearOf(date)) }
    },
  } satisfies Partial<Handlers>
}

/** Returns the entry that a request describes. Its rules are those of the calendar. */
function holidayOf(body: PayloadOf<'POST /admin/api/holidays'>): NewHoliday {
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
