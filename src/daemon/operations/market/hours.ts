import { z } from 'zod'
import { checkDate, DAY_KINDS, exchangeDay, TIMED_EXCHANGES } from '../../../core/calendar/index.js'
import { EXCHANGES } from '../../../core/instruments/schema.js'
import { isDate, istDate, istInstant } from '../../../core/time/index.js'
import { fields } from '../../../core/validation/index.js'
import type { RunningService } from '../../daemon.js'
import { instant, ok, text } from '../common/answers.js'
import { open } from '../running.js'
import { gap, yearOf } from './calendar.js'

const anyone = open('Calendar')

const hoursQuery = z.object({
  exchange: fields
    .text(20)
    .transform((code) => code.toUpperCase())
    .pipe(z.enum(EXCHANGES, { error: `Must be one of: ${EXCHANGES.join(', ')}.` }))
    .optional()
    .meta({ description: 'One exchange; without it, all that have hours of their own.' }),
  on: fields
    .text(10)
    .refine(isDate, 'Must be a date, YYYY-MM-DD.')
    .optional()
    .meta({ description: 'A date in India, YYYY-MM-DD; today by default.' }),
})

const day = z.strictObject({
  exchange: text,
  date: text,
  is_open: z
    .boolean()
    .meta({ description: 'Whether it trades now; of another day, whether it trades then.' }),
  opens_at: instant.nullable().meta({ description: 'Null if it does not trade on this day.' }),
  closes_at: instant.nullable(),
  day: z.enum(DAY_KINDS).meta({ description: 'The usual hours, hours of this day alone, or none.' }),
  reason: text.nullable().meta({ description: 'The name of the holiday or of the special session.' }),
  next_open: instant
    .nullable()
    .meta({ description: 'The next beginning of a session, after now or from that day on.' }),
})

/** Whether the exchanges trade. It is public: a job that only wants to know needs no credential. */
export const HOURS_OPERATIONS = {
  'GET /market/hours': anyone(
    'Returns whether exchanges trade now or on a day, their hours, and when they open next.',
    {
      limit: 'threeHundredAMinute',
      query: hoursQuery,
      example: { exchange: 'NSE', on: '2026-11-08' },
      answer: ok({ now: instant, data: z.array(day), ...gap }),
      errors: ['validation'],
      run: (service, { query: { exchange, on } }) => {
        const now = service.clock.now()
        if (on !== undefined) checkDate(on, 'on')
        const date = on ?? istDate(now)
        const chosen = exchange === undefined ? TIMED_EXCHANGES : [exchange]
        const data = chosen.map((one) => dayView(service, one, { date, now }))
        const years = [
          date,
          ...data.flatMap(({ next_open: next }) => (next === null ? [] : [istDate(Date.parse(next))])),
        ]
        return { status: 'success', now: iso(now), data, ...warningOf(service, years) }
      },
    },
  ),
}

function dayView(
  { calendar }: RunningService,
  exchange: string,
  { date, now }: { date: string; now: number },
) {
  const { description, kind, session } = exchangeDay(calendar, exchange, date)
  const isToday = date === istDate(now)
  const from = isToday ? now : istInstant(date)
  // A session that begins with that day counts, too, and an exchange that never closes is open then.
  const before = isToday ? now : from - 1
  const found = calendar.nextOpen(exchange, before)
  const next = found === before ? from : found
  return {
    exchange,
    date,
    is_open: isToday ? calendar.isOpen(exchange, now) : session !== undefined,
    opens_at: session === undefined ? null : iso(session.open),
    closes_at: session === undefined ? null : iso(session.close),
    day: kind,
    reason: description ?? null,
    next_open: next === undefined ? null : iso(next),
  }
}

/** Returns one warning for the years whose holidays the calendar lacks. */
function warningOf({ calendar }: RunningService, dates: readonly string[]): { warning?: string } {
  const years = [...new Set(dates.map(yearOf))]
  const warnings = years.flatMap((year) => calendar.gapOf(year)?.warning ?? [])
  return warnings.length === 0 ? {} : { warning: warnings.join(' ') }
}

const iso = (at: number) => new Date(at).toISOString()
