import { z } from 'zod'
import { isDate } from '../../../core/time/index.js'
import { fields } from '../../../core/validation/index.js'
import { csvFile, instant } from '../common/payloads.js'

const date = fields.text(10).refine(isDate, 'Must be a date, YYYY-MM-DD.')

const period = {
  start_date: date.optional(),
  end_date: date.optional(),
  search: z.string().max(255, 'Longer than maximum length 255.').optional(),
}
const isInOrder = ({ start_date: first, end_date: last }: { start_date?: string; end_date?: string }) =>
  first === undefined || last === undefined || first <= last
const ORDER = { path: ['end_date'], message: 'Must not be before start_date.' }

/** Indian days. Without any, today. */
export const logsQuery = z
  .object({
    page: fields
      .integer()
      .refine((page) => page >= 0 && page <= 1_000_000, 'Must be between 0 and 1000000.')
      .default(1),
    ...period,
  })
  .refine(isInOrder, ORDER)

export const daysQuery = z.object(period).refine(isInOrder, ORDER)
export const logsExportQuery = z.object({ ...period, ...csvFile }).refine(isInOrder, ORDER)

const id = fields.integer().refine((row) => row >= 0, 'Must be at least 0.')

/** Rows by position, for programs that read on. */
export const entriesQuery = z
  .object({
    log: fields.oneOf(['orders', 'analyzer']).default('orders'),
    since: instant.optional(),
    until: instant.optional(),
    search: period.search,
    limit: fields
      .integer()
      .refine((limit) => limit >= 1 && limit <= 1000, 'Must be between 1 and 1000.')
      .default(100),
    before: fields
      .text(40)
      .regex(/^\d{1,15}-\d{1,15}$/, 'Must be next_before of another page.')
      .optional(),
    after: id.optional(),
  })
  .refine(({ before, after }) => before === undefined || after === undefined, {
    path: ['after'],
    message: 'Must not be combined with before.',
  })
