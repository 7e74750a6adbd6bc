import { z } from 'zod'
import { CALENDAR_YEARS } from '../../../core/calendar/index.js'
import { EXCHANGES } from '../../../core/instruments/index.js'
import { INTERVALS } from '../../../core/market/index.js'
import { contractExchange } from '../../../core/options/index.js'
import { isDate } from '../../../core/time/index.js'
import { fields } from '../../../core/validation/index.js'
import { csvFile } from '../common/payloads.js'

/** The most symbols of one request: many times as many as a screen shows. */
const MAX_QUOTES = 5000

const exchange = fields.oneOf(EXCHANGES)
const date = fields.text().refine(isDate, 'Not a valid date.')
const interval = fields.oneOf(INTERVALS)

export const symbolPayload = z.strictObject({ symbol: fields.text(), exchange })
export const multiQuotesPayload = z.strictObject({
  symbols: fields
    .list(symbolPayload)
    .min(1, 'Shorter than minimum length 1.')
    .max(MAX_QUOTES, `Longer than maximum length ${MAX_QUOTES}.`),
})
export const historyPayload = z.strictObject({
  symbol: fields.text(),
  exchange,
  interval,
  start_date: date,
  end_date: date,
  source: fields.oneOf(['api', 'db']).default('api'),
})
export const tickerQuery = z.object({
  from: date,
  to: date,
  interval: interval.default('D'),
  format: fields.oneOf(['json', 'txt']).default('json'),
  /** The public API has these two parameters; they have no effect. */
  adjusted: fields.text().optional(),
  sort: fields.text().optional(),
})

export const searchPayload = z.strictObject({ query: fields.text(), exchange: exchange.optional() })
export const expiryPayload = z.strictObject({
  symbol: fields.text(),
  exchange: contractExchange(),
  instrumenttype: fields.oneOf(['futures', 'options']),
})
export const instrumentsQuery = z.object({
  exchange: exchange.optional(),
  format: fields
    .text()
    .transform((format) => format.toLowerCase())
    .pipe(fields.oneOf(['json', 'csv']))
    .default('json'),
  ...csvFile,
})

const { first, last } = CALENDAR_YEARS
/** A year of the calendar. */
export const calendarYear = fields
  .integer()
  .refine(
    (year) => year >= first && year <= last,
    `Must be greater than or equal to ${first} and less than or equal to ${last}.`,
  )

export const holidaysPayload = z.strictObject({ year: calendarYear.optional() })
export const timingsPayload = z.strictObject({ date: fields.text() })
export const checkHolidayPayload = z.strictObject({ date: fields.text(), exchange: fields.text().optional() })

/** The client chooses the keys. */
export const chartPayload = z.looseObject({})
