import { z } from 'zod'
import { CALENDAR_YEARS, HOLIDAY_TYPES } from '../../../core/calendar/index.js'
import { fields } from '../../../core/validation/index.js'
import { calendarYear } from '../market/payloads.js'

/** The most exchanges of one entry: more than there are. */
const MAX_EXCHANGES = 20
const YEAR_RULE = `Must be a year from ${CALENDAR_YEARS.first} to ${CALENDAR_YEARS.last}.`
const REQUIRED = 'Date and description are required'

export const freezePayload = z.strictObject({
  exchange: fields.text().default('NFO'),
  symbol: fields.text(),
  freeze_qty: fields.integer(),
})
export const freezeQuantityPayload = z.strictObject({ freeze_qty: fields.integer() })
export const freezeUploadQuery = z.object({ exchange: fields.text().default('NFO') })

/** One end of a session. */
const sessionEnd = z
  .union([z.number().int(), z.string().max(20)], 'Must be HH:MM or epoch milliseconds.')
  .meta({ description: 'HH:MM in Indian time, or epoch milliseconds.' })
const exchange = fields.text(20)
const exchanges = fields.list(exchange).max(MAX_EXCHANGES, `Longer than maximum length ${MAX_EXCHANGES}.`)

export const holidayPayload = z
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
export const holidaysQuery = z.object({
  /** An empty year is the current one. */
  year: z.union([z.literal('').transform(() => undefined), calendarYear], YEAR_RULE).optional(),
})
export const completeYearPayload = z.strictObject({ complete: z.boolean('Not a valid boolean.') })

export const timingPayload = z.strictObject({ start_time: fields.text(20), end_time: fields.text(20) })
export const checkTimingsPayload = z.strictObject({ date: fields.text() })
