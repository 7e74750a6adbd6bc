import { fields } from '../../../core/validation/index.js'
import { instant } from '../common/payloads.js'
import { signedIn } from '../running.js'

export const telemetry = signedIn('Logs', 'sixtyAMinute')
export const measured = { scopes: ['read', 'admin'], errors: ['validation'] } as const
export const YESTERDAY = { since: '2026-11-20T00:00:00+05:30' }

const afterRow = fields.integer().refine((id) => id >= 1, 'Must be the id of a row.')
export const timePeriod = { since: instant.optional(), until: instant.optional() }
export const pageFields = {
  limit: fields
    .integer()
    .refine((limit) => limit >= 1 && limit <= 1000, 'Must be between 1 and 1000.')
    .default(100),
  before: afterRow.optional().meta({ description: 'The id of the last row of the page before this one.' }),
  after: fields
    .integer()
    .refine((id) => id >= 0, 'Must be the id of a row, or 0.')
    .optional()
    .meta({ description: 'The id of the newest known row: only newer rows.' }),
}
