import { z } from 'zod'
import type { OrderLogFilter } from '../../../core/telemetry/index.js'
import { DAY_MS, isDate, istDate, istInstant } from '../../../core/time/index.js'
import { fields } from '../../../core/validation/index.js'
import { text } from '../common/answers.js'
import { csvFile } from '../common/payloads.js'
import { signedIn } from '../running.js'

export const log = signedIn('Logs', 'api')
export const reading = { scopes: ['read'], errors: ['validation'] } as const
export const DAY = { start_date: '2026-11-20', end_date: '2026-11-20', search: 'placeorder' }

const date = fields.text(10).refine(isDate, 'Must be a date, YYYY-MM-DD.')

export const dayPeriod = {
  start_date: date.optional(),
  end_date: date.optional(),
  search: z.string().max(255, 'Longer than maximum length 255.').optional(),
}
export const isInOrder = ({
  start_date: first,
  end_date: last,
}: {
  start_date?: string
  end_date?: string
}) => first === undefined || last === undefined || first <= last
export const ORDER = { path: ['end_date'], message: 'Must not be before start_date.' }
export const logsExportQuery = z.object({ ...dayPeriod, ...csvFile }).refine(isInOrder, ORDER)

export const recordedData = z.record(z.string(), z.unknown())
export const nullableText = text.nullable()

type Facts = Readonly<Record<string, unknown>>

/** Parses a stored request or response. */
export function factsOf(json: string): Facts {
  const value: unknown = JSON.parse(json)
  return Object(value)
}

export const UNKNOWN = 'Unknown'

/** Returns the strategy of a request, `Unknown` if it names none. */
export function strategyOf({ strategy }: Facts): string {
  return typeof strategy === 'string' && strategy !== '' ? strategy : UNKNOWN
}

/** Indian days, the first and the last included. */
interface Days {
  start_date?: string | undefined
  end_date?: string | undefined
  search?: string | undefined
}

/** Returns the rows of a period of Indian days: with one bound, from or up to then; without any, today. */
export function filterOf({ start_date, end_date, search }: Days, now: number): OrderLogFilter {
  const today = start_date === undefined && end_date === undefined ? istDate(now) : undefined
  const [first, last] = [start_date ?? today, end_date ?? today]
  return {
    ...(first !== undefined && { from: istInstant(first) }),
    ...(last !== undefined && { to: istInstant(last) + DAY_MS }),
    ...(search && { search }),
  }
}
